"""A run as one of its lanes sees it: the same journal under the lane's own path, and its own place on the card."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import TypeVar

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import RunId, RunInput
from engine.ports import Control, ControlKind, RunScope, Steer

T = TypeVar("T")
_RANDOM_CHARS = 16
_ALPHABET = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def lane_run(parent: RunId, lane: str) -> RunId:
    """Give the id of a lane's own row: as old as its run, the same after every crash."""
    digest = sha256(f"{parent}/{lane}".encode()).digest()
    tail = base64.b32encode(digest).translate(_ALPHABET).decode()[:_RANDOM_CHARS]
    return RunId(parent[:-_RANDOM_CHARS] + tail)


class LaneScope:
    """Satisfies `engine.ports.RunScope` for a lane. Its stop is the run's; words that come reach the main agent only.

    What else a step writes (the audit, permissions that people gave) is written in its transaction, as in any run.
    """

    def __init__(self, of: RunScope, lane: str, agent: str) -> None:
        self._of = of
        self._lane = lane
        self._agent = agent
        self._id = lane_run(of.id, lane)
        self._input = of.input.model_copy(update={"agent": agent})

    @property
    def id(self) -> RunId:
        """Give the id of the lane's own row; it makes the keys of the lane's effects its own."""
        return self._id

    @property
    def attempt(self) -> int:
        """See `RunScope.attempt`."""
        return self._of.attempt

    @property
    def input(self) -> RunInput:
        """Give what started the run, addressed to the lane's agent."""
        return self._input

    @property
    def stopping(self) -> bool:
        """See `RunScope.stopping`."""
        return self._of.stopping

    async def stopped(self) -> None:
        """See `RunScope.stopped`."""
        await self._of.stopped()

    @property
    def place(self) -> str:
        """Give where in the run the lane's steps lie."""
        return f"lane/{self._lane}"

    def path(self, path: str) -> str:
        """Give the run's path of a lane's path."""
        return f"{self.place}/{path}"

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
        """See `RunScope.step`."""
        told = events

        def mine(value: T) -> list[RunEvent]:
            return [] if told is None else [self.told(event) for event in told(value)]

        names = [self.path(each) for each in was]
        return await self._of.step(self.path(path), fn, result=result, events=mine, also=also, was=names)

    def recorded(self, path: str) -> bool:
        """See `RunScope.recorded`."""
        return self._of.recorded(self.path(path))

    async def wait(
        self, path: str, kinds: Sequence[ControlKind], *, nonce: str, deadline_ms: int, who: Callable[[str], bool]
    ) -> Control | None:
        """See `RunScope.wait`."""
        return await self._of.wait(self.path(path), kinds, nonce=nonce, deadline_ms=deadline_ms, who=who)

    async def take_in(
        self,
        path: str,
        *,
        events: Callable[[Sequence[Steer]], Sequence[RunEvent]],
        also: Callable[[Session, Sequence[Steer]], None],
    ) -> Sequence[Steer]:
        """Give nothing: what a person says is read by the main agent, which answers for all."""
        return ()

    def show(self, event: RunEvent) -> None:
        """See `RunScope.show`."""
        self._of.show(self.told(event))

    async def guard(self) -> None:
        """See `RunScope.guard`."""
        await self._of.guard()

    def told(self, event: RunEvent) -> RunEvent:
        """Give an event of the lane as the run tells it: on the lane's place; what it cost belongs to the run."""
        segment = self.path(event.segment) if event.segment else ""
        card = None if event.type in ("usage", "file") else self._lane
        return event.model_copy(update={"run": self._of.id, "segment": segment, "card": card, "executor": self._agent})
