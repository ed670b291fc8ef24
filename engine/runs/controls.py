"""What people said to a running run and no step has consumed yet."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Literal

from sqlmodel import Session

from engine.errors import StorageError
from engine.messages import InboxKey, Principal, RunId
from engine.ports import Control, ControlKind
from engine.runs.hints import CONTROL, call_out
from engine.runs.journal import pending
from engine.runs.ports import ENDED, FINAL
from engine.runs.replica import Replica
from engine.storage.statement import Dialect, change, execute

log = logging.getLogger(__name__)

Heard = Literal["accepted", "ended", "unknown"]

_INSERT = """INSERT INTO nm_control (run, id, kind, person, body, at)
VALUES (:run, :id, :kind, :person, :body, :at) ON CONFLICT DO NOTHING"""


def control_of(key: InboxKey, kind: ControlKind, by: Principal, **body: str) -> Control:
    """Give the control that an inbound asks for: always the same one, however often it is delivered."""
    return Control(id=f"{key.channel}:{key.account}:{key.key}", kind=kind, by=by.id, body={"name": by.name, **body})


def heard(session: Session, dialect: Dialect, run: RunId) -> Heard:
    """Tell whether a run can still be told something.

    The lock on the run's row makes sure that one of the two sides sees the other: it excludes the share lock of a step,
    so that the answer cannot be recorded meanwhile by somebody who does not see what is said here.
    """
    row = execute(session, f"SELECT status FROM nm_run WHERE id = :run {dialect.for_update}", run=run).first()
    if row is None:
        return "unknown"
    final = "SELECT 1 FROM nm_step WHERE run = :run AND path = :path"
    if row.status in ENDED or execute(session, final, run=run, path=FINAL).first() is not None:
        return "ended"
    return "accepted"


def put(session: Session, dialect: Dialect, run: RunId, control: Control, at_ms: int) -> Heard:
    """Store a control of a run that is not at its end: `"accepted"`, else `"ended"` or `"unknown"`.

    Whichever replica works on it is told when the transaction commits.
    """
    answer = heard(session, dialect, run)
    if answer == "accepted":
        said = {"kind": control.kind, "person": control.by, "body": json.dumps(control.body)}
        change(session, _INSERT, run=run, id=control.id, **said, at=at_ms)
        call_out(session, dialect, CONTROL, run)
    return answer


class Controls:
    """The pending controls of one run in work. The table is the truth; `wake` looks at it."""

    def __init__(self, replica: Replica, run: RunId, found: Sequence[Control]) -> None:
        self.stop = asyncio.Event()
        self._replica = replica
        self._run = run
        self._pending: dict[str, Control] = {}
        self._changed = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._again = False
        self._accept(found)

    def wake(self) -> None:
        """Look at the table soon; several calls are served by one look."""
        self._again = True
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())

    def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()

    def ids(self, kind: ControlKind) -> list[str]:
        """Give the ids of pending controls of a kind."""
        return [control.id for control in self._pending.values() if control.kind == kind]

    def consumed(self, ids: Sequence[str]) -> None:
        """Forget what a step has consumed."""
        for id_ in ids:
            self._pending.pop(id_, None)

    def unseen(self, session: Session, fits: Callable[[Control], bool]) -> bool:
        """Tell whether an answer is stored that this run has not read; asked in the transaction that ends a wait."""
        return any(fits(control) for control in pending(session, self._run))

    async def first(self, fits: Callable[[Control], bool], deadline_ms: int) -> Control | None:
        """Wait for a control that fits; `None` at the deadline, at a stop, or when the replica drains.

        A stop wins over an answer nobody has taken yet.
        """
        clock = self._replica.clock
        while True:
            self._changed.clear()
            if self.stop.is_set():
                return None
            found = next((control for control in self._pending.values() if fits(control)), None)
            left_s = (deadline_ms - clock.now_ms()) / 1000
            if found is not None or left_s <= 0 or self._replica.draining.is_set():
                return found
            await _any(self._changed.wait(), self.stop.wait(), self._replica.draining.wait(), clock.sleep(left_s))

    async def _look(self) -> None:
        while self._again:
            self._again = False
            try:
                self._accept(await self._replica.database.read(lambda session: pending(session, self._run)))
            except StorageError as error:
                log.warning("controls_unread", extra={"run": self._run, "code": error.code})
                await asyncio.sleep(1.0)
                self._again = True

    def _accept(self, found: Sequence[Control]) -> None:
        self._pending = {control.id: control for control in found}
        if any(control.kind == "stop" for control in found):
            self.stop.set()
        self._changed.set()


async def _any(*waits: Coroutine[Any, Any, object]) -> None:
    tasks = [asyncio.create_task(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
