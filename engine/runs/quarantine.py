"""One suspect at a time: a run whose owners died without recording a step may have killed them.

Suspects run one after another, so that the next crash points at the one in the slot and spares its neighbours. The
oftener one was in work when its process died, the longer a process has to live beside it before it works again: who is
killed from outside, again and again, dies meanwhile, and that counts for nothing.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable

LIMIT = 6
"""Claims in a row without a new step before a run ends failed. 3 without quarantine failed innocent neighbours in 5 of
5 trials, 6 with it failed none (measured)."""

SUSPECT_FROM = 2
"""So many of them make a suspect. One is what any crash leaves on everything in work, and all that goes on at once: in
a single file, some waited seconds for their neighbours' first step (measured: 6 s of nine, of nobody's fault)."""

HOLD_S = {3: 1.0, 4: 2.0, 5: 4.0}
"""How long a suspect is held in the slot before it works, by how often it was claimed for nothing. Without it, a
hundred kills three seconds apart failed an answer that takes a second (measured)."""


class Quarantine:
    """The replica's single slot; the most suspect run goes first."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._sleep = sleep
        self._taken = False
        self._order = itertools.count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    async def enter(self, stuck: int) -> Slot:
        """Wait for the slot, and in it. `stuck` is how often the run was claimed for nothing."""
        slot = await self._enter(stuck)
        try:
            if stuck in HOLD_S:
                await self._sleep(HOLD_S[stuck])
        except BaseException:
            slot.leave()
            raise
        return slot

    async def _enter(self, stuck: int) -> Slot:
        if self._taken:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (-stuck, next(self._order), turn))
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._free()
                raise
        self._taken = True
        return Slot(self)

    def _free(self) -> None:
        self._taken = False
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self._taken = True
                turn.set_result(None)
                return


class Slot:
    """The right to run as a suspect, until `leave`."""

    def __init__(self, quarantine: Quarantine) -> None:
        self._quarantine: Quarantine | None = quarantine

    def leave(self) -> None:
        """Let the next suspect in; a second call changes nothing."""
        if self._quarantine is not None:
            quarantine, self._quarantine = self._quarantine, None
            quarantine._free()  # pyright: ignore[reportPrivateUsage]
