"""How many streams may still begin this minute, and whom a stream is for."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from channels.clock import Clock
from channels.kept import Kept
from channels.slack.limits import STARTS_PER_MINUTE

_WINDOW_S = 60.5
_KEPT = 5_000


@dataclass(frozen=True, slots=True)
class Recipient:
    """The person of a direct chat."""

    user: str
    team: str


class StreamRoom:
    """Counts the streams that one account begins; remembers who is at the other end of direct chats."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._starts: deque[float] = deque()
        self._recipients: Kept[str, Recipient] = Kept(_KEPT)

    def take(self) -> bool:
        """Take room for one more stream; false when there is none, and the card is to be edited."""
        now_s = self._clock.steady_s()
        while self._starts and now_s - self._starts[0] > _WINDOW_S:
            self._starts.popleft()
        if len(self._starts) >= STARTS_PER_MINUTE:
            return False
        self._starts.append(now_s)
        return True

    def met(self, channel: str, user: str, team: str) -> None:
        """Note who wrote in a direct chat."""
        self._recipients[channel] = Recipient(user, team)

    def recipient(self, channel: str) -> Recipient | None:
        """Give the person of a direct chat, where they wrote to this process."""
        return self._recipients.get(channel)
