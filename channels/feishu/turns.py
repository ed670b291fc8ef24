"""Sends to one conversation, at the pace a conversation takes."""

from __future__ import annotations

from collections import OrderedDict, deque

from channels.clock import Clock

_PER_WINDOW = 5
_WINDOW_S = 1.2
"""Source: open.feishu.cn "发送消息", read 2026-02: 5/s to one user and one group, shared by all bots in it."""
_CHATS_KEPT = 2000


class Turns:
    """Gives each send to a chat its turn, in the order they ask."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._given: OrderedDict[str, deque[float]] = OrderedDict()

    async def wait(self, chat: str) -> None:
        """Wait until one more message may be sent to `chat`."""
        now_s = self._clock.steady_s()
        given = self._given.setdefault(chat, deque(maxlen=_PER_WINDOW))
        self._given.move_to_end(chat)
        while len(self._given) > _CHATS_KEPT:
            self._given.popitem(last=False)
        at_s = max(now_s, given[0] + _WINDOW_S) if len(given) == _PER_WINDOW else now_s
        given.append(at_s)
        if at_s > now_s:
            await self._clock.sleep(at_s - now_s)
