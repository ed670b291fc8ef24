"""Lets the agent work for a run, and ends it when a person stops it or its time is up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any

from engine.errors import StorageError
from engine.ports import Clock, Outcome, Work
from engine.runs.scope import Scope

log = logging.getLogger(__name__)

STOP_GRACE_S = 5.0
"""How long the work may take to end itself after a stop before it is cancelled, and how long it may take to end when it
is cancelled. At its time limit it is cancelled at once."""


class Worker:
    """Runs the injected work. Whatever it does, an outcome comes out, unless the run is lost or drained."""

    def __init__(self, work: Work, clock: Clock, time_limit_s: float) -> None:
        self._work = work
        self._clock = clock
        self._time_limit_s = time_limit_s

    async def run(self, scope: Scope) -> Outcome:
        """Work for the run and give how it ended.

        Raises:
            asyncio.CancelledError: the run is lost or drained; nothing is decided then.
        """
        if scope.stopping:
            return Outcome(status="stopped")
        work = asyncio.ensure_future(self._guarded(scope))
        try:
            if not await self._first(work, scope.stopped(), self._limit(scope)):
                late = Outcome(status="stopped") if scope.stopping else Outcome(status="failed", error="time_limit")
                if not scope.stopping or not await self._first(work, self._clock.sleep(STOP_GRACE_S)):
                    await self._break_off(scope, work)
                    return late
            return await work
        finally:
            await _cancelled(work)

    async def _guarded(self, scope: Scope) -> Outcome:
        try:
            return await self._work(scope)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if scope.given_up or (task is not None and task.cancelling()):
                raise
            log.exception("run_cancelled_itself", extra={"run": scope.id})
        except StorageError:
            # An outage never ends a run: the turn gives it back to the queue.
            raise
        except Exception:
            log.exception("run_failed_unexpectedly", extra={"run": scope.id})
        return Outcome(status="failed", error="internal")

    async def _first(self, work: asyncio.Future[Outcome], *others: Awaitable[Any]) -> bool:
        """Wait for the work or any of the others; gives whether the work is done."""
        tasks = [asyncio.ensure_future(other) for other in others]
        try:
            await asyncio.wait([work, *tasks], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        return work.done()

    async def _limit(self, scope: Scope) -> None:
        """Sleep until the run has worked for its time; time spent waiting for a person does not count."""
        start_s = self._clock.steady_s()
        while (left_s := self._time_limit_s - (self._clock.steady_s() - start_s - scope.excuse.idle_s())) > 0:
            await self._clock.sleep(left_s)
            if scope.excuse.is_idle:
                await self._clock.sleep(1.0)

    async def _break_off(self, scope: Scope, work: asyncio.Future[Outcome]) -> None:
        log.warning("run_broken_off", extra={"run": scope.id})
        work.cancel()
        await self._first(work, self._clock.sleep(STOP_GRACE_S))


async def _cancelled(work: asyncio.Future[Outcome]) -> None:
    if work.done():
        if not work.cancelled():
            work.exception()
        return
    work.cancel()
    await asyncio.wait([work], timeout=STOP_GRACE_S)
