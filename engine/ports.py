"""What the engine asks of its host, and what the agent asks of the run it works for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel
from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import Address, EnclosedPart, RunId, RunInput

Work = Callable[["RunScope"], Awaitable["Outcome"]]
"""The agent as the run sees it: works for one run and gives how it ended. Ordinary failures are outcomes."""
T = TypeVar("T")
Json = dict[str, Any]


class Clock(Protocol):
    """Wall time, a steady clock and sleeping, so that tests can move all three together."""

    def now_ms(self) -> int: ...

    def steady_s(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


ControlKind = Literal["stop", "steer", "approve", "deny", "choose"]


class Control(BaseModel):
    """Something a person says to a running run. `id` is the platform event's id, so that redeliveries are one."""

    id: str
    kind: ControlKind
    by: str
    body: Json = {}


class Steer(BaseModel):
    """What a person said to a run that works. `turn` is the run which would answer it otherwise."""

    turn: RunId
    input: RunInput


class JournalStep(Protocol):
    """The journal as a host sees it: record JSON under a path, once."""

    async def step(self, path: str, fn: Callable[[], Awaitable[Json]]) -> Json: ...

    def recorded(self, path: str) -> Json | None: ...

    async def guard(self) -> None:
        """Return while this process owns the run; else raise `asyncio.CancelledError`."""
        ...


class RunScope(Protocol):
    """A run as the agent sees it. Everything with an effect goes through here."""

    @property
    def id(self) -> RunId: ...

    @property
    def attempt(self) -> int:
        """Give how many times the run was claimed, from 1."""
        ...

    @property
    def input(self) -> RunInput: ...

    @property
    def stopping(self) -> bool:
        """Tell whether a person asked to stop. Looked at between steps and while streaming."""
        ...

    async def stopped(self) -> None:
        """Return when a person asks to stop; for `asyncio.wait` beside the work."""
        ...

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
        """Run `fn` once in the life of the run and give its result.

        `result` is a pydantic model, a JSON type or a list of those; it tells how to read the recorded value back.
        `events(value)` are stored in the transaction that records the step and shown when it is committed; `also` runs
        in the same transaction. `was` are older names of the path. A path that another attempt recorded gives its
        value, shows nothing again, and `fn` is not called.

        Raises:
            DuplicatePath: the path was asked for twice in this attempt.
            asyncio.CancelledError: the run was lost or is being drained.
            Exception: what `fn` raised; nothing is recorded then.
        """
        ...

    def recorded(self, path: str) -> bool:
        """Tell whether an earlier attempt (or this one) recorded `path`."""
        ...

    async def wait(
        self, path: str, kinds: Sequence[ControlKind], *, nonce: str, deadline_ms: int, who: Callable[[str], bool]
    ) -> Control | None:
        """Wait for a person: the first control of these kinds whose body has this `nonce`, by somebody `who` accepts.

        Gives `None` at the deadline (UTC ms) or when the run is stopped. The control is consumed in the transaction
        that records the answer under `path`, exactly once. While a run waits and no lane works, its claims are excused.
        """
        ...

    async def take_in(
        self,
        path: str,
        *,
        events: Callable[[Sequence[Steer]], Sequence[RunEvent]],
        also: Callable[[Session, Sequence[Steer]], None],
    ) -> Sequence[Steer]:
        """Take in what the person said since, each once in the life of all runs, in their order; often nothing.

        The turns that wait with these words end empty in the transaction that records them under `path`; `events` and
        `also` are as in `step`. Where there is nothing to take in, nothing is recorded and `path` stays free.
        """
        ...

    def show(self, event: RunEvent) -> None:
        """Show something live without storing it (text deltas). Never blocks, never raises."""
        ...

    async def guard(self) -> None:
        """Return while this process owns the run; else raise `asyncio.CancelledError`."""
        ...


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file as it came. `name` is what its sender called it: data, never a path."""

    content: bytes
    name: str
    mime: str


class Enclosures(Protocol):
    """Fetches what came with messages; the host knows where it is kept."""

    async def open(self, to: Address, part: EnclosedPart, max_bytes: int) -> Sequence[str | Enclosure]:
        """Give what is in it, in order: a file, or words for the model and files (a quoted message, forwarded ones).

        Raises:
            EnclosureUnavailable: it cannot be read, now or ever; its code says why.
        """
        ...


class Contents(Protocol):
    """Gives what a run keeps, by name."""

    async def read(self, name: str) -> bytes:
        """Give the content of a blob.

        Raises:
            KeyError: the time it is kept is over.
            StorageError: it cannot be read now.
        """
        ...


@dataclass(frozen=True, slots=True)
class Opening:
    """What a surface needs to put a run before people, now or again after a crash."""

    run: RunId
    to: Address
    attempt: int
    input: RunInput
    history: Sequence[RunEvent] = ()
    """Events stored by earlier attempts, in order: the card is rebuilt from them."""
    known: Json | None = None
    """The surface's state, from `Surface.state`, when an earlier owner recorded one."""
    seen: bool = False
    """The final answer was proven visible before: a card that died since is not replaced by a new message."""
    contents: Contents | None = None
    """What `file` events name; without it no file can be shown."""
    again: int | None = None
    """Somebody asked for the answer once more: it goes as a message of its own, one for each such number."""


