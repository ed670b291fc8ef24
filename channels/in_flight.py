"""Frames that are being answered: each in a task of its own, a bounded number of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from typing import Any, Final

_log = logging.getLogger(__name__)

MOST: Final = 2_000
"""Twice what the host takes in hand: what is beyond that waits for a platform that does not read our acks."""


class InFlight:
    """Begins them, unless there are too many: a frame that is dropped is not acked, so the platform sends it again."""

    def __init__(self, channel: str, most: int = MOST) -> None:
        self._channel = channel
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_full = False

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __iter__(self) -> Iterator[asyncio.Task[None]]:
        return iter(tuple(self._tasks))

    def begin(self, work: Coroutine[Any, Any, None]) -> bool:
        """Answer one; false when too many are being answered. Of a flood the first one that is dropped is logged."""
        if len(self._tasks) >= self._most:
            if not self._is_full:
                _log.warning("frames_dropped", extra={"channel": self._channel, "most": self._most})
            self._is_full = True
            work.close()
            return False
        # At the edge each answer lets one in and the next one is dropped: that is the same flood.
        self._is_full = self._is_full and len(self._tasks) >= self._most // 2
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def end(self, grace_s: float) -> None:
        """Let them end for a moment, then cancel what is left."""
        if self._tasks and grace_s:
            await asyncio.wait(set(self._tasks), timeout=grace_s)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
