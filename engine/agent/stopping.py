"""Doing something while a person may press Stop, or time may run out."""

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
    return await unless_first(scope.stopped(), work)


async def unless_first(rival: Coroutine[Any, Any, object], work: Coroutine[Any, Any, T]) -> T | None:
    """Give what `work` gives, or `None` when `rival` ended first. The loser was cancelled and has ended.

    Raises:
        Exception: what `work` raised, or `rival` when that ended first.
    """
    task, other = asyncio.ensure_future(work), asyncio.ensure_future(rival)
    try:
        await asyncio.wait({task, other}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        other.result()
        return None
    finally:
        task.cancel()
        other.cancel()
        await asyncio.gather(task, other, return_exceptions=True)
