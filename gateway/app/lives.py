"""Life after life: a replica that its peers declared dead closes its connections and starts again as another one."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Generic, Protocol, TypeVar

from channels.clock import Clock
from engine.errors import EngineError
from gateway.errors import StartupFailed

logger = logging.getLogger(__name__)

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
WELL_AFTER_S = 120.0
"""A life that lasted so long says that what ended the one before is over."""
_SPREAD = 0.3
"""An outage that took all replicas at once must not bring them back at once."""


class Living(Protocol):
    """What this needs of a life; see `gateway.app.life.Life`."""

    def take_folder(self) -> None:
        """Take the data folder."""
        ...

    async def start(self) -> None:
        """Start; takes down what was begun when that fails."""
        ...

    async def stop(self) -> None:
        """Let go of all."""
        ...

    async def lost(self) -> None:
        """Return when it was declared dead."""
        ...

    def hurry(self) -> None:
        """Cut the drain short."""
        ...


T = TypeVar("T", bound=Living)


class Lives(Generic[T]):
    """`now` is the present life: built, perhaps not started yet, perhaps over and the next one not begun."""

    def __init__(self, build: Callable[[], T], clock: Clock) -> None:
        self._build = build
        self._clock = clock
        self._asked = asyncio.Event()
        self._waits = _waits()
        self.now = build()

    def end(self) -> None:
        """Ask for the end; a second time to hurry."""
        if self._asked.is_set():
            logger.warning("hurried")
            self.now.hurry()
        self._asked.set()

    async def last(self) -> None:
        """Live on, in one life after another, until `end`; the present one was started and is not stopped."""
        while not self._asked.is_set():
            began_s = self._clock.steady_s()
            await self._asked_or(self.now.lost())
            if self._asked.is_set():
                break
            if self._clock.steady_s() - began_s > WELL_AFTER_S:
                self._waits = _waits()
            await self._begin_anew()
        logger.info("stopping")

    async def _begin_anew(self) -> None:
        await self.now.stop()
        while not self._asked.is_set():
            wait_s = next(self._waits)
            logger.warning("begins_anew", extra={"wait_s": round(wait_s, 1)})
            await self._asked_or(self._clock.sleep(wait_s))
            if self._asked.is_set():
                return
            life = self._build()
            try:
                life.take_folder()
                await life.start()
            except (StartupFailed, EngineError) as error:
                # What ended the last life may still be going on.
                logger.error("not_begun_anew", extra={"reason": str(error)})
                continue
            self.now = life
            return

    async def _asked_or(self, other: Coroutine[Any, Any, None]) -> None:
        waits = [asyncio.ensure_future(self._asked.wait()), asyncio.ensure_future(other)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def _waits() -> Iterator[float]:
    wait_s = FIRST_WAIT_S
    while True:
        yield wait_s * random.uniform(1 - _SPREAD, 1 + _SPREAD)
        wait_s = min(wait_s * 2, LONGEST_WAIT_S)
