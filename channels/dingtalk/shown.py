"""Cards that this process wrote: what a press on one of their buttons means."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from channels.cards.model import Action
from channels.events import ConversationRef

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
        self._cards: OrderedDict[str, ShownCard] = OrderedDict()

    def note(self, out_track_id: str, conversation: ConversationRef, run: str, actions: tuple[Action, ...]) -> None:
        """Remember what a card shows now."""
        known = self._cards.setdefault(out_track_id, ShownCard(conversation, run))
        known.actions = actions
        self._cards.move_to_end(out_track_id)
        while len(self._cards) > _KEPT:
            self._cards.popitem(last=False)

    def get(self, out_track_id: str) -> ShownCard | None:
        """Give a card."""
        return self._cards.get(out_track_id)

    def told(self, out_track_id: str) -> set[str]:
        """Give the people who see a private word on this card."""
        known = self._cards.get(out_track_id)
        return known.told if known is not None else set()
