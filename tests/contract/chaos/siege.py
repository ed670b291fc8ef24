"""One case from start to end: people ask, faults come and go, people ask again, and all is checked at rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.contract.chaos.checks import complaints
from tests.contract.chaos.city import City, city
from tests.contract.chaos.crowd import Crowd
from tests.contract.chaos.fault import Fault
from tests.contract.chaos.history import History, history_of
from tests.contract.chaos.plan import FAULTS, Case
from tests.processes.replicas import TTL_S

READY_S, ANSWERED_S, GREEN_S = 120.0, 180.0, 60.0
"""A machine with other work takes its time; how fast a run is taken over, other tests judge."""
_HOLD_S = 2.5 * TTL_S
_OUR_ENDS = frozenset({-9, 0, -15})
"""Killed, drained, or told to end before it could listen to that."""
_SETTLED_S, _LOOK_S = 1.0, 0.7
_PUSHED_AGAIN_AFTER_S = 4.0
"""A platform counts three seconds as too late; until then what it pushed may still be acknowledged."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case was, in figures."""

    messages: int
    lost_by_platform: int
    kills: int
    strikes: tuple[int, ...]
    """How often each of its faults happened."""
    resumed: int
    """Runs that needed more than one attempt."""
    seconds: float


async def besiege(case: Case, home: Path) -> Outcome:
    """Play a case and check it.

    Raises:
        AssertionError: what is wrong, with the ends of the logs.
    """
    began_s, dice = time.monotonic(), case.dice()
    async with city(case.profile, home) as c:
        crowd = Crowd(c, dice)
        await until(c.is_ready, c, within_s=READY_S, why="all gateways are ready")
        faults = [FAULTS[name](c, crowd, dice) for name in case.faults]
        pressing = asyncio.create_task(crowd.press_buttons())
        try:
            await _storm(faults, crowd)
            await _calm(c, crowd)
        finally:
            pressing.cancel()
            [ended] = await asyncio.gather(pressing, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError), f"people stopped pressing: {ended!r}"
        history = history_of(c, crowd)
        _check(case, c, history, faults)
        resumed = sum(run.attempt > 1 for run in history.records.runs)
        figures = len(crowd.asked), len(history.lost), c.counted.kills
        return Outcome(*figures, tuple(each.strikes for each in faults), resumed, time.monotonic() - began_s)


async def _storm(faults: list[Fault], crowd: Crowd) -> None:
    """Let people ask before, during and after."""
    await crowd.wave()
    for fault in faults:
        await fault.begin()
    hold = asyncio.create_task(asyncio.sleep(_HOLD_S))
    await crowd.wave()
    await hold
    for fault in faults:
        await fault.end()
    await crowd.wave()


async def _calm(c: City, crowd: Crowd) -> None:
    """Wait until everything is answered, green, and nothing moves any more."""
    deadline_s = time.monotonic() + ANSWERED_S
    looked_s, rounds = time.monotonic(), 0
    while crowd.unanswered():
        if time.monotonic() > deadline_s:
            await _give_up(c, crowd)
        if time.monotonic() - looked_s > _PUSHED_AGAIN_AFTER_S:
            looked_s, rounds = time.monotonic(), rounds + 1
            _push_again(c, rounds)
        await asyncio.sleep(_LOOK_S)
    await until(c.is_ready, c, within_s=GREEN_S, why="all gateways are green again")
    await asyncio.sleep(_SETTLED_S)


async def _give_up(c: City, crowd: Crowd) -> None:
    """Say what is not answered, and what else is wrong by now: the one may come of the other."""
    late = [f"{each.platform} {each.conversation} {each.mark}" for each in crowd.unanswered()]
    told = [f"no answer to {late}", await c.why_not(), c.logs(), *complaints(history_of(c, crowd))]
    raise AssertionError("\n".join(told))


def _push_again(c: City, round_: int) -> None:
    """Let the platforms' next time for a push come: each waits longer than the one before."""
    for quarter in c.quarters:
        if quarter.unacked():
            quarter.sim.advance(quarter.redelivered_s[min(round_, len(quarter.redelivered_s)) - 1])


def _check(case: Case, c: City, history: History, faults: list[Fault]) -> None:
    told = complaints(history) + [f"{each.name} never happened" for each in faults if not each.strikes]
    if not any(FAULTS[name].may_end_processes for name in case.faults):
        told += [f"a gateway ended by itself: {code}" for code in c.counted.ends if code not in _OUR_ENDS]
    assert not told, "\n".join([case.id, *told, c.logs(), case.id, *told])


async def until(ready: Callable[[], object], c: City, *, within_s: float, why: str) -> None:
    """Wait for something to become true, or tell what is missing."""
    deadline_s = time.monotonic() + within_s
    while True:
        found = ready()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return
        assert time.monotonic() < deadline_s, f"not within {within_s} s: {why}\n{await c.why_not()}\n{c.logs()}"
        await asyncio.sleep(_LOOK_S)
