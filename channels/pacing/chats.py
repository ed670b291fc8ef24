"""Requests to single chats, at the pace a chat takes."""

from __future__ import annotations

from collections import deque

from channels.capabilities import Capabilities
from channels.clock import Clock
from channels.kept import Kept

_MARGIN_S = 0.2
"""For the ways of the requests: one that left later may arrive sooner."""
_CHATS_KEPT = 2000


class Chats:
    """Gives each request to a chat its turn, in the order they ask. What limited methods send there counts together."""

    def __init__(self, capabilities: Capabilities, clock: Clock) -> None:
        self._methods = capabilities.methods
        self._clock = clock
        self._given: Kept[str, deque[float]] = Kept(_CHATS_KEPT)

    async def turn(self, method: str, chat: str) -> None:
        """Wait until one more request of `method` may leave for `chat`; at once where that is not limited."""
        limit = self._methods.get(method)
        if limit is None or limit.per_chat_s is None:
            return
        most = max(1, int(limit.per_chat_s))
        now_s, given = self._clock.steady_s(), self._of(chat)
        free_s = given[-most] + most / limit.per_chat_s + _MARGIN_S if len(given) >= most else now_s
        while len(given) >= most:
            given.popleft()
        given.append(max(now_s, free_s))
        if free_s > now_s:
            await self._clock.sleep(free_s - now_s)

    def _of(self, chat: str) -> deque[float]:
        """Give the times of the chat's last turns."""
        given = self._given.setdefault(chat, deque())
        self._given[chat] = given
        return given
