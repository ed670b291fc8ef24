"""What is done for people beside the work: it never holds up an ack and never fails one."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Courtesies:
    """Keeps small tasks alive until they end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def soon(self, courtesy: Coroutine[Any, Any, None]) -> None:
        """Begin one now, without waiting for it."""
        task = asyncio.create_task(courtesy)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
