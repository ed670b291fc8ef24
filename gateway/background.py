"""What goes on beside the work: nobody waits for it, and what it raises fails nothing but is told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)

COURTESIES = 1_000
"""So many go on at once. A platform that takes no more of them is too slow for one more."""


class Background:
    """Keeps small tasks alive until they end, at most `most`; `None`: what is owed is bounded where it begins."""

    def __init__(self, most: int | None = COURTESIES) -> None:
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()
        self._dropped = 0

    def __len__(self) -> int:
        return len(self._tasks)

    def soon(self, work: Coroutine[Any, Any, None]) -> bool:
        """Begin one now, without waiting for it. What it raises is logged as `background_failed`.

        False when too many go on: it is not done, which is logged with the first and each thousandth.
        """
        if self._most is not None and len(self._tasks) >= self._most:
            work.close()
            if self._dropped % COURTESIES == 0:
                logger.warning("background_full", extra={"most": self._most, "dropped": self._dropped + 1})
            self._dropped += 1
            return False
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return True

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.error("background_failed", exc_info=error)
