"""The durable queue of turns, on DBOS: transactional enqueue, one run per conversation, order, atomic claim.

The workflow has no steps of its own; what happened in a run stands in our journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dbos import DBOS, DBOSClient, DBOSConfig, Queue
from sqlalchemy import exc
from sqlmodel import Session

from engine.errors import StorageError
from engine.messages import Address, RunId
from engine.runs.dbos.queue import Claimant, Kick, Won, in_thread, quieten
from engine.runs.dbos.recovery import give_back, give_back_by_statement, give_back_runs, held
from engine.runs.dbos.serializer import JsonSerializer
from engine.runs.ports import Appetite, Body, Prepare
from engine.storage.database import Database

log = logging.getLogger(__name__)

APPLICATION = "niuma"
VERSION = "turn-1"
"""Fixed: the library's own version changes with the code and strands what is in flight."""
QUEUE = "turns"
WORKFLOW = "turn"
LISTEN_S = 0.1
"""A stop waits for one sleep of the library's listener, which asks the database nothing: we send no notifications."""
POLL_S = 5.0
"""The library's own poll is a net: it asks neither whether this replica is slow nor how much of its work only waits."""
LOOK_S = 1.0
"""How often we look for work that other replicas put in line or left, where nobody called it out."""
NO_LIMIT = 1_000_000
"""Keeps the library's own poison limit out of the way of ours."""

_current: DbosQueue | None = None


@DBOS.workflow(name=WORKFLOW, max_recovery_attempts=NO_LIMIT)
async def _turn(run: str) -> None:
    if _current is None:
        raise asyncio.CancelledError
    await _current.work(RunId(run))


class _QuietCancel(logging.Filter):
    """Drops the library's traceback for a turn that was cut on purpose."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "was cancelled" not in record.getMessage()


def _tame_log() -> None:
    """Let the library's lines go through our log; it brings a handler of its own only where there is none."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
        logger.addFilter(_QuietCancel())


