"""Doing something while a person may press Stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from engine.ports import RunScope

T = TypeVar("T")


async def unless_stopped(scope: RunScope, work: Coroutine[Any, Any, T]) -> T | None:
    """Give what `work` gives, or `None` when a person stopped the run first; then `work` was cancelled and has ended.

    Raises:
        Exception: what `work` raised.
    """
    task, stop = asyncio.ensure_future(work), asyncio.ensure_future(scope.stopped())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        task.cancel()
        stop.cancel()
        await asyncio.gather(task, stop, return_exceptions=True)
