"""Keeps one long connection to a platform alive, whatever the platform is.

An adapter gives a `Dial` (find an address, connect, give a `Link`); the keeper dials, serves, watches for connections
that look alive and are not, and dials again: the first time within a second, then ever more slowly, for ever.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from channels.clock import Clock
from channels.errors import AuthFailed, ChannelError, ConnectionLost, NotConnected

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Link(Protocol):
    """One live connection."""

    @property
    def heard_s(self) -> float:
        """Give the steady time of the last sign of life that counts."""
        ...

    async def serve(self) -> None:
        """Read until the connection ends. Returning asks for a fresh connection at once.

        Called once more after that, and after a silence: what still comes is taken until the next connection is live.

        Raises:
            ConnectionLost: it broke or was closed.
        """
        ...

    async def ping(self) -> None:
        """Ask for a sign of life; called every `KeeperTimes.ping_every_s`."""
        ...

    async def close(self) -> None:
        """Close cleanly; never raises, safe to call twice."""
        ...


Dial = Callable[[], Awaitable[Link]]


@dataclass(frozen=True, slots=True)
class KeeperTimes:
    """How patient the keeper is, in seconds."""

    dial_timeout_s: float = 25.0
    """A whole attempt, however many requests it takes, is given up after this."""
    ping_every_s: float = 10.0
    silence_s: float = 20.0
    """A link that was not heard for this long is dead; found at the latest `ping_every_s` / 2 later."""
    first_retry_s: float = 0.5
    longest_retry_s: float = 48.0
    """Before up to 20 % of jitter."""
    overlap_s: float = 15.0
    """So long a link that is to be replaced may go on reading and answering until its successor is live."""
    settled_s: float = 10.0
    """A link that lived this long makes the next retry a first one again."""


State = Literal["connecting", "live", "lost", "auth_failed", "stopped"]


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """`reason` says for people why the connection is not live, `advice` names what to do (`ChannelError.advice`)."""

    code: State
    reason: str = ""
    advice: str = ""


class Keeper:
    """Owns one long connection. `start` once, `stop` once; `state` at any time."""

    def __init__(
        self,
        dial: Dial,
        clock: Clock,
        *,
        name: str,
        times: KeeperTimes | None = None,
        spread: Callable[[], float] = random.random,
    ) -> None:
        self._dial = dial
        self._clock = clock
        self._name = name
        self._times = times or KeeperTimes()
        self._spread = spread
        self._task: asyncio.Task[None] | None = None
        self._old: set[asyncio.Task[None]] = set()
        """Links on their way out."""
        self._state = ConnectionState("connecting")
        self.drops = 0
        """How many live connections ended so far."""

    @property
    def state(self) -> ConnectionState:
        """Give the connection's state now."""
        return self._state

    def start(self) -> None:
        """Begin to connect; returns at once."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name=f"connection {self._name}")

    async def stop(self) -> None:
        """Close the connection and end for good."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.gather(*self._let_go(), return_exceptions=True)
        self._state = ConnectionState("stopped")

    async def _run(self) -> None:
        failures = 0
        while True:
            lived_s, asked_for = await self._attempt()
            failures = 0 if lived_s >= self._times.settled_s else failures
            await self._clock.sleep(0 if asked_for and failures == 0 else self.retry_after_s(failures))
            failures += 1

    def retry_after_s(self, failures: int) -> float:
        """Give the pause before the next attempt after so many fruitless ones."""
        grown = min(self._times.longest_retry_s, self._times.first_retry_s * 2.0 ** min(failures, 16))
        return grown * (0.8 + 0.4 * self._spread())

    async def _attempt(self) -> tuple[float, bool]:
        """Dial and serve until the end; give how long the link lived and whether the next may be dialled at once."""
        began_s = self._clock.steady_s()
        link: Link | None = None
        try:
            link = await within(self._clock, self._times.dial_timeout_s, self._dial())
            began_s = self._clock.steady_s()
            self._enter("live")
            self._let_go()
            await self._serve(link)
        except ChannelError as error:
            self._ended(error, was_live=link is not None)
        except Exception as error:
            _log.exception("connection_failed", extra={"connection": self._name})
            self._ended(ConnectionLost(type(error).__name__), was_live=link is not None)
        except asyncio.CancelledError:
            if link is not None:
                await link.close()
            raise
        else:
            self._ended(ConnectionLost("the platform asked for a fresh connection"), was_live=True)
            self._retire(link)
            return self._clock.steady_s() - began_s, True
        if link is not None:
            self._retire(link)
        return (self._clock.steady_s() - began_s if link is not None else 0.0), False

    async def _serve(self, link: Link) -> None:
        """Serve and watch together; the first to end ends both."""
        serving = asyncio.ensure_future(link.serve())
        watching = asyncio.ensure_future(self._watch(link))
        try:
            await asyncio.wait({serving, watching}, return_when=asyncio.FIRST_COMPLETED)
            done = serving if serving.done() else watching
            done.result()
        finally:
            for task in (serving, watching):
                task.cancel()
            await asyncio.gather(serving, watching, return_exceptions=True)

    def _retire(self, link: Link) -> None:
        """Let a link go on until its successor is live: what the platform sends it meanwhile is not lost."""
        task = asyncio.get_running_loop().create_task(self._outlive(link), name=f"connection {self._name}, the old one")
        self._old.add(task)
        task.add_done_callback(self._old.discard)

    async def _outlive(self, link: Link) -> None:
        try:
            await within(self._clock, self._times.overlap_s, link.serve())
        except ChannelError as error:
            _log.info("connection_replaced", extra={"connection": self._name, "reason": str(error)})
        finally:
            await link.close()

    def _let_go(self) -> set[asyncio.Task[None]]:
        """End the links on their way out; gives their tasks."""
        going = set(self._old)
        for task in going:
            task.cancel()
        return going

    async def _watch(self, link: Link) -> None:
        """Ping, and give the link up when it stays silent."""
        pause_s = self._times.ping_every_s / 2
        pinged_s = float("-inf")
        while True:
            now_s = self._clock.steady_s()
            if now_s - link.heard_s > self._times.silence_s:
                raise ConnectionLost(f"no sign of life for {self._times.silence_s:g} s")
            if now_s - pinged_s >= self._times.ping_every_s * 0.99:
                pinged_s = now_s
                await within(self._clock, self._times.silence_s, link.ping())
            await self._clock.sleep(pause_s)

    def _ended(self, error: ChannelError, *, was_live: bool) -> None:
        self.drops += was_live
        self._enter("auth_failed" if isinstance(error, AuthFailed) else "lost", str(error), error.advice)

    def _enter(self, code: State, reason: str = "", advice: str = "") -> None:
        if code != self._state.code or reason != self._state.reason:
            level = logging.INFO if code == "live" else logging.WARNING
            _log.log(level, "connection_%s", code, extra={"connection": self._name, "reason": reason})
        self._state = ConnectionState(code, reason, advice)


async def within(clock: Clock, seconds: float, work: Awaitable[T]) -> T:
    """Await `work` for at most `seconds` of the given clock.

    Raises:
        NotConnected: it took longer; it was cancelled.
    """
    task: asyncio.Future[T] = asyncio.ensure_future(work)
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise NotConnected(f"no answer within {seconds:g} s")
    finally:
        timer.cancel()
        task.cancel()
        await asyncio.gather(task, timer, return_exceptions=True)
