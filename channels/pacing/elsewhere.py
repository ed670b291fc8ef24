"""What other processes on the account use of one method's limit a minute, while nobody knows whether it counts."""

from __future__ import annotations

from dataclasses import dataclass

SURE_S = 50.0
"""What was sent so short a time before a report is still in a window of a minute when the report is old."""
_SURELY_S = 8.0
"""How old what we heard may be to count as sure, the age of the reports themselves included."""
_MINUTE_S = 60.0


@dataclass(slots=True)
class Elsewhere:
    """As the other processes told it last; nothing where this one is alone."""

    part: float = 1.0
    """The part of the limit that is ours, so that all together come to it as evenly as one process would."""
    _streamed: int = 0
    _sure: int = 0
    _at_s: float = 0.0

    def hear(self, streamed: int, sure: int, at_s: float) -> None:
        """Take note of the requests of their last minute, and of those sent in its last `SURE_S` seconds.

        `at_s`: when the oldest of these reports was made.
        """
        self._streamed, self._sure, self._at_s = streamed, sure, at_s

    def streamed(self, now_s: float) -> int:
        """Give their requests that a window of a minute may hold."""
        return self._streamed if now_s - self._at_s < _MINUTE_S else 0

    def surely(self, now_s: float) -> int:
        """Give their requests that a window of a minute must hold."""
        return self._sure if now_s - self._at_s < _SURELY_S else 0
