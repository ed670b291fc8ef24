"""Time as channels see it; tests move it."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Wall time, a steady clock and sleeping, so that tests can move all three together."""

    def now_ms(self) -> int:
        """Give UTC milliseconds since 1970."""
        ...

    def steady_s(self) -> float:
        """Give seconds that never go back; only differences mean something."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds` (0 or less only yields to the event loop)."""
        ...
