"""A run takes in what its person said meanwhile, in one transaction with the end of the turns that waited with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import TypeAdapter
from sqlmodel import Session

from engine.events import RunEvent
from engine.failpoints import failpoint
from engine.messages import RunId, RunInput
from engine.ports import ControlKind, Outcome, Steer
from engine.runs.controls import heard
from engine.runs.journal import ControlTaken, Entry, pending
from engine.runs.replica import Replica
from engine.storage.statement import change, execute

STEERS: TypeAdapter[list[Steer]] = TypeAdapter(list[Steer])
_CONSUME = """UPDATE nm_run SET status = 'done', result = :result, ended_at = {now}
WHERE id = :run AND status = 'queued' AND input = :input"""

Events = Callable[[Sequence[Steer]], Sequence[RunEvent]]
Also = Callable[[Session, Sequence[Steer]], None]


@dataclass(frozen=True, slots=True)
class Said:
    """Words that wait: the id of their control, and what their turn asks, as it is stored and as it is read."""

    control: str
    input: str
    steer: Steer


class Recorder(Protocol):
    """What this needs of the run that takes in."""

    def pending(self, kind: ControlKind) -> list[str]:
        """Give the ids of the controls of a kind that nobody consumed."""
        ...

    def stamped(self, event: RunEvent, segment: str = "") -> RunEvent:
        """Give the event with what the run knows of itself."""
        ...

    async def record(self, entry: Entry, also: Callable[[Session], None] | None = None) -> list[RunEvent]:
        """Record a step and show its events. Raises `ControlTaken`."""
        ...


class Steering:
    """Takes words in. A turn whose words were taken ends empty, without a card: the queue finds that it has ended."""

    def __init__(self, replica: Replica, run: RunId, recorder: Recorder) -> None:
        self._replica = replica
        self._run = run
        self._recorder = recorder

    async def take_in(self, path: str, events: Events, also: Also) -> list[Steer]:
        """Give what was said and is taken in under `path` now; nothing is recorded where there is nothing."""
        while self._recorder.pending("steer"):
            said = await self._replica.database.read(self._waiting)
            if not said:
                return []
            failpoint("steer_read")
            steers = [each.steer for each in said]
            if await self._record(path, said, steers, (events, also)):
                failpoint("after_steer")
                return steers
        return []

    async def _record(
        self, path: str, said: Sequence[Said], steers: Sequence[Steer], then: tuple[Events, Also]
    ) -> bool:
        """Record it all at once; false when one of the turns was stopped, taken back or reworded meanwhile."""
        events, also = then

        def consume(session: Session) -> None:
            for each in said:
                self._consume(session, each)
            also(session, steers)

        told = [self._recorder.stamped(event, path) for event in events(steers)]
        entry = Entry(path, STEERS.dump_json(list(steers)).decode(), told, [each.control for each in said])
        try:
            await self._recorder.record(entry, consume)
        except ControlTaken:
            return False
        return True

    def _waiting(self, session: Session) -> list[Said]:
        steers = (control for control in pending(session, self._run) if control.kind == "steer")
        said = (_said(session, control.id, RunId(control.body["turn"])) for control in steers)
        return [each for each in said if each is not None]

    def _consume(self, session: Session, said: Said) -> None:
        turn = said.steer.turn
        # The lock makes sure that a stop which was promised to its sender is seen here, or sees the end.
        if heard(session, self._replica.database.dialect, turn) != "accepted" or _said(session, "", turn) is None:
            raise ControlTaken
        result = Outcome(status="done", params={"taken_in_by": self._run}).model_dump_json()
        sql = _CONSUME.format(now=self._replica.database.dialect.now_ms)
        if change(session, sql, run=turn, result=result, input=said.input) != 1:
            raise ControlTaken


def _said(session: Session, control: str, turn: RunId) -> Said | None:
    """Give what a turn asks while it waits and nobody told it to stop."""
    row = execute(session, "SELECT status, input FROM nm_run WHERE id = :run", run=turn).first()
    is_stopped = any(each.kind == "stop" for each in pending(session, turn))
    if row is None or row.status != "queued" or is_stopped:
        return None
    return Said(control, row.input, Steer(turn=turn, input=RunInput.model_validate_json(row.input)))
