"""What this window holds: what the person said, and the cards that answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from channels.cards.model import Action, Card
from channels.terminal.cards import CardLines, pressable


@dataclass(slots=True)
class Said:
    """A message of the person that is not printed yet: an answer above it still grows."""

    id: str
    text: str
    is_queued: bool = False


@dataclass(slots=True)
class Entry:
    """One card. `seen` is the snapshot the terminal has taken; `is_final`: it is printed for good."""

    id: str
    reply_to: str | None
    card: Card
    began_s: float = 0.0
    """When it was put up, on the steady clock."""
    offered: tuple[Action, ...] = ()
    offered_s: float = 0.0
    """The buttons the person sees, and since when, on the steady clock."""
    is_final: bool = False
    seen: Card | None = None
    seen_final: bool = False
    lines: CardLines = field(default_factory=CardLines)


class Board:
    """All cards of this window in order, and the messages that wait above the input line."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.waiting: list[Said] = []

    def entry(self, made: Entry) -> Entry:
        """Give the card of this id; a new one is put at the end."""
        return self.entries.setdefault(made.id, made)

    def live(self) -> list[Entry]:
        """Give the cards that may still change in place."""
        return [entry for entry in self.entries.values() if not entry.is_final]

    def newest(self) -> Entry | None:
        """Give the card whose buttons the keys press: the newest that has some."""
        return next((entry for entry in reversed(self.entries.values()) if pressable(entry.card)), None)

    def running(self) -> list[tuple[Entry, Action]]:
        """Give the cards that can be stopped, each with its button."""
        return [(entry, each) for entry in self.live() for each in pressable(entry.card) if each.name == "stop"]

    def take(self, message_id: str | None) -> Said | None:
        """Give this message and let it go; `None` when it does not wait."""
        said = next((each for each in self.waiting if each.id == message_id), None)
        if said is not None:
            self.waiting.remove(said)
        return said
