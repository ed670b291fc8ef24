"""What a run did, in order: told from its events, its steps, what was said to it and what became of its answer.

Runs of older versions noted less of their calls; what nobody measured or counted is `None`, never 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from engine.events import TOOL_TYPES, RunEvent
from engine.tools.cut import cut
from engine.tools.redaction import redact

BeatKind = Literal[
    "asked",
    "claimed",
    "context",
    "route",
    "plan",
    "model",
    "tool",
    "approval",
    "choice",
    "said",
    "notice",
    "file",
    "error",
    "ended",
    "verdict",
    "delivery",
]
WORDS_CHARS = 500
"""Of what people, models and tools wrote, so much is told of each thing."""
_READ_CHARS = 8_000
_FACTS: Mapping[str, Sequence[str]] = {
    "context": ("session", "model", "is_staged"),
    "route": ("way", "by", "intent", "domains", "confidence"),
    "approval": ("tool", "state", "for", "by", "reason"),
    "choice": ("code", "state", "for", "count"),
    "notice": ("code", "tone"),
    "error": ("code",),
    "file": ("mime", "size_bytes"),
    "verdict": ("verdict", "by"),
    "ended": ("status", "elapsed_ms"),
}
"""What is told as it stands; all else may be words of people."""
_MODEL_STEP = re.compile(r"(?:^|/)(?:model/\d+|summary)$")
"""Steps of older versions that failed have no event."""
READ_STEPS = re.compile(r"(?:^|/)(?:context|model/\d+|summary)$")
"""Whose results a story reads."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One thing that happened. `at_ms` is when it was stored; `words` are shortened, secrets taken out."""

    kind: BeatKind
    at_ms: int
    path: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    words: str = ""


def safe_words(*written: object) -> str:
    """Give what was written as one short text without what looks like a secret."""
    told = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False, default=str) for each in written]
    return cut(redact(" | ".join(filter(None, told))[:_READ_CHARS]), WORDS_CHARS)


def beats_of_events(events: Sequence[RunEvent]) -> Iterator[Beat]:
    """Tell what the events say, in their order."""
    texts = {each.segment: str(each.content) for each in events if each.type in ("text", "thinking")}
    planned: set[str] = set()
    for event in events:
        content = event.content if isinstance(event.content, dict) else {}
        if event.type == "usage":
            yield _model(event.at_ms, event.segment, content, texts.get(event.segment, ""))
        elif event.type in TOOL_TYPES and event.status in ("success", "fail"):
            yield _tool(event, content)
        elif event.type == "todos" and event.segment not in planned:
            planned.add(event.segment)
            yield _plan(event, content)
        elif event.type == "done":
            yield _plain("ended", event, content)
        elif event.type == "notice" and content.get("code") == "routed":
            yield _route(event, cast("dict[str, Any]", content.get("params") or {}))
        elif event.type in ("approval", "choice", "notice", "file", "error", "verdict"):
            yield _plain(cast(BeatKind, event.type), event, content)


def beats_of_steps(results: Sequence[tuple[str, int, str]], told: set[str]) -> Iterator[Beat]:
    """Tell what only steps say: (path, at_ms, result) of those that `READ_STEPS` names, less what events `told`."""
    for path, at_ms, raw in results:
        value = _object(raw)
        if path.rpartition("/")[2] == "context":
            facts = {name: value.get(name) for name in _FACTS["context"]}
            yield Beat("context", at_ms, path, facts)
        elif _MODEL_STEP.search(path) and path not in told:
            message = cast("dict[str, Any]", value.get("message") or {})
            calls = [each.get("name") for each in message.get("calls") or ()]
            yield _model(at_ms, path, {**value, "calls": calls, "counted": False}, str(message.get("text") or ""))


def _model(at_ms: int, path: str, told: Mapping[str, Any], answer: str) -> Beat:
    asked = cast("dict[str, Any]", told.get("asked") or {})
    is_counted = _is_counted(told)
    facts = {name: told.get(name) for name in ("model", "agent", "took_ms", "first_ms", "ended", "error")} | {
        "input_tokens": told.get("input_tokens") if is_counted else None,
        "output_tokens": told.get("output_tokens") if is_counted else None,
        "cost": told.get("cost"),
        "calls": list(told.get("calls") or ()),
        "retried": list(told.get("failed") or ()),
        "asked_messages": asked.get("messages"),
        "asked_tokens_about": asked.get("tokens"),
    }
    return Beat("model", at_ms, path, facts, safe_words(asked.get("last") or "", answer))


def _is_counted(told: Mapping[str, Any]) -> bool:
    """Tell whether the provider told tokens; older versions wrote no event otherwise."""
    known = told.get("counted")
    return bool((told.get("input_tokens") or 0) + (told.get("output_tokens") or 0)) if known is None else bool(known)


def _route(event: RunEvent, told: Mapping[str, Any]) -> Beat:
    facts = {name: told.get(name) for name in _FACTS["route"]}
    return Beat("route", event.at_ms, event.segment, facts, safe_words(told.get("reason") or ""))


def _tool(event: RunEvent, told: Mapping[str, Any]) -> Beat:
    facts = {"name": told.get("name") or event.type, "status": event.status}
    facts |= {name: told.get(name) for name in ("took_ms", "error", "add_lines", "remove_lines")}
    return Beat(
        "tool", event.at_ms, event.segment, facts, safe_words(told.get("args") or {}, told.get("summary") or "")
    )


def _plan(event: RunEvent, told: Mapping[str, Any]) -> Beat:
    items = cast("list[dict[str, Any]]", told.get("items") or [])
    titles = [str(each.get("title") or "") for each in items]
    return Beat("plan", event.at_ms, event.segment, {"count": len(items)}, safe_words(*titles))


def _plain(kind: BeatKind, event: RunEvent, told: Mapping[str, Any]) -> Beat:
    words = [told.get(name) for name in ("args", "params", "texts") if told.get(name)]
    names = [told[name] for name in ("name", "caption") if told.get(name)]
    facts = {name: told.get(name) for name in _FACTS[kind]}
    return Beat(kind, event.at_ms, event.segment, facts, safe_words(*names, *words))


def _object(raw: str) -> dict[str, Any]:
    value: Any = json.loads(raw)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
