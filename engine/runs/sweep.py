"""Finds runs that the queue thinks this process works on and no task here does, and puts them back in line."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from engine.messages import RunId
from engine.runs.ports import TurnQueue

log = logging.getLogger(__name__)

SEEN_BEFORE_ORPHAN = 3


@dataclass(slots=True)
class _RollCall:
    """What the loop was asked, and has answered in its own time."""

    held: set[RunId]
    in_hand: set[RunId] | None = None
    claim: int = 0


@dataclass(slots=True)
class _Stray:
    """How often a run was missed since it was first seen, and the claim that was on its way then."""

    claim: int
    seen: int = 0


class Sweep:
    """A net below the queue; `look` is called with every heartbeat, in its thread.

    Only what the loop itself has missed several times counts: a loop that hangs may have won the run and not begun it
    yet, and two tasks would then show it on two cards. `ask` has a function called in the loop.
    """

    def __init__(self, queue: TurnQueue, replica: str, ask: Callable[[Callable[[], None]], None]) -> None:
        self._queue = queue
        self._replica = replica
        self._ask = ask
        self._call: _RollCall | None = None
        self._strays: dict[RunId, _Stray] = {}

    def look(self, held: set[RunId]) -> bool:
        """Judge by the last roll call and begin the next; `held` is what the queue says we work on. Blocks.

        Gives whether runs were put back in line.
        """
        call = self._call
        if call is not None and call.in_hand is None:
            return False
        lost = [] if call is None else self._judge(call, call.held - (call.in_hand or set()))
        self._call = asked = _RollCall(held)
        self._ask(lambda: self._answer(asked))
        if lost:
            log.warning("runs_orphaned", extra={"runs": sorted(lost)})
            self._queue.give_back_runs(self._replica, lost)
        return bool(lost)

    def _judge(self, call: _RollCall, strays: set[RunId]) -> list[RunId]:
        self._strays = {run: self._strays.get(run) or _Stray(call.claim) for run in strays}
        for stray in self._strays.values():
            # The claim that was on its way at first may be the one that took the run.
            stray.seen += not call.claim or call.claim != stray.claim
        lost = [run for run, stray in self._strays.items() if stray.seen >= SEEN_BEFORE_ORPHAN]
        for run in lost:
            del self._strays[run]
        return lost

    def _answer(self, call: _RollCall) -> None:
        call.claim = self._queue.claiming()
        call.in_hand = self._queue.in_hand()