RunStatus = Literal["queued", "running", "done", "stopped", "failed", "interrupted"]


class Outcome(BaseModel):
    """How a run ended: the final answer as recorded before it is shown. `error` is a stable code."""

    v: int = 1
    status: Literal["done", "stopped", "failed", "interrupted"]
    answer: str = ""
    error: str | None = None
    params: Json = {}


class Delivered(BaseModel):
    """The platform's receipt says a person can see the final answer."""

    receipt: Json
    state: Json | None = None
    """What must be stored to find it again, where that is new."""


UNPROVEN = "unproven"


class Owed(BaseModel):
    """The final answer is not proven to be visible; the deliveries queue goes on with it.

    `permanent` true: this surface will never take it; the row is a dead letter. `UNPROVEN`: it may have arrived.
    """

    reason: str
    state: Json | None = None
    permanent: bool = False
    away: bool = False
    """The platform could not be reached at all: it does not count as a try."""


class Unchanged(BaseModel):
    """The answer is visible, but what people see of it cannot be changed (any more). Nothing is owed."""

    reason: str


class Watcher(Protocol):
    """What a host counts of the engine's doings. Called on the event loop; must not block or raise."""

    def run_ended(self, status: str) -> None:
        """Take note of the end of a run, whatever ended it."""
        ...

    def letter_died(self, reason: str) -> None:
        """Take note of an answer that is given up: nobody saw it."""
        ...

    def dead_letters(self, count: int) -> None:
        """Take note of how many answers are given up now."""
        ...

    def recorded(self, event: RunEvent) -> None:
        """Take note of an event that was stored just now: those of calls tell how they went and how long they took."""
        ...

    def deliveries(self, pending: Mapping[str, int], oldest_ms: int | None) -> None:
        """Take note of what the deliveries queue has open, by kind, and since when (UTC ms) the oldest of it waits."""


class Surface(Protocol):
    """Where runs are shown. One per gateway; it finds the channel by the address."""

    async def open(self, opening: Opening, journal: JournalStep) -> None:
        """Put the run's card up, or find it again.

        Returns when the card is up or it is clear that it will not be now; never raises for a platform that refuses
        (the run goes on, `close` reports).
        """
        ...

    def show(self, event: RunEvent) -> None:
        """Take note of an event. Never blocks, never raises; before `open` returned events are kept."""
        ...

    def state(self, run: RunId) -> Json | None:
        """Give what must be stored to find the card again."""
        ...

    async def close(self, run: RunId, outcome: Outcome, *, within_s: float) -> Delivered | Owed:
        """Write the last word and prove it, trying for at most `within_s`. `done` was shown before.

        Delivered means also that every file the run made for people is there, or is refused for good and told so.
        """
        ...

    async def suspend(self, run: RunId, *, resumes: bool) -> Delivered | Owed:
        """Leave the card quiet ("paused, continues after restart", or "interrupted" with Retry) and let go of it.

        Tells whether a person can see that.
        """
        ...

    def abandon(self, run: RunId) -> None:
        """Let go of the card at once without a write: another process owns the run."""
        ...

    async def deliver(self, opening: Opening, outcome: Outcome, journal: JournalStep) -> Delivered | Owed | Unchanged:
        """Show a finished run once more: an owed answer, or a change after the end (a verdict, dead buttons).

        A receipt says that it was shown by this call, or that a recorded step proves an owed answer; a change that
        cannot be shown gives `Unchanged`.
        """
        ...
