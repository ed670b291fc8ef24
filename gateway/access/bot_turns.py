"""An end for bots that answer each other: after a few turns a person must speak."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final

from channels.clock import Clock

WINDOW_S: Final = 3600.0
"""A bot that reports once a day needs no person in between; one that answers us is far quicker."""
_REMEMBERED: Final = 10_000


class BotTurns:
    """Counts what bots were answered in each chat. Kept in this process, for an hour.

    All threads of a chat count together: a bot may begin one with every message.
    """

    def __init__(self, limit: int, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._turns: OrderedDict[str, deque[float]] = OrderedDict()

    def person_spoke(self, conversation: str) -> None:
        """Take note that a person wrote: bots may take turns again."""
        self._turns.pop(conversation, None)

    def take(self, conversation: str) -> bool:
        """Count a turn of a bot; false when there were enough."""
        now_s = self._clock.steady_s()
        turns = self._turns.setdefault(conversation, deque())
        self._turns.move_to_end(conversation)
        while len(self._turns) > _REMEMBERED:
            self._turns.popitem(last=False)
        while turns and turns[0] <= now_s - WINDOW_S:
            turns.popleft()
        if len(turns) >= self._limit:
            return False
        turns.append(now_s)
        return True
