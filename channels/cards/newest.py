"""The newest snapshot of a card: given, or drawn only when it is about to be written."""

from __future__ import annotations

from collections.abc import Callable

from channels.cards.model import Card


class Newest:
    """Keeps one snapshot, or the way to draw it. The latest wins."""

    def __init__(self) -> None:
        self.card: Card | None = None
        """The last snapshot that was given or drawn; an equal one does not replace it."""
        self.is_pressing = False
        """The host said that a person must see what is drawn next at once. Reset it when it is written."""
        self._draw: Callable[[], Card] | None = None

    @property
    def is_undrawn(self) -> bool:
        """Tell whether there is something newer than `card`."""
        return self._draw is not None

    def give(self, card: Card) -> bool:
        """Take a snapshot; false when it shows nothing new."""
        if self._draw is None and card == self.card:
            return False
        self._draw = None
        if card != self.card:
            self.card = card
        return True

    def promise(self, draw: Callable[[], Card], *, urgent: bool) -> None:
        """Take the way to draw a snapshot."""
        self._draw = draw
        self.is_pressing = self.is_pressing or urgent

    def draw(self) -> Card | None:
        """Give the newest snapshot, drawing it if it must be.

        Raises:
            Exception: whatever the host's drawing raised.
        """
        if self._draw is not None:
            draw, self._draw = self._draw, None
            card = draw()
            if card != self.card:
                self.card = card
        return self.card
