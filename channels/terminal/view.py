"""How a window shows things: live on a terminal that can redraw, or line by line."""

from __future__ import annotations

from typing import Literal, Protocol

from channels.cards.model import Card
from channels.terminal.board import Board, Entry, Said

Tone = Literal["info", "success", "error", "warning"]


class View(Protocol):
    """Shows what the board holds. What the terminal does not take is an `OSError`; a repeat is harmless."""

    board: Board

    def wants(self, card: Card, *, final: bool) -> bool:
        """Tell whether this view shows such a snapshot at all."""
        ...

    def show(self, entry: Entry, card: Card, *, final: bool) -> None:
        """Show a snapshot of a card; `final` prints it for good.

        Raises:
            OSError: not all of it was taken.
        """
        ...

    def hear(self, said: Said) -> None:
        """Show what the person said. Never raises."""
        ...

    def begin(self, message_id: str | None) -> None:
        """The answer to this message begins: print the message above it. Never raises."""
        ...

    def sign(self, message_id: str, *, queued: bool) -> None:
        """Show that a message waits for its turn. Never raises."""
        ...

    def tell(self, text: str) -> None:
        """Print a line for good. Raises like `show`."""
        ...

    def toast(self, text: str, tone: Tone = "info") -> None:
        """Show a short line until the next key. Never raises."""
        ...
