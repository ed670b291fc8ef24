"""A run as the agent sees it: steps that happen once, waiting for a person, and the wish to stop."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Any, NoReturn, TypeVar, cast

from pydantic import TypeAdapter
from sqlmodel import Session

from engine.errors import DuplicatePath
from engine.events import RunEvent
from engine.messages import RunId, RunInput
from engine.ports import Control, ControlKind, Steer
from engine.runs.controls import Controls
from engine.runs.excuse import Excuse
from engine.runs.journal import ControlTaken, Entry, FenceBroken, Loaded
from engine.runs.patience import persist
from engine.runs.ports import FINAL, SURFACE, Claim, Excused, Fence
from engine.runs.quarantine import SUSPECT_FROM, Slot
from engine.runs.replica import Replica, Show
from engine.runs.steering import STEERS, Steering

log = logging.getLogger(__name__)
T = TypeVar("T")
Also = Callable[[Session], None]


@lru_cache(maxsize=256)
def _adapter(result: Any) -> TypeAdapter[Any]:
    return TypeAdapter(result)


class Scope:
    """One attempt of one run. Satisfies `engine.ports.RunScope`; safe from all tasks of the run at once.

    `root` is the run's outermost task: losing the run cancels that one, because a task group ignores a single
    cancelled child.
    """

    def __init__(self, replica: Replica, claim: Claim, loaded: Loaded, show: Show) -> None:
        self.claim = claim
        self.fence = Fence(claim.run, replica.id, claim.attempt)
        self.loaded = loaded
        self.slot: Slot | None = None
        self.closed = False
        self._replica = replica
        self._show = show
        self._used: set[str] = set()
        self._root: asyncio.Task[Any] | None = None
        self.shown = False
        self._lost = False
        self._released = False
        self.given_up = False
        self._controls = Controls(replica, claim.run, loaded.controls)
        self.excuse = Excuse(self._write_excuse, replica.clock)

    @property
    def id(self) -> RunId:
        """Give the run's id."""
        return self.claim.run

    @property
    def attempt(self) -> int:
        """Give how many times the run was claimed, from 1."""
        return self.claim.attempt

    @property
    def input(self) -> RunInput:
        """Give what started the run."""
        return self.claim.input

    @property
    def stopping(self) -> bool:
        """Tell whether a person asked to stop."""
        return self._controls.stop.is_set()

    @property
    def rests(self) -> bool:
        """Tell whether the run only waits: for a person, or for its turn as a suspect."""
        return self.asks or (self.claim.stuck >= SUSPECT_FROM and self.slot is None)

    @property
    def asks(self) -> bool:
        """Tell whether the run only waits for a person."""
        return self.excuse.is_idle

    @property
    def lost(self) -> bool:
        """Tell whether another owner has the run, so that nothing more may be written for it."""
        return self._lost or self._replica.lease.lost

    async def stopped(self) -> None:
        """Return when a person asks to stop."""
        await self._controls.stop.wait()

    def recorded(self, path: str) -> bool:
        """Tell whether `path` has a result."""
        return path in self.loaded.steps

    async def guard(self) -> None:
        """Return while this process owns the run; else raise `asyncio.CancelledError`."""
        if self.closed:
            raise asyncio.CancelledError
        await self.write_guard()

    async def write_guard(self) -> None:
        """Do what `guard` does, also for the last word, when the work is over; not once all is let go of."""
        if self._lost or self._released:
            raise asyncio.CancelledError
        await self._replica.lease.guard()

    def show(self, event: RunEvent) -> None:
        """Show something live without storing it."""
        if not self.closed and not self._lost:
            self._show(self.stamped(event))

    async def step(
        self,
        path: str,
        fn: Callable[[], Awaitable[T]],
        *,
        result: type[T],
        events: Callable[[T], Sequence[RunEvent]] | None = None,
        also: Callable[[Session, T], None] | None = None,
        was: Sequence[str] = (),
    ) -> T:
        """Run `fn` once in the life of the run; see `engine.ports.RunScope.step`."""
        self._reserve(path)
        adapter = _adapter(result)
        for name in (path, *was):
            if name in self.loaded.steps:
                return cast(T, adapter.validate_json(self.loaded.steps[name]))
        value = await self._first_time(path, fn)
        if self.closed:
            raise asyncio.CancelledError
        said = [] if events is None else [self.stamped(event, path) for event in events(value)]
        entry = Entry(path, adapter.dump_json(value).decode(), said)
        await self.record(entry, None if also is None else lambda session: also(session, value))
        self.leave_slot()
        return value

    async def wait(
        self, path: str, kinds: Sequence[ControlKind], *, nonce: str, deadline_ms: int, who: Callable[[str], bool]
    ) -> Control | None:
        """Wait for a person; see `engine.ports.RunScope.wait`."""
        self._reserve(path)
        if path in self.loaded.steps:
            raw = json.loads(self.loaded.steps[path])
            return None if raw is None else Control.model_validate(raw)

        def fits(control: Control) -> bool:
            return control.kind in kinds and control.body.get("nonce") == nonce and who(control.by)

        while True:
            await self.guard()
            async with self.excuse.waiting():
                if self.asks:
                    # A person may take an hour; who does nothing kills nobody, and other suspects wait for the slot.
                    self.leave_slot()
                control = await self._controls.first(fits, deadline_ms)
            if control is None and self.stopping:
                return None
            self._stay_unless_draining()
            if await self._answered(path, control, fits):
                return control

    async def take_in(
        self,
        path: str,
        *,
        events: Callable[[Sequence[Steer]], Sequence[RunEvent]],
        also: Callable[[Session, Sequence[Steer]], None],
    ) -> Sequence[Steer]:
        """Take in what the person said since; see `engine.ports.RunScope.take_in`."""
        self._reserve(path)
        if path in self.loaded.steps:
            return STEERS.validate_json(self.loaded.steps[path])
        await self.guard()
        self._stay_unless_draining()
        taken = await Steering(self._replica, self.id, self).take_in(path, events, also)
        if not taken:
            self._used.discard(path)
        return taken

    async def record(self, entry: Entry, also: Also | None = None) -> list[RunEvent]:
        """Record a step and show its events once they are durable; waits out an outage.

        Raises:
            ControlTaken: a control of the entry was consumed by another step.
            asyncio.CancelledError: the run is lost.
        """

        def write(session: Session) -> list[RunEvent]:
            stored = self._replica.journal.record(session, self.fence, entry)
            if stored is None:
                return list(entry.events)
            if also is not None:
                also(session)
            return stored

        alone = also is None and not entry.events and not entry.took
        database = self._replica.database
        access = database.single if alone else database.run
        stored = await self.fenced(lambda: access(write))
        self.loaded.steps[entry.path] = entry.result
        self._controls.consumed(entry.took)
        for event in stored:
            self._show(event)
            self._replica.watcher.recorded(event)
        return stored

    async def fenced(self, access: Callable[[], Awaitable[T]]) -> T:
        """Do a fenced write, again and again while the database is away; a broken fence cancels the run here."""
        try:
            return await persist(access, self._replica.lease)
        except FenceBroken:
            self._lost = True
            log.warning("run_lost", extra={"run": self.id, "attempt": self.attempt})
            self._give_up()

    def stamped(self, event: RunEvent, segment: str = "") -> RunEvent:
        """Give the event with the run's id, the time, and `segment` where it names none; itself when it has them."""
        if event.at_ms and event.run == self.id and (event.segment or not segment):
            return event
        update = {
            "run": self.id,
            "at_ms": event.at_ms or self._replica.clock.now_ms(),
            "segment": event.segment or segment,
        }
        return event.model_copy(update=update)

    def pending(self, kind: ControlKind) -> list[str]:
        """Give the ids of the controls of a kind that nobody consumed."""
        return self._controls.ids(kind)

    def take_root(self) -> None:
        """Take the calling task for the run's outermost one."""
        self._root = asyncio.current_task()

    def leave_slot(self) -> None:
        """Leave the quarantine, when the run is in it."""
        if self.slot is not None:
            self.slot.leave()

    def release(self) -> None:
        """Let go of everything that belongs to this attempt."""
        self.closed = self._released = True
        self.leave_slot()
        self._controls.close()

    def wake(self) -> None:
        """Look at the controls."""
        self._controls.wake()

    def cut(self) -> None:
        """Cancel the run here."""
        if self.given_up:
            return
        self.given_up = True
        if self._root is not None:
            self._root.cancel()

    async def _first_time(self, path: str, fn: Callable[[], Awaitable[T]]) -> T:
        try:
            self._stay_unless_draining()
            async with self.excuse.working():
                await self.guard()
                return await fn()
        except Exception:
            self._used.discard(path)
            raise

    def _stay_unless_draining(self) -> None:
        if self._replica.draining.is_set():
            self._give_up()

    async def _answered(self, path: str, control: Control | None, fits: Callable[[Control], bool]) -> bool:
        def too_late(session: Session) -> None:
            # Who pressed before the deadline was told that it counts, also when this run has not read it yet.
            if self._controls.unseen(session, fits):
                raise ControlTaken

        raw = "null" if control is None else control.model_dump_json()
        entry = Entry(path, raw, took=() if control is None else (control.id,))
        try:
            await self.record(entry, too_late if control is None else None)
        except ControlTaken:
            self.wake()
            return False
        self.leave_slot()
        return True

    async def _write_excuse(self, excused: Excused) -> None:
        database, journal = self._replica.database, self._replica.journal
        await self.fenced(lambda: database.single(lambda session: journal.excuse(session, self.fence, excused)))

    def _reserve(self, path: str) -> None:
        if path == FINAL or path.startswith(SURFACE) or path in self._used:
            raise DuplicatePath(f"path {path!r} of run {self.id!r} is taken in attempt {self.attempt}")
        self._used.add(path)

    def _give_up(self) -> NoReturn:
        self.cut()
        raise asyncio.CancelledError
