"""Handing over at SIGTERM: no new claims, no new steps, quiet cards, and the next owner may begin at once."""

from __future__ import annotations

import asyncio
import logging

from sqlmodel import Session

from engine.errors import StorageError
from engine.runs.deliveries import Deliveries
from engine.runs.hints import WORK, call_out
from engine.runs.membership import Membership
from engine.runs.patience import persist
from engine.runs.ports import Excused, TurnQueue
from engine.runs.replica import Replica
from engine.runs.showing import SLACK_S, SUSPEND_S
from engine.storage.statement import execute

log = logging.getLogger(__name__)


class Drain:
    """Ends this replica's part; done once."""

    def __init__(self, replica: Replica, queue: TurnQueue, membership: Membership, deliveries: Deliveries) -> None:
        self._replica = replica
        self._queue = queue
        self._membership = membership
        self._deliveries = deliveries

    async def run(self, grace_s: float) -> None:
        """Let steps in flight end within `grace_s`, cut the rest, and give all unfinished runs back."""
        replica = self._replica
        log.info("drain_begins", extra={"runs": len(replica.active), "grace_s": grace_s})
        replica.draining.set()
        await self._queue.close()
        for hand in tuple(replica.active.values()):
            if hand.rests:
                hand.cut()
        await self._let_end(grace_s)
        for hand in tuple(replica.active.values()):
            hand.cut()
        await self._queue.idle(SUSPEND_S + SLACK_S)
        await self._hand_over()

    async def _let_end(self, grace_s: float) -> None:
        """Give what is in flight its time, until somebody is in a hurry."""
        ends = asyncio.gather(self._queue.idle(grace_s), self._deliveries.stop(grace_s))
        hurried = asyncio.ensure_future(self._replica.hurried.wait())
        await asyncio.wait([ends, hurried], return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        if not ends.done():
            ends.cancel()
            await asyncio.gather(ends, return_exceptions=True)  # its cancellation is ours: nobody else asks for it
            await self._deliveries.stop(0)
        elif error := ends.exception():
            raise error

    async def _hand_over(self) -> None:
        replica = self._replica
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._membership.stop)

        def write(session: Session) -> None:
            excuse = f"UPDATE nm_run SET excused = {Excused.YES} WHERE owner = :me AND status = 'running'"
            execute(session, excuse, me=replica.id)
            self._deliveries.hand_over(session)
            execute(session, "DELETE FROM nm_replica WHERE id = :me", me=replica.id)

        try:
            async with asyncio.timeout(SLACK_S):
                await persist(lambda: replica.database.run(write), replica.lease)
        except TimeoutError:
            # The next process finds the rows by itself, only later.
            log.error("drain_without_hand_over", extra={"replica": replica.id})
            return
        given = await loop.run_in_executor(None, self._queue.give_back, replica.id)
        await self._tell_peers()
        log.info("drain_ends", extra={"handed_over": given})

    async def _tell_peers(self) -> None:
        """Spare the others the wait for their next look; they find it without being told."""
        database = self._replica.database
        try:
            await database.run(lambda session: call_out(session, database.dialect, WORK))
        except StorageError as error:
            log.info("peers_not_told", extra={"code": error.code})
