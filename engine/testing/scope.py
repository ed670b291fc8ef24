"""An in-memory `RunScope`: the journal is a dict, so that "crash and resume" is a new scope over the same dict."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter
from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput, TextPart
from engine.ports import Clock, Control, ControlKind, Steer

T = TypeVar("T")


class Database(Protocol):
    """Where `also` is carried out."""

    async def run(self, fn: Callable[[Session], T]) -> T:
        """Give what `fn` gives, committed."""
        ...


class DuplicatePath(Exception):
    """A path was asked for twice in one attempt: a bug of the caller."""


def run_input(text: str, *, by: str = "u1", to: str = "test:main:t1:c1") -> RunInput:
    """Give the input of a person who says `text`."""
    return RunInput(to=Address(to), by=Principal(id=by, tenant="t1", name="Ann"), parts=(TextPart(text=text),))


class MemoryScope:
    """A run without a database. `also` runs only when a `database` is given.

    Example:
        scope = MemoryScope(run_input("hello"), clock)
        outcome = await agent(scope)
    """

    def __init__(
        self,
        given: RunInput,
        clock: Clock,
        *,
        run: str = "00000000000000000000000001",
        database: Database | None = None,
        journal: dict[str, Any] | None = None,
    ) -> None:
        self.id = RunId(run)
        self.attempt = 1
        self.input = given
        self.journal: dict[str, Any] = {} if journal is None else journal
        self.stored: list[RunEvent] = []
        """Events of recorded steps, in order."""
        self.shown: list[RunEvent] = []
        """All that a surface would have been told in this attempt, deltas and stored events."""
        self._clock = clock
        self._database = database
        self._asked: set[str] = set()
        self._controls: list[Control] = []
        self._said: list[Steer] = []
        self._changed = asyncio.Event()
        self._stop = asyncio.Event()
        self._cut: set[str] = set()
        self._root: asyncio.Task[Any] | None = None

    def resume(self) -> MemoryScope:
        """Give the next attempt of the same run: same journal, same stored events, controls not yet taken."""
        after = MemoryScope(self.input, self._clock, run=self.id, database=self._database, journal=self.journal)
        after.attempt = self.attempt + 1
        after.stored = self.stored
        after._controls = self._controls
        after._said = self._said
        return after

    def stop(self) -> None:
        """A person asks to stop."""
        self._stop.set()
        self._changed.set()

    def answer(self, nonce: str, kind: ControlKind, by: str = "u1", **body: str) -> None:
        """A person presses a button."""
        said = {"nonce": nonce, **body}
        self._controls.append(Control(id=f"c{len(self._controls)}", kind=kind, by=by, body=said))
        self._changed.set()

    def crash_before_recording(self, path: str) -> None:
        """Kill the run when the work of `path` is done and not yet recorded."""
        self._cut.add(path)

    @property
    def stopping(self) -> bool:
        """Tell whether a person asked to stop."""
        return self._stop.is_set()

    async def stopped(self) -> None:
        """Return when a person asks to stop."""
        await self._stop.wait()

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
        """Run `fn` once and record its result; see `RunScope.step`."""
        self._root = self._root or asyncio.current_task()
        self._claim(path)
        shape: TypeAdapter[T] = TypeAdapter(result)
        for known in (path, *was):
            if known in self.journal:
                return shape.validate_python(self.journal[known])
        value = await fn()
        if path in self._cut:
            self._crash()
        await self._transaction(also, value)
        self.journal[path] = shape.dump_python(value, mode="json")
        if events is not None:
            told = list(events(value))
            self.stored += told
            self.shown += told
        return shape.validate_python(self.journal[path])

    def recorded(self, path: str) -> bool:
        """Tell whether `path` is in the journal."""
        return path in self.journal

    async def wait(
        self, path: str, kinds: Sequence[ControlKind], *, nonce: str, deadline_ms: int, who: Callable[[str], bool]
    ) -> Control | None:
        """Wait for a press on the button with this `nonce`; see `RunScope.wait`."""
        self._claim(path)
        if path in self.journal:
            kept = self.journal[path]
            return None if kept is None else Control.model_validate(kept)
        found = await self._await_control(kinds, nonce, deadline_ms, who)
        if found is not None:
            self._controls.remove(found)
        self.journal[path] = None if found is None else found.model_dump(mode="json")
        return found

    async def take_in(
        self,
        path: str,
        *,
        events: Callable[[Sequence[Steer]], Sequence[RunEvent]],
        also: Callable[[Session, Sequence[Steer]], None],
    ) -> Sequence[Steer]:
        """Take in what was said; see `RunScope.take_in`."""
        if path in self.journal:
            return [Steer.model_validate(each) for each in self.journal[path]]
        taken, self._said[:] = list(self._said), []
        if taken:
            await self._transaction(also, taken)
            self.journal[path] = [each.model_dump(mode="json") for each in taken]
            told = list(events(taken))
            self.stored += told
            self.shown += told
        return taken

    def say(self, text: str) -> None:
        """The person says something while the run works."""
        given = self.input.model_copy(update={"parts": (TextPart(text=text),)})
        self._said.append(Steer(turn=RunId(f"turn{len(self._said)}"), input=given))

    def show(self, event: RunEvent) -> None:
        """Take note of a live event."""
        self.shown.append(event)

    async def guard(self) -> None:
        """Return: an in-memory run is never lost."""

    def events(self, kind: str) -> list[RunEvent]:
        """Give the stored events of one type."""
        return [event for event in self.stored if event.type == kind]

    def _claim(self, path: str) -> None:
        if path in self._asked:
            raise DuplicatePath(path)
        self._asked.add(path)

    async def _transaction(self, also: Callable[[Session, T], None] | None, value: T) -> None:
        if also is not None and self._database is not None:
            await self._database.run(lambda session: also(session, value))

    def _crash(self) -> None:
        if self._root is not None and self._root is not asyncio.current_task():
            self._root.cancel()
        raise asyncio.CancelledError

    async def _await_control(
        self, kinds: Sequence[ControlKind], nonce: str, deadline_ms: int, who: Callable[[str], bool]
    ) -> Control | None:
        timer = asyncio.ensure_future(self._clock.sleep((deadline_ms - self._clock.now_ms()) / 1000))
        try:
            while not self.stopping:
                for control in self._controls:
                    if control.kind in kinds and control.body.get("nonce") == nonce and who(control.by):
                        return control
                if timer.done():
                    return None
                await self._next_change(timer)
            return None
        finally:
            timer.cancel()

    async def _next_change(self, timer: asyncio.Future[None]) -> None:
        self._changed.clear()
        change = asyncio.ensure_future(self._changed.wait())
        await asyncio.wait({change, timer}, return_when=asyncio.FIRST_COMPLETED)
        change.cancel()
