"""Counts and ages of one card's life, for its log line and the account's statistics."""

from __future__ import annotations

from dataclasses import dataclass

from channels.pacing import WriteLog


@dataclass(slots=True)
class _Changes:
    """Changes on their way to the reader: how many, and when the oldest and the newest came (steady seconds)."""

    count: int = 0
    oldest_s: float = 0.0
    newest_s: float = 0.0

    def add(self, count: int, oldest_s: float, newest_s: float) -> None:
        self.oldest_s = min(self.oldest_s, oldest_s) if self.count else oldest_s
        self.newest_s = max(self.newest_s, newest_s) if self.count else newest_s
        self.count += count

    def move(self, other: _Changes) -> None:
        """Take all of `other`."""
        if other.count:
            self.add(other.count, other.oldest_s, other.newest_s)
            other.count = 0


class Tally:
    """Kept by one card stream. A change waits, is taken into a frame, and is then shown, put back or dropped."""

    def __init__(self, account: WriteLog, target_s: float) -> None:
        self._account = account
        self._target_s = target_s
        self._waiting = _Changes()
        self._taken = _Changes()
        self._last_written_s: float | None = None
        self.wanted = 0
        self.written = 0
        self.merged = 0
        self.throttled = 0

    def want(self, now_s: float) -> None:
        """Note that the host has something new to show, drawn or not."""
        self.wanted += 1
        self._account.wanted += 1
        waiting = self._waiting
        if not waiting.count:
            waiting.oldest_s = now_s
        waiting.newest_s = now_s
        waiting.count += 1

    def take(self) -> None:
        """Take all that waits into the frame: its snapshot is drawn now."""
        self._taken.move(self._waiting)

    def put_back(self) -> None:
        """The frame failed: its changes wait again, before those that came since."""
        self._waiting.move(self._taken)

    def show(self, now_s: float) -> None:
        """Note that the frame became visible."""
        taken = self._taken
        if not taken.count:
            return
        self.written += 1
        self.merged += taken.count - 1
        log = self._account
        log.written += 1
        log.merged += taken.count - 1
        log.hidden.add(now_s - taken.newest_s)
        log.stale.add(now_s - taken.oldest_s)
        last_s = self._last_written_s
        if last_s is not None and taken.oldest_s <= last_s + self._target_s:
            log.gap.add(now_s - last_s)
        self._last_written_s = now_s
        taken.count = 0

    def drop(self) -> None:
        """Note that the frame needed no write, or that its write was refused for good."""
        self.merged += self._taken.count
        self._account.merged += self._taken.count
        self._taken.count = 0

    def throttle(self) -> None:
        """Note that a frame waited for the account's budget."""
        self.throttled += 1
        self._account.throttled += 1
