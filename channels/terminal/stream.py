"""The `CardSink` of a terminal: every snapshot is one write, and the last one prints the card for good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from channels.cards.model import Card
from channels.cards.ports import Write
from channels.events import Receipt
from channels.readable import Json
from channels.terminal.board import Entry
from channels.terminal.desk import Desk
from channels.terminal.view import View

METHOD = "draw"


class TerminalSink:
    """Writes one card into the window."""

    def __init__(self, entry: Entry, view: View, desk: Desk, receipt: Callable[[str], Receipt]) -> None:
        self._entry = entry
        self._view = view
        self._desk = desk
        self._receipt = receipt

    @property
    def mode(self) -> Literal["stream"]:
        """Give `"stream"`: a terminal can always be written to, or not at all."""
        return "stream"

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """Give the one write that shows `card`; none when the terminal has taken it."""
        entry = self._entry
        if entry.seen == card and entry.seen_final >= final:
            return []
        return [Write(METHOD, "content", (card, final))] if self._view.wants(card, final=final) else []

    async def send(self, write: Write) -> None:
        """See `CardSink.send`."""
        card, final = write.payload
        try:
            self._view.show(self._entry, card, final=final)
        except OSError as error:
            raise self._desk.refused(error) from error
        self._entry.seen, self._entry.seen_final = card, self._entry.seen_final or final
        self._desk.shown(self._entry)

    def quiet(self, card: Card) -> Sequence[Write]:
        """Give the write that prints a few words instead of what still changes; what is printed already rests."""
        return [] if self._entry.is_final else [Write(METHOD, "replace", (card, True))]

    @property
    def unrest(self) -> Literal["", "active"]:
        """Tell whether the card still changes."""
        return "" if self._entry.is_final else "active"

    def renewal(self) -> Sequence[Write]:
        """Give nothing: a terminal ends no stream."""
        return []

    def shows(self, card: Card) -> bool:
        """Tell whether the terminal took all of it."""
        return self._entry.seen == card and self._entry.seen_final

    def state(self) -> Json:
        """Give the card's id; another window shows the card anew."""
        return {"card": self._entry.id}

    def receipt(self) -> Receipt:
        """See `CardSink.receipt`."""
        return self._receipt(self._entry.id)
