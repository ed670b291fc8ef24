"""Whether this process may still act: a promise with an end, renewed by the heartbeat."""

from __future__ import annotations

import asyncio
import threading
import time

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Goes on while the machine sleeps, where the system has such a clock."""
_LOOK_AGAIN_S = 0.02
SAFE_SHARE = 0.7
"""Part of the time to live for which a process trusts its last heartbeat."""


def uptime_s() -> float:
    """Give seconds since the machine started, time asleep included."""
    return time.clock_gettime(_CLOCK)


class Lease:
    """Good until a moment on this machine's own clock. Renewed from the heartbeat's thread, asked from the loop.

    `endless` is for the embedded database, where the lock of the folder proves ownership.
    """

    def __init__(self, *, endless: bool = False) -> None:
        self._lock = threading.Lock()
        self._until = uptime_s() + (float("inf") if endless else 0.0)
        self._lost = False

    @property
    def lost(self) -> bool:
        """Tell whether this replica was declared dead; it never comes back under its id."""
        return self._lost

    def renew(self, until: float) -> None:
        """Prolong the promise to a moment of `uptime_s`."""
        with self._lock:
            self._until = max(self._until, until)

    def lose(self) -> None:
        """End it for good."""
        self._lost = True

    def is_good(self) -> bool:
        """Tell whether it is safe to act now."""
        return not self._lost and uptime_s() <= self._until

    async def guard(self) -> None:
        """Return as soon as it is safe to act; waits out a heartbeat that is late.

        Raises:
            asyncio.CancelledError: this replica was declared dead.
        """
        while not self.is_good():
            if self._lost:
                raise asyncio.CancelledError
            await asyncio.sleep(_LOOK_AGAIN_S)
