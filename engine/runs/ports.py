"""What the rest of `runs` asks of the durable queue, and small values its parts share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, Protocol

from sqlmodel import Session

from engine.messages import Address, RunId, RunInput

ENDED = ("done", "stopped", "failed", "interrupted")
FINAL = "final"
"""Path of the step that records how a run ended."""
SURFACE = "surface/"
"""What the surface records lies under this prefix and does not count as progress of the work."""


class Excused(IntEnum):
    """What the next claim says of a run that recorded nothing new, as `nm_run.excused` keeps it."""

    NO = 0
    """It counts against the run."""
    YES = 1
    """It counts for nothing, and what counted before is forgotten."""
    HELD = 2
    """It counts for nothing: the run was held back as a suspect, and is one as before."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A run that was claimed in the transaction that took it out of the queue: its row, as text, not read yet.

    `controls` are those that wait for it; `None` when more must be loaded than a first attempt has.
    """

    attempt: int
    stuck: int
    input: str
    surface: str | None
    started_at_ms: int
    controls: Sequence[Any] | None


Body = Callable[[RunId, Taken | None], Awaitable[None]]
Appetite = Callable[[int], int]
Prepare = Callable[[Session, RunId], Taken | None]
"""Claims a run in the journal too; `None` leaves that to the body. Fails only when the database does."""


class TurnQueue(Protocol):
    """Durable, ordered, one run of a conversation at a time. Knows nothing of journals."""

    async def start(self, body: Body, prepare: Prepare, appetite: Appetite) -> None:
        """Take up work: call `body` for each run this replica gets. `body` returns when the run has ended.

        `prepare` is called where that is possible within the transaction that claims; what it gives goes to `body`.
        `appetite(in work here)` tells how many more this replica takes up, where it can be asked before.
        """
        ...

    def enqueue(self, session: Session, run: RunId, conversation: Address, seq: int) -> None:
        """Put a run in line, within the caller's transaction."""
        ...

    def finish(self, session: Session, run: RunId) -> None:
        """Free the run's conversation, within the caller's transaction, which ends the run."""
        ...

    def kick(self) -> None:
        """Look for work now. Safe from any thread, never blocks; several calls at once are served by one look."""
        ...

    def in_hand(self) -> set[RunId]:
        """Give the runs whose `body` is in work in this process. Safe from any thread."""
        ...

    def claiming(self) -> int:
        """Give the number of the claim that is on its way, 0 for none. For the loop's own thread."""
        ...

    def held(self) -> dict[str, set[RunId]]:
        """Give the runs that are in work, by replica. Blocks."""
        ...

    def give_back(self, replica: str) -> int:
        """Put what a dead replica had in work back in line and give how many. Blocks."""
        ...

    def give_back_runs(self, replica: str, runs: Sequence[RunId]) -> None:
        """Put some of the runs a replica had in work back in line. Blocks."""
        ...

    def forget(self, before_ms: int) -> int:
        """Delete the queue's own rows of runs that ended before this time; give how many. Blocks."""
        ...

    async def close(self) -> None:
        """Take up nothing more."""
        ...

    async def idle(self, timeout_s: float) -> bool:
        """Wait until no body is in work here; false when some still are."""
        ...

    async def stop(self) -> None:
        """Let go of everything; running bodies were ended before."""
        ...


class Doorkeeper(Protocol):
    """Knows who may be answered. Asked when a question begins that waited, or goes on after a restart."""

    async def refusal(self, given: RunInput) -> str | None:
        """Give the error with which it ends unanswered, `None` when it may be answered.

        Raises:
            StorageError: that can not be known now.
        """
        ...


@dataclass(frozen=True, slots=True)
class Claim:
    """A run this replica has taken: the row as it was at that moment."""

    run: RunId
    attempt: int
    stuck: int
    input: RunInput
    surface: dict[str, Any] | None
    started_at_ms: int


@dataclass(frozen=True, slots=True)
class Fence:
    """Who may write to a run's journal: exactly this owner in exactly this attempt."""

    run: RunId
    owner: str
    attempt: int
    ended: bool = False
    """True for what is still delivered after the run has ended."""

    def values(self) -> dict[str, object]:
        """Give the parameters of `where`."""
        return {"run": self.run, "owner": self.owner, "attempt": self.attempt}

    @property
    def where(self) -> str:
        """Give the condition on `nm_run` that holds while the fence does."""
        running = "<> 'running'" if self.ended else "= 'running'"
        return f"id = :run AND owner = :owner AND attempt = :attempt AND status {running}"


Refused = Literal["ended", "lost"]