class DbosQueue:
    """Satisfies `engine.runs.ports.TurnQueue`. One per process: the library is a singleton.

    `replica` is an id of this boot, never one that lives on after a restart.
    """

    def __init__(self, database: Database, replica: str, concurrency: int) -> None:
        self._database = database
        self._engine = database.engine
        self._replica = replica
        self._concurrency = concurrency
        self._body: Body | None = None
        self._appetite: Appetite = lambda _in_work: concurrency
        self._tasks: dict[asyncio.Task[Any], RunId] = {}
        self._won: dict[RunId, Won] = {}
        self._finished: set[RunId] = set()
        self._client: DBOSClient | None = None
        self._kick: Kick | None = None

    async def start(self, body: Body, prepare: Prepare, appetite: Appetite) -> None:
        """Start the library inside the running loop, and take up work."""
        global _current
        self._body, self._appetite, _current = body, appetite, self
        serializer = JsonSerializer()
        _tame_log()
        dbos = DBOS(config=self._config(serializer))
        DBOS.launch()
        quieten(dbos)
        self._client = DBOSClient(
            system_database_engine=self._engine, serializer=serializer, application_name=APPLICATION, lazy=True
        )
        queue = await in_thread(self._register)
        me = Claimant(self._replica, APPLICATION, VERSION, self._concurrency)
        self._kick = Kick(dbos, queue, self._database, me, self._begin)
        self._kick.appetite = appetite
        if self._database.dialect.is_sqlite:
            self._kick.prepare = prepare
        else:
            self._kick.watch(LOOK_S)

    def enqueue(self, session: Session, run: RunId, conversation: Address, seq: int) -> None:
        """Put a run in line, within the caller's transaction; `seq` decides the order, not the time."""
        assert self._client is not None
        self._client.enqueue_in_transaction(
            session.connection(),
            {
                "workflow_name": WORKFLOW,
                "queue_name": QUEUE,
                "workflow_id": run,
                "app_version": VERSION,
                "queue_partition_key": conversation,
                "priority": seq,
            },
            run,
        )

    def kick(self) -> None:
        """Look for work now."""
        if self._kick is not None:
            self._kick.now()

    def finish(self, session: Session, run: RunId) -> None:
        """Delete the library's row of a run that our own claim won; the library sees to its own ones itself."""
        won = self._won.get(run)
        if won is not None and self._kick is not None:
            self._kick.finish(session, won)
            self._finished.add(run)

    async def work(self, run: RunId) -> None:
        """Do one turn as the library's task."""
        task = asyncio.current_task()
        assert task is not None and self._body is not None
        self._tasks[task] = run
        # Comes when the library has stored the outcome: the conversation's next run can be claimed then.
        task.add_done_callback(self._done)
        if self._appetite(0) <= 0:
            # The library's poll does not ask; here the run would wait for the sweep.
            await in_thread(lambda: give_back_by_statement(self._engine, self._replica, run))
            raise asyncio.CancelledError
        await self._body(run, None)

    def _begin(self, won: Won) -> None:
        """Do a turn that our own claim won as a task of ours."""
        assert self._kick is not None
        leave = self._kick.enter(won.run, won.conversation)
        task = asyncio.create_task(self._turn(won), name=f"turn-{won.run}")
        self._tasks[task] = won.run
        task.add_done_callback(lambda _task: leave())
        task.add_done_callback(self._done)

    async def _turn(self, won: Won) -> None:
        assert self._body is not None
        self._won[won.run] = won
        try:
            await self._body(won.run, won.taken)
            if won.run not in self._finished:
                # It had ended before: only the queue did not know.
                await self._database.run(lambda session: self.finish(session, won.run))
        except StorageError:
            # The sweep finds it.
            log.warning("turn_unfinished", extra={"run": won.run}, exc_info=True)
        finally:
            if self._won.get(won.run) is won:
                del self._won[won.run]
                self._finished.discard(won.run)

    def in_hand(self) -> set[RunId]:
        """Give the runs in work in this process."""
        return set(self._tasks.copy().values())

    def claiming(self) -> int:
        """Give the number of the claim that is on its way, 0 for none."""
        return 0 if self._kick is None else self._kick.claiming

    def held(self) -> dict[str, set[RunId]]:
        """Give the runs that are in work, by replica."""
        return {replica: {RunId(run) for run in runs} for replica, runs in held(self._engine, QUEUE).items()}

    def give_back(self, replica: str) -> int:
        """Put what a replica had in work back in line."""
        return give_back(self._engine, replica)

    def give_back_runs(self, replica: str, runs: Sequence[RunId]) -> None:
        """Put some of a replica's runs back in line."""
        give_back_runs(self._engine, replica, runs)

    def forget(self, before_ms: int) -> int:
        """Delete the library's rows of turns that ended before this time, at most 2,000 at once."""
        before = datetime.fromtimestamp(before_ms / 1000, UTC).isoformat()
        old = DBOS.list_workflows(
            status=["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
            queue_name=QUEUE,
            completed_before=before,
            limit=2000,
            load_input=False,
            load_output=False,
        )
        if old:
            DBOS.delete_workflows([status.workflow_id for status in old])
        return len(old)

    async def close(self) -> None:
        """Take up nothing more."""
        if self._kick is not None:
            await self._kick.stop()

    async def idle(self, timeout_s: float) -> bool:
        """Wait until no turn is in work here."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=timeout_s)
        return not self._tasks

    async def stop(self) -> None:
        """Stop the library; its threads need up to a second."""
        global _current
        await self.close()
        _current = None
        await in_thread(lambda: DBOS.destroy(workflow_completion_timeout_sec=0))
        # What the library's poll may have claimed after it was told to stop.
        await in_thread(self._give_back_late_claims)

    def _give_back_late_claims(self) -> None:
        try:
            give_back_by_statement(self._engine, self._replica)
        except exc.SQLAlchemyError:
            log.warning("late_claims_kept", exc_info=True)

    def _done(self, task: asyncio.Task[Any]) -> None:
        run = self._tasks.pop(task, None)
        if not task.cancelled() and task.exception() is not None:
            log.error("turn_failed", extra={"run": run}, exc_info=task.exception())
        self.kick()

    def _register(self) -> Queue:
        return DBOS.register_queue(
            QUEUE,
            partition_concurrency=1,
            worker_concurrency=self._concurrency,
            polling_interval_sec=POLL_S,
            on_conflict="always_update",
        )

    def _config(self, serializer: JsonSerializer) -> DBOSConfig:
        return DBOSConfig(
            name=APPLICATION,
            system_database_url=self._engine.url.render_as_string(hide_password=False),
            system_database_engine=self._engine,
            executor_id=self._replica,
            application_version=VERSION,
            serializer=serializer,
            max_executor_threads=24,
            sys_db_pool_size=10,
            notification_listener_polling_interval_sec=LISTEN_S,
            scheduler_polling_interval_sec=3600.0,
            log_level="WARNING",
        )
