"""Card instances: parameters, private parameters, state of the flow, history."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from channels.simulators.dingtalk.templates import Button, Template
from channels.simulators.jsons import Json

PROCESSING, INPUTING, FINISHED, EXECUTING, FAILED = "1", "2", "3", "4", "5"
"""Values of `flowStatus`. Source: open.dingtalk.com "AI card", read 2026-08."""


@dataclass
class CardState:
    """What a card was at one moment; `mono_s` is the machine's monotonic clock."""

    at_ms: int
    mono_s: float
    how: str
    flow_status: str
    params: dict[str, str]

    def as_json(self) -> Json:
        """Give the state as JSON."""
        return dict(vars(self))


@dataclass
class Card:
    """One instance, by the sender's own outTrackId; `message_id` is None when its delivery failed."""

    out_track_id: str
    app_id: str
    template: Template
    params: dict[str, str]
    private: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    flow_status: str = PROCESSING
    callback_type: str = ""
    message_id: str | None = None
    guids: set[str] = field(default_factory=set[str])
    stale: str | None = None
    """The text that clients still show because they missed the last frame; an update repairs it."""
    updated_at_ms: int = 0
    history: list[CardState] = field(default_factory=list[CardState])

    @property
    def is_ended(self) -> bool:
        """Whether the stream of its text is over."""
        return self.flow_status in (FINISHED, FAILED)

    def value(self, key: str, viewer: str | None = None) -> str:
        """Give a variable as one person sees it; a private variable's own value goes before the public one."""
        variable = self.template.variable(key)
        if variable is None:
            return ""
        own = self.private.get(viewer or "", {}) if variable.private else {}
        return own.get(key, self.shown_params().get(key, ""))

    def shown_params(self) -> dict[str, str]:
        """Give the public values as clients show them."""
        return self.params if self.stale is None else {**self.params, self.template.streaming_key: self.stale}

    def is_shown(self, visible_key: str, viewer: str | None = None) -> bool:
        """Tell whether a condition on this variable holds; no variable means always."""
        return not visible_key or self.value(visible_key, viewer) == "true"

    def label(self, button: Button, viewer: str | None = None) -> str:
        """Give a button's words."""
        return self.value(button.label_key, viewer) or button.label

    def button_params(self, button: Button, viewer: str | None = None) -> dict[str, str]:
        """Give what a press of the button sends back."""
        filled = {name: self.value(key, viewer) for name, key in button.param_keys.items()}
        return {**button.params, **{name: value for name, value in filled.items() if value}}

    def is_blank(self, above_chars: int) -> bool:
        """Tell whether clients show nothing because the streamed text is too long."""
        return len(self.params.get(self.template.streaming_key, "")) > above_chars

    def record(self, how: str, now_ms: int) -> None:
        """Keep the present state in the history."""
        self.updated_at_ms = now_ms
        self.history.append(CardState(now_ms, time.monotonic(), how, self.flow_status, dict(self.params)))


class Cards:
    """All card instances and templates."""

    def __init__(self) -> None:
        self.by_id: dict[str, Card] = {}
        self.templates: dict[str, Template] = {}
