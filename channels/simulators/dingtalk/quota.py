"""The organisation's monthly allowance of calls and of pushed messages.

Source: open.dingtalk.com "How to process API throttling", billing model of the standard edition, read 2026-08.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta, timezone

from channels.simulators.clock import MovableClock
from channels.simulators.dingtalk.options import Options

CHINA = timezone(timedelta(hours=8))


class Quota:
    """Counts per calendar month of the simulator's clock, in China's time."""

    def __init__(self, clock: MovableClock, options: Options) -> None:
        self._clock = clock
        self._options = options
        self._used: Counter[tuple[str, str]] = Counter()

    def take_call(self) -> bool:
        """Count an API call; False when the month's allowance is used up."""
        return self._take("calls", self._options.monthly_calls)

    def take_message(self) -> bool:
        """Count a message pushed to a robot; False when the month's allowance is used up."""
        return self._take("messages", self._options.monthly_messages)

    def used(self) -> dict[str, int]:
        """Give what this month has used: `calls` and `messages`."""
        month = self._month()
        return {kind: self._used[month, kind] for kind in ("calls", "messages")}

    def _take(self, kind: str, allowed: int) -> bool:
        key = (self._month(), kind)
        if self._used[key] >= allowed:
            return False
        self._used[key] += 1
        return True

    def _month(self) -> str:
        return datetime.fromtimestamp(self._clock.now_ms() / 1000, CHINA).strftime("%Y-%m")
