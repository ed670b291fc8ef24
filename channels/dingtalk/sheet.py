"""What is known of one card on the platform: what it was seen to take."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Literal

from channels.dingtalk.cards import Page
from channels.dingtalk.template import Params
from channels.readable import Json

_REFUSALS_TAKEN = 2
_FLOW: dict[bool, str] = {False: "3", True: "5"}
"""`flowStatus` of an AI card: finished, failed. Source: open.dingtalk.com "AI card", read 2026-11-30."""


@dataclass(slots=True)
class Sheet:
    """One card. `content` and `params` are what it took last; `None`: nobody knows."""

    track: str
    content: str | None = None
    params: Params | None = None
    is_new: bool = False
    """This process put it up, and it took no frame yet."""
    is_over: bool = False
    """It left the states in which text is streamed, and never comes back."""
    is_repaired: bool = False
    """After that its whole text was written once more: a client that was away may have missed frames."""
    users: tuple[str, ...] = ()
    """People who saw buttons of their own when another process wrote it."""
    can_stream: bool = True
    can_fail: bool = True
    """The template has a state for failure, or nobody knows yet."""
    is_gone: bool = False
    unrest: Literal["", "status", "active"] = "active"
    refused_rest: int = 0
    _refused: int = 0
    _guid: str = ""
    _guid_of: tuple[str, bool] = ("", False)

    def streams(self) -> bool:
        """Tell whether text goes the way that types it."""
        return self.can_stream and not self.is_over

    def lacks(self, page: Page, *, small_print: str) -> Params:
        """Give the variables that differ. The small print of a card at work may wait: its variable's name, or empty."""
        wanted = page.params
        if small_print and not page.is_over and self.params is not None:
            kept = {small_print: self.params.public.get(small_print, "")}
            wanted = replace(wanted, public={**wanted.public, **kept})
        return self._afresh(wanted) if self.params is None else wanted.since(self.params)

    def _afresh(self, wanted: Params) -> Params:
        """Give everything, and take away what people may still see for themselves."""
        hidden = {key: value for key, value in wanted.public.items() if value == "false"}
        return replace(wanted, private={**dict.fromkeys(self.users, hidden), **wanted.private})

    def shows(self, page: Page) -> bool:
        """Tell whether the reader has all of the page."""
        if self.is_gone or self.content != page.content or self.params is None:
            return False
        return page.params.since(self.params).is_empty and (not page.is_over or (self.is_over and self.is_repaired))

    def guid(self, content: str, *, is_last: bool) -> str:
        """Give the frame's id: the same when the same frame is sent again."""
        if (content, is_last) != self._guid_of or not self._guid:
            self._guid, self._guid_of = uuid.uuid4().hex, (content, is_last)
        return self._guid

    def flow(self, page: Page) -> dict[str, str]:
        """Give the variable that ends a card for which streaming does not."""
        return {"flowStatus": _FLOW[page.has_failed and self.can_fail]} if page.is_over else {}

    def streamed(self, page: Page) -> None:
        """Note that a frame was taken."""
        self.content, self._guid, self._refused, self.is_new = page.content, "", 0, False
        self.is_over = self.is_over or page.is_over

    def updated(self, page: Page, written: Params, *, with_text: bool) -> None:
        """Note that variables were taken, and the text with them."""
        self.params = written.over(self.params or Params())
        if with_text:
            self.content = page.content
            self.is_over = self.is_over or page.is_over
            self.is_repaired = self.is_over

    def stream_refused(self, *, for_good: bool, was_error: bool) -> None:
        """Note that a frame was refused: first without the state for failure, then without streaming."""
        self._refused += 1
        if was_error and self.can_fail:
            self.can_fail = False
        elif for_good or self._refused >= _REFUSALS_TAKEN:
            self.can_stream = False

    def state(self) -> Json:
        """Give what another process needs to go on."""
        users = list(self.params.private) if self.params is not None else list(self.users)
        return {"id": self.track, "over": self.is_over, "users": users}


def sheet_of(state: Json) -> Sheet:
    """Take up a card whose look nobody remembers."""
    return Sheet(str(state["id"]), is_over=bool(state.get("over")), users=tuple(state.get("users") or ()))
