"""Cards that this process wrote: what a press on one of their buttons means."""

from __future__ import annotations

from dataclasses import dataclass, field

from channels.cards.model import Action
from channels.events import ConversationRef
from channels.kept import Kept

_KEPT = 2000


@dataclass(slots=True)
class ShownCard:
    """`told` are people who see a private word about their press."""

    conversation: ConversationRef
    run: str
    actions: tuple[Action, ...] = ()
    told: set[str] = field(default_factory=set[str])


class ShownCards:
    """The newest cards by outTrackId. After a restart a press says by itself what it means."""

    def __init__(self) -> None:
        self._cards: Kept[str, ShownCard] = Kept(_KEPT)

    def note(self, out_track_id: str, conversation: ConversationRef, run: str, actions: tuple[Action, ...]) -> None:
        """Remember what a card shows now."""
        known = self._cards[out_track_id] = self._cards.get(out_track_id) or ShownCard(conversation, run)
        known.actions = actions

    def get(self, out_track_id: str) -> ShownCard | None:
        """Give a card."""
        return self._cards.get(out_track_id)

    def told(self, out_track_id: str) -> set[str]:
        """Give the people who see a private word on this card."""
        known = self._cards.get(out_track_id)
        return known.told if known is not None else set()
