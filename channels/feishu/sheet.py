"""What we know of one card on the platform: its ids, its sequence, and what was confirmed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from channels.feishu.cards import Page
from channels.feishu.diff import Changes, TextChange, compare, exchange, with_text
from channels.readable import Json

ATTEMPT_STEP = 100_000
"""Sequences start at attempt x this, so that a new owner's are above all the former one's."""


@dataclass(slots=True)
class Sheet:
    """Bookkeeping of one card. It moves on only when the platform said yes."""

    attempt: int
    card_id: str = ""
    """The entity; empty when the card is a plain message that is patched."""
    message_id: str = ""
    """Empty when it was sent by an earlier attempt and the platform does not tell which message it is."""
    is_sent: bool = False
    page: Page | None = None
    """What the platform accepted; `None`: not known, so the next write is the whole card."""
    streaming: bool | None = False
    """`None`: not known."""
    can_stream: bool = True
    refused_whole: Literal["", "preview", "final"] = ""
    """Which whole card the platform refused last: what its reader has is then completed by single changes."""
    is_gone: bool = False
    """Its message was taken away: nobody sees it."""
    unrest: Literal["", "status", "active"] = "active"
    """What would still look at work on it, were it left behind now (see `CardSink.unrest`)."""
    refused_rest: int = 0
    """Ways of leaving it at rest that the platform refused."""
    _used: int = 0
    _jump: int = 1_000
    _reopened: bool = field(default=False)

    def taken_up(self) -> None:
        """Somebody else wrote this card before, perhaps in this very attempt: nothing about it is known."""
        self.page, self.streaming = None, None
        self._used = ATTEMPT_STEP // 2

    def next_sequence(self) -> int:
        """Give a number above all given before; it is used up whatever comes of the request."""
        self._used += 1
        return self.attempt * ATTEMPT_STEP + self._used

    def jump(self) -> None:
        """Go well above a number the platform found too low, further each time."""
        self._used += self._jump
        self._jump *= 4

    def typed(self, text: TextChange) -> None:
        """A text was accepted."""
        self._reopened = False
        if self.page is not None:
            self.page = with_text(self.page, text.element_id, text.new)

    def batched(self, page: Page, typed: TextChange | None) -> None:
        """A batch was accepted: all of `page` but the text that is written by typing."""
        old = self.page
        self.page = page
        if typed is None or old is None:
            return
        if any(change.element_id == typed.element_id for change in compare(old, page).texts):
            # The typing before this batch was refused: that text still shows its old contents.
            self.page = with_text(page, typed.element_id, typed.old)

    def takes_whole(self, *, final: bool) -> bool:
        """Tell whether the whole card may be taken: a last word tries it once more after a refused preview."""
        return not self.refused_whole or (final and self.refused_whole == "preview")

    def target(self, page: Page, *, final: bool) -> Page:
        """Give what this card can be made to show of `page`: single changes leave its header as it is."""
        if self.page is None or self.takes_whole(final=final):
            return page
        return replace(page, header=self.page.header)

    def missing(self, page: Page, *, final: bool) -> Changes:
        """Give what separates this card from its `target`."""
        if self.page is None:
            return Changes(whole=True)
        changes = compare(self.page, page)
        return exchange(self.page, page) if changes.whole and not self.takes_whole(final=final) else changes

    def closed(self) -> None:
        """The platform says that streaming is off: open it once more, and if that does not hold, do without."""
        self.streaming = False
        self.can_stream = self.can_stream and not self._reopened
        self._reopened = True

    def state(self) -> Json:
        """Give what finds this card again."""
        return {"card_id": self.card_id, "message_id": self.message_id, "is_sent": self.is_sent}
