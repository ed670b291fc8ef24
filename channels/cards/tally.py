"""Counts and ages of one card's life, for its log line and the account's statistics."""

from __future__ import annotations

from dataclasses import dataclass

from channels.pacing import WriteLog


@dataclass(frozen=True, slots=True)
class Pending:
    """Snapshots that wait to be shown: how many, and when the oldest and the newest came (steady seconds)."""

    count: int
    oldest_s: float
    newest_s: float


class Tally:
    """Kept by one card stream."""

    def __init__(self, account: WriteLog, target_s: float) -> None:
        self._account = account
        self._target_s = target_s
        self._pending: Pending | None = None
        self._last_written_s: float | None = None
        self.wanted = 0
        self.written = 0
        self.merged = 0
        self.throttled = 0

    def want(self, now_s: float) -> None:
        """Note a snapshot."""
        self.wanted += 1
        self._account.wanted += 1
        old = self._pending
        self._pending = Pending(old.count + 1, old.oldest_s, now_s) if old else Pending(1, now_s, now_s)

    def take(self) -> Pending | None:
        """Take all pending snapshots into a frame."""
        pending, self._pending = self._pending, None
        return pending

    def put_back(self, pending: Pending | None) -> None:
        """The frame failed: its snapshots wait again, before those that came since."""
        if pending is None:
            return
        new = self._pending
        count, newest_s = (pending.count + new.count, new.newest_s) if new else (pending.count, pending.newest_s)
        self._pending = Pending(count, pending.oldest_s, newest_s)

    def show(self, pending: Pending | None, now_s: float) -> None:
        """Note that a frame became visible."""
        if pending is None:
            return
        self.written += 1
        self.merged += pending.count - 1
        log = self._account
        log.written += 1
        log.merged += pending.count - 1
        log.hidden.add(now_s - pending.newest_s)
        log.stale.add(now_s - pending.oldest_s)
        last_s = self._last_written_s
        if last_s is not None and pending.oldest_s <= last_s + self._target_s:
            log.gap.add(now_s - last_s)
        self._last_written_s = now_s

    def drop(self, pending: Pending | None) -> None:
        """Note snapshots that needed no write, or whose write was refused for good."""
        if pending is not None:
            self.merged += pending.count
            self._account.merged += pending.count

    def throttle(self) -> None:
        """Note that a frame waited for the account's budget."""
        self.throttled += 1
        self._account.throttled += 1
