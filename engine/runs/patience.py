"""Waiting out a database that is away: only the fence ends a run, an outage never does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from engine.errors import StorageError
from engine.runs.lease import Lease

log = logging.getLogger(__name__)
T = TypeVar("T")

FIRST_WAIT_S = 0.05
LONGEST_WAIT_S = 2.0


async def persist(attempt: Callable[[], Awaitable[T]], lease: Lease) -> T:
    """Repeat `attempt` until the database takes it.

    Raises:
        asyncio.CancelledError: this replica was declared dead meanwhile.
    """
    wait_s = FIRST_WAIT_S
    while True:
        try:
            return await attempt()
        except StorageError as error:
            if lease.lost:
                raise asyncio.CancelledError from error
            log.warning("database_wait", extra={"code": error.code, "wait_s": wait_s})
        await asyncio.sleep(wait_s)
        wait_s = min(wait_s * 2, LONGEST_WAIT_S)
