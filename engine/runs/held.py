"""Messages that wait before they become runs: for words that belong to them, or for a person's decision.

A held message is an inbox row with its input; it is acked like any other, so nothing of it may live in memory alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlmodel import Session

from engine.messages import InboxKey, RunId, RunInput
from engine.runs.admission import Overload
from engine.runs.inbox import Inbox, Noted, Submitted
from engine.runs.rewording import corrected
from engine.storage.ids import new_id
from engine.storage.statement import change, execute

HoldReason = Literal["join", "backlog"]
"""join: its writer may be about to add words. backlog: it came so late that somebody is asked first."""

_WAITING = """SELECT i.channel, i.account, i.kind, i.key, i.run, i.body, i.at, r.status FROM nm_inbox AS i
LEFT JOIN nm_run AS r ON r.id = i.run
WHERE i.route = 'held' AND i.reason = :reason AND i.at <= :before ORDER BY i.at, i.key"""
_ASSIGN = """UPDATE nm_inbox SET run = :run
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key AND route = 'held'"""
_LEAVE = """UPDATE nm_inbox SET route = :route, reason = :reason, run = :run
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key AND route = 'held'"""


_LEFT = "SELECT 1 FROM nm_inbox WHERE route = 'held' AND reason = 'backlog' AND run = :run LIMIT 1"


@dataclass(frozen=True, slots=True)
class HeldMessage:
    """One that waits. `asked` is the run that asked last what should become of it; `is_open` while it still does."""

    key: InboxKey
    given: RunInput
    at_ms: int
    asked: RunId | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a message that should wait: whether it is new, and why it was not kept."""

    is_new: bool
    overload: Overload | None = None


class Held:
    """Keeps and releases them. All methods work inside the caller's transaction."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def hold(self, session: Session, given: RunInput, key: InboxKey, reason: HoldReason, at_ms: int) -> Kept:
        """Store a message that waits, once.

        One that waits for words is refused like a run. Late ones are not: they are asked about, on one card.
        """
        body = corrected(session, key, given).model_dump_json()
        overload = self._inbox.admission.too_many_held(session, given) if reason == "join" else None
        is_new = self._inbox.note(session, key, Noted(given.to, "held", reason, body=body), at_ms)
        if is_new and overload is not None:
            self._inbox.refuse(session, key, overload)
        return Kept(is_new, overload if is_new else None)

    def waiting(self, session: Session, reason: HoldReason, before_ms: int) -> list[HeldMessage]:
        """Give what waits for this reason and came before, in the order in which it was written.

        After an outage platforms deliver in any order.
        """
        waiting = [_held(row) for row in execute(session, _WAITING, reason=reason, before=before_ms)]
        return sorted(waiting, key=lambda each: each.given.sent_at_ms)

    def ask_about(self, session: Session, keys: Sequence[InboxKey], run: RunId) -> None:
        """Note which run asks what should become of them."""
        for key in keys:
            change(session, _ASSIGN, run=run, **key.model_dump())

    def begin(self, session: Session, key: InboxKey, given: RunInput, at_ms: int) -> RunId | None:
        """Let one become a run; `None` when it waits no more."""
        run = RunId(new_id())
        if change(session, _LEAVE, route="turn", reason="", run=run, **key.model_dump()) != 1:
            return None
        self._inbox.line_up(session, run, given, at_ms)
        return run

    def forget(self, session: Session, key: InboxKey, reason: str) -> bool:
        """Let one become nothing; gives whether it still waited."""
        return change(session, _LEAVE, route="ignored", reason=reason, run=None, **key.model_dump()) == 1

    def is_asked_about(self, session: Session, run: RunId) -> bool:
        """Tell whether anything still waits for the answer to this run's question."""
        return execute(session, _LEFT, run=run).first() is not None

    def submit(
        self, session: Session, given: RunInput, key: InboxKey, joins: Sequence[InboxKey], at_ms: int
    ) -> Submitted:
        """Submit a message together with those of its writer that waited for it: one run with the parts of all."""
        if not joins:
            return self._inbox.submit(session, given, key, at_ms)
        waiting = {each.key: each for each in self.waiting(session, "join", at_ms)}
        joined = [waiting[each] for each in joins if each in waiting]
        parts = tuple(part for each in joined for part in each.given.parts)
        submitted = self._inbox.submit(session, given.model_copy(update={"parts": (*parts, *given.parts)}), key, at_ms)
        if submitted.overload is not None:
            for each in joined:
                self.forget(session, each.key, submitted.overload.reason)
        elif not submitted.duplicate:
            for each in joined:
                change(session, _LEAVE, route="turn", reason="joined", run=submitted.run, **each.key.model_dump())
        return submitted


def _held(row: Any) -> HeldMessage:
    return HeldMessage(
        InboxKey(channel=row.channel, account=row.account, kind=row.kind, key=row.key),
        RunInput.model_validate_json(row.body),
        row.at,
        None if row.run is None else RunId(row.run),
        row.status in ("queued", "running"),
    )
