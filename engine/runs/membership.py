"""Who is alive: a heartbeat from a thread of its own on the database's clock, and the reaper of those who stopped.

It cannot cause a doubly recorded result, because the claim and the fence do not trust it: a false death costs one
repeated step.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from sqlmodel import Session

from engine.errors import StorageError
from engine.messages import RunId
from engine.runs.lease import SAFE_SHARE, Lease, uptime_s
from engine.runs.ports import TurnQueue
from engine.runs.sweep import Sweep
from engine.storage.database import Database
from engine.storage.statement import change, execute

log = logging.getLogger(__name__)

SOLO_WRITE_EVERY = 5
JOIN_S = 5.0
"""How long `stop` waits for a beat that hangs in a database that is away."""

SPOKEN_TO = """SELECT DISTINCT run FROM nm_control WHERE taken_by IS NULL
AND run IN (SELECT id FROM nm_run WHERE owner = :me AND status = 'running')"""


@dataclass(slots=True)
class Beats:
    """What the heartbeat tells the loop. Called in the heartbeat's thread."""

    lost: Callable[[], None]
    slow: Callable[[bool], None]
    ask: Callable[[Callable[[], None]], None]
    """Call a function in the loop, soon."""
    spoken_to: Callable[[RunId], None]
    """A person said something to this run, perhaps through another replica."""


class Membership:
    """This replica's row in `nm_replica`, kept alive until `leave`.

    `solo`: the folder's lock proves that there is no other process; nobody expires then and `ttl_s` is not used.
    """

    def __init__(self, database: Database, queue: TurnQueue, replica: str, lease: Lease, beats: Beats) -> None:
        self._database = database
        self._queue = queue
        self._replica = replica
        self._lease = lease
        self._beats = beats
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None
        self._sweep = Sweep(queue, replica, beats.ask)
        self._ttl_s = 0.0
        self._count = 0
        self._last_good_s = 0.0
        self._no_reaping_before_s = 0.0

    @property
    def solo(self) -> bool:
        """Tell whether the folder's lock stands for membership."""
        return self._database.dialect.is_sqlite

    def join(self) -> None:
        """Write the own row, before any run is claimed; on the embedded database nobody else is alive. Blocks."""
        at = uptime_s()
        now = self._database.dialect.now_ms

        def write(session: Session) -> None:
            if self.solo:
                execute(session, "DELETE FROM nm_replica")
            sql = f"INSERT INTO nm_replica (id, beat, started_at) VALUES (:id, {now}, {now})"
            execute(session, sql, id=self._replica)

        self._database.run_now(write)
        self._last_good_s = at

    def start(self, ttl_s: float) -> None:
        """Begin to beat, five times within the time to live."""
        self._ttl_s = ttl_s
        self._lease.renew(self._last_good_s + SAFE_SHARE * ttl_s)
        self._thread = threading.Thread(target=self._run, name="nm-beat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop beating; the row stays until `leave` or until it expires."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join(timeout=JOIN_S)

    def recover(self) -> bool:
        """Give back what replicas had in work that are not there any more; tells whether there were any. Blocks."""
        gone = self._queue.held().keys() - self._alive()
        for replica in gone:
            log.warning("replica_gone", extra={"replica": replica, "runs": self._queue.give_back(replica)})
        return bool(gone)

    def _run(self) -> None:
        # The start may have outlasted the lease that `join` began; the others would take all meanwhile.
        pause_s = self._ttl_s / 5 if self.solo else 0.0
        while not self._ends.wait(pause_s):
            pause_s = self._ttl_s / 5
            try:
                self._beat()
            except StorageError:
                # Said by the database's health; the lease runs out by itself.
                self._beats.slow(True)
            except Exception:
                log.exception("heartbeat_failed")

    def _beat(self) -> None:
        at = uptime_s()
        self._count += 1
        if not self._may_skip_write() and not self._write():
            self._die()
            return
        gap_s, self._last_good_s = at - self._last_good_s, at
        self._lease.renew(at + SAFE_SHARE * self._ttl_s)
        self._beats.slow(uptime_s() - at > self._ttl_s / 3)
        if gap_s > SAFE_SHARE * self._ttl_s:
            # We were away ourselves; the others may have been away with us.
            self._no_reaping_before_s = at + self._ttl_s
        if not self.solo and at >= self._no_reaping_before_s:
            self._reap()
        if not self.solo and self.recover():
            self._queue.kick()
        self._look_for_controls()
        if self._sweep.look(self._queue.held().get(self._replica, set())):
            self._queue.kick()

    def _may_skip_write(self) -> bool:
        """Spare the disk: alone, the beat only finds out whether the database can be written."""
        return self.solo and self._database.health().ok and self._count % SOLO_WRITE_EVERY != 0

    def _write(self) -> bool:
        sql = f"UPDATE nm_replica SET beat = {self._database.dialect.now_ms} WHERE id = :id"
        return self._database.run_now(lambda session: change(session, sql, id=self._replica)) == 1

    def _look_for_controls(self) -> None:
        """Find what people told our runs through other replicas, or an operator through the command line."""
        for row in self._database.read_now(lambda session: execute(session, SPOKEN_TO, me=self._replica).all()):
            self._beats.spoken_to(RunId(row.run))

    def _die(self) -> None:
        log.critical("replica_lost", extra={"replica": self._replica})
        self._lease.lose()
        self._ends.set()
        self._beats.lost()

    def _reap(self) -> None:
        """Delete expired rows; only then may their runs be given back, or a woken claim could steal one."""
        now = self._database.dialect.now_ms
        sql = f"DELETE FROM nm_replica WHERE beat < {now} - :ttl RETURNING id"
        dead = self._database.run_now(
            lambda session: [row.id for row in execute(session, sql, ttl=int(self._ttl_s * 1000))]
        )
        for replica in dead:
            log.warning("replica_expired", extra={"replica": replica})

    def _alive(self) -> set[str]:
        return self._database.read_now(lambda s: {row.id for row in execute(s, "SELECT id FROM nm_replica")})
