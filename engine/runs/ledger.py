"""The ledger of final answers: a row exists before the last word is written, and ends with the platform's receipt.

Stored as owed (shown to operators as pending), trying (attempting), delivered, unchanged (a change after the end that
cannot be shown; the answer is visible), dead (failed, with the reason). An owed row is tried while its reason says so.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlmodel import Session

from engine.messages import RunId
from engine.ports import UNPROVEN, Delivered, Owed, Unchanged
from engine.storage.statement import Dialect, change, execute

log = logging.getLogger(__name__)

Kind = Literal["final", "refresh", "again"]
"""The answer; a change of what shows it; the answer once more, because somebody asked."""
DEAD_AFTER_MS = 3 * 86_400_000
"""An answer is given up when it is this old: an outage or a missing right may last a weekend, and is mended then."""
LEAST_TRIES = 12
"""And was tried so often, which takes a quarter of an hour: a process that was off for a week gets its chance."""
MOST_UNRETURNED = 8
"""So often in a row a try may end with the process; then it is what ends it. More than a run gets, whose crashes mark
the tries beside it."""
POISON = "poison"
"""Reason of a row that was given up for that."""
LONGEST_WAIT_MS = 300_000
AWAY_WAIT_MS = 10_000
"""How long to wait for a platform that cannot be reached. Not counted, so it does not grow."""
BEYOND_MS = 2 * LONGEST_WAIT_MS
"""Nothing is due so late, unless the clock was ahead when it was put off."""
REVIVED_FOR_MS = 14 * 86_400_000
"""A younger dead letter is tried again when a process starts: whoever mends a cause restarts."""
HELD_MS = 60_000
"""How long a row that somebody tries is left alone by others."""

_NEXT = """status = 'owed' AND NOT EXISTS (
  SELECT 1 FROM nm_delivery AS e WHERE e.run = d.run AND e.status IN ('owed', 'trying') AND e.id < d.id)"""
"""One row of a run after another, oldest first."""
TRYING = "trying "
"""The reason of a row while somebody tries it begins so; how often in a row a try ended with its process follows."""
_SUSPECT = f"(reason LIKE '{TRYING}%' AND reason <> '{TRYING}1')"
"""What was in work when a process ended, and ended with the next one too. One such row is tried at a time, and nothing
beside it: the next crash points at it and spares the others."""
_LEFT = """NOT EXISTS (SELECT 1 FROM nm_run AS r JOIN nm_replica AS p ON p.id = r.owner WHERE r.id = d.run)"""
"""Whoever tried it is gone: looked at only where a clock was ahead, since else the time a row is held is over soon."""
_OPEN_NOW = f"{_NEXT} AND (:suspects = 1 OR NOT {_SUSPECT})"
_PENDING = (
    """SELECT kind, count(*) AS n, min(created_at) AS since FROM nm_delivery WHERE status = 'owed' GROUP BY kind"""
)
_HAND_OVER = f"""UPDATE nm_delivery SET due_at = :at, reason = '' WHERE status = 'owed' AND reason LIKE '{TRYING}%'
AND EXISTS (SELECT 1 FROM nm_run AS r WHERE r.id = nm_delivery.run AND r.owner = :owner)"""

_SHOWN = "SELECT 1 FROM nm_delivery WHERE run = :run AND kind = 'final' AND status = 'delivered' LIMIT 1"
_DEAD = """SELECT CASE WHEN reason = :unproven THEN 'unproven'
WHEN tries >= :tries AND done_at - created_at >= :age THEN 'old' ELSE 'impossible' END AS why, count(*) AS n
FROM nm_delivery WHERE kind = 'final' AND status = 'dead' GROUP BY 1"""
_REVIVE = """UPDATE nm_delivery SET status = 'owed', due_at = :at, done_at = NULL
WHERE kind = 'final' AND status = 'dead' AND reason NOT IN (:poison, :unproven) AND done_at > :since"""


@dataclass(frozen=True, slots=True)
class Due:
    """A row taken for one try. `attempt` is new and outranks everything written for the run before."""

    id: int
    run: RunId
    kind: Kind
    tries: int
    attempt: int
    created_ms: int = 0
    unreturned: int = 0
    """Tries in a row that ended with their process, this one not counted."""

    @property
    def is_suspect(self) -> bool:
        """Tell whether it is tried alone."""
        return self.unreturned > 1

    def is_dead(self, result: Delivered | Owed | Unchanged, at_ms: int) -> bool:
        """Tell whether this try was the last one."""
        if not isinstance(result, Owed):
            return False
        is_old = self.tries >= LEAST_TRIES and at_ms - self.created_ms >= DEAD_AFTER_MS
        return result.permanent or (is_old and not result.away)


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """Answers nobody saw, as far as is known.

    `old`: given up for their age, so something can be mended; `impossible`: they can never be shown; `unproven`: they
    may have been seen, and their person was told so.
    """

    old: int = 0
    impossible: int = 0
    unproven: int = 0

    @property
    def count(self) -> int:
        """Give how many there are."""
        return self.old + self.impossible + self.unproven


@dataclass(frozen=True, slots=True)
class OpenRows:
    """What the queue has to do: `due_ms` is when the next row is due, `pending` counts all by kind."""

    due_ms: int | None
    pending: Mapping[str, int]
    oldest_ms: int | None
    """Since when the oldest waits (UTC ms)."""


class Ledger:
    """The rows of `nm_delivery`. All methods work inside the caller's transaction."""

    def __init__(self, dialect: Dialect) -> None:
        self._take = f"""SELECT id, run, kind, reason, created_at FROM nm_delivery AS d
WHERE {_OPEN_NOW} AND (due_at <= :now OR (due_at > :beyond AND (reason NOT LIKE '{TRYING}%' OR {_LEFT})))
ORDER BY CASE WHEN {_SUSPECT} THEN reason ELSE '' END, due_at, id LIMIT 1 {dialect.skip_locked}"""
        # Whoever takes a row locks it before its run, the caller here the run before: what is locked is being taken.
        self._soon = f"""UPDATE nm_delivery SET due_at = :at WHERE id IN (SELECT id FROM nm_delivery
WHERE run = :run AND kind <> 'refresh' AND status = 'owed' AND due_at > :at AND reason NOT LIKE '{TRYING}%'
{dialect.skip_locked})"""

    def promise(self, session: Session, run: RunId, at_ms: int) -> None:
        """Note that the turn of `run` tries to show its final answer."""
        self._insert(session, run, "final", "trying", at_ms)

    def owe(self, session: Session, run: RunId, kind: Kind, at_ms: int) -> None:
        """Hand something to the queue."""
        self._insert(session, run, kind, "owed", at_ms)

    def owes(self, session: Session, run: RunId) -> bool:
        """Tell whether anything of `run` is left to the queue: its answer, or a change that came before its end."""
        sql = "SELECT 1 FROM nm_delivery WHERE run = :run AND status = 'owed' LIMIT 1"
        return execute(session, sql, run=run).first() is not None

    def settle(self, session: Session, run: RunId, result: Delivered | Owed, at_ms: int) -> None:
        """Note how the turn's own try went."""
        sql = """UPDATE nm_delivery SET status = :status, reason = :reason, receipt = :receipt, due_at = :due_at,
done_at = :done_at WHERE run = :run AND kind = 'final' AND status = 'trying'"""
        is_dead = isinstance(result, Owed) and result.permanent
        execute(session, sql, run=run, **_outcome(result, 0, at_ms, is_dead=is_dead))

    def take(self, session: Session, owner: str, at_ms: int, *, suspects: bool) -> Due | None:
        """Take the next row that is due, with a new attempt number for its run; suspects last, if at all."""
        row = execute(session, self._take, now=at_ms, beyond=at_ms + BEYOND_MS, suspects=int(suspects)).first()
        if row is None:
            return None
        unreturned = _unreturned(row.reason)
        hold = """UPDATE nm_delivery SET tries = tries + 1, due_at = :due_at, reason = :reason
WHERE id = :id RETURNING tries"""
        reason = f"{TRYING}{unreturned + 1}"
        tries = execute(session, hold, id=row.id, due_at=at_ms + HELD_MS, reason=reason).scalar_one()
        fence = "UPDATE nm_run SET attempt = attempt + 1, owner = :owner WHERE id = :run RETURNING attempt"
        attempt = execute(session, fence, run=row.run, owner=owner).scalar()
        if attempt is None:
            # Left by a version that forgot runs without looking; at the head of the queue it would stop everybody.
            log.error("delivery_without_run", extra={"run": row.run})
            execute(session, "DELETE FROM nm_delivery WHERE id = :id", id=row.id)
            return self.take(session, owner, at_ms, suspects=suspects)
        return Due(row.id, RunId(row.run), row.kind, int(tries), int(attempt), int(row.created_at), unreturned)

    def close(self, session: Session, due: Due, result: Delivered | Owed | Unchanged, at_ms: int) -> bool:
        """Note how a try went; false when another owner took the row meanwhile.

        A card that is shown anew after its answer was given up shows the answer too, and so does a further message.
        """
        sql = """UPDATE nm_delivery SET status = :status, reason = :reason, receipt = :receipt, due_at = :due_at,
done_at = :done_at, tries = :counted WHERE id = :id AND tries = :tries AND status = 'owed'"""
        told = _outcome(result, due.tries, at_ms, is_dead=due.is_dead(result, at_ms))
        counted = due.tries - (isinstance(result, Owed) and result.away)
        if change(session, sql, id=due.id, tries=due.tries, counted=counted, **told) != 1:
            return False
        if due.kind != "final" and isinstance(result, Delivered):
            late = """UPDATE nm_delivery SET status = 'delivered', reason = '', receipt = :receipt, done_at = :at
WHERE run = :run AND kind = 'final' AND status = 'dead'"""
            execute(session, late, run=due.run, receipt=told["receipt"], at=at_ms)
        return True

    def dead_letters(self, session: Session) -> DeadLetters:
        """Count the answers that were given up."""
        rows = execute(session, _DEAD, unproven=UNPROVEN, tries=LEAST_TRIES, age=DEAD_AFTER_MS)
        return DeadLetters(**{row.why: int(row.n) for row in rows})

    def revive(self, session: Session, at_ms: int) -> int:
        """Owe again what was given up not long ago, and give how many; one more failure gives it up again.

        What ended its process is left alone: it would do so at every start. So is what may have arrived: its person
        knows how to see it again.
        """
        since_ms = at_ms - REVIVED_FOR_MS
        return change(session, _REVIVE, at=at_ms, poison=POISON, unproven=UNPROVEN, since=since_ms)

    def owe_again(self, session: Session, run: RunId, at_ms: int) -> bool:
        """Owe what was given up of a run because somebody wants it, whatever the reason was; false: nothing was.

        What may have arrived is sent as a further message. What ended its process may do so once more.
        """
        dead = "SELECT kind, reason FROM nm_delivery WHERE run = :run AND status = 'dead' AND kind <> 'refresh'"
        rows = execute(session, dead, run=run).all()
        if not rows:
            return False
        if any(row.reason == UNPROVEN for row in rows):
            self.ask_again(session, run, at_ms)
            return True
        sql = """UPDATE nm_delivery SET status = 'owed', due_at = :at, done_at = NULL,
reason = CASE WHEN reason = :poison THEN :once ELSE reason END
WHERE run = :run AND kind <> 'refresh' AND status = 'dead'"""
        execute(session, sql, run=run, at=at_ms, poison=POISON, once=f"{TRYING}{MOST_UNRETURNED - 1}")
        return True

    def ask_again(self, session: Session, run: RunId, at_ms: int) -> None:
        """Owe the answer once more, if that is not owed already."""
        asked = "SELECT 1 FROM nm_delivery WHERE run = :run AND kind = 'again' AND status = 'owed' LIMIT 1"
        if execute(session, asked, run=run).first() is None:
            self.owe(session, run, "again", at_ms)

    def came_meanwhile(self, session: Session, due: Due) -> bool:
        """Tell whether the answer was shown after somebody asked for it once more: then they have it."""
        sql = """SELECT 1 FROM nm_delivery
WHERE run = :run AND kind = 'final' AND status = 'delivered' AND done_at > :since LIMIT 1"""
        return execute(session, sql, run=due.run, since=due.created_ms).first() is not None

    def hasten(self, session: Session, run: RunId, at_ms: int) -> bool:
        """Try at once what is owed of a run's answer; false when nothing is. What is being tried goes on."""
        sql = (
            "SELECT 1 FROM nm_delivery WHERE run = :run AND kind <> 'refresh' AND status IN ('owed', 'trying') LIMIT 1"
        )
        if execute(session, sql, run=run).first() is None:
            return False
        execute(session, self._soon, run=run, at=at_ms)
        return True

    def was_delivered(self, session: Session, run: RunId) -> bool:
        """Tell whether the final answer of `run` was proven to be visible."""
        return execute(session, _SHOWN, run=run).first() is not None

    def open_rows(self, session: Session, *, suspects: bool) -> OpenRows:
        """Give when the next row that `take` would give is due, and how much is open."""
        due = f"SELECT min(due_at) FROM nm_delivery AS d WHERE {_OPEN_NOW}"
        due_ms = execute(session, due, suspects=int(suspects)).scalar()
        rows = execute(session, _PENDING).all()
        pending = {str(row.kind): int(row.n) for row in rows}
        return OpenRows(due_ms, pending, min((int(row.since) for row in rows), default=None))

    def release(self, session: Session, at_ms: int) -> None:
        """Make rows due that a process held when it died; only where no other process can hold any."""
        execute(session, "UPDATE nm_delivery SET due_at = :at WHERE status = 'owed' AND due_at > :at", at=at_ms)

    def hand_over(self, session: Session, owner: str, at_ms: int) -> None:
        """Make due what `owner` has in work, without a mark: its tries were cut, they did not end the process."""
        execute(session, _HAND_OVER, at=at_ms, owner=owner)

    @staticmethod
    def _insert(session: Session, run: RunId, kind: Kind, status: str, at_ms: int) -> None:
        sql = """INSERT INTO nm_delivery (run, kind, status, due_at, created_at)
VALUES (:run, :kind, :status, :at, :at)"""
        execute(session, sql, run=run, kind=kind, status=status, at=at_ms)


def wait_ms(tries: int) -> int:
    """Give the pause after so many tries: 1 s doubling to five minutes."""
    return min(1000 * 2 ** min(tries, 20), LONGEST_WAIT_MS)


def _unreturned(reason: str) -> int:
    """Read how many tries in a row did not come back: each leaves a mark, and whoever comes back overwrites it."""
    return int(reason.removeprefix(TRYING)) if reason.startswith(TRYING) else 0


def _outcome(result: Delivered | Owed | Unchanged, tries: int, at_ms: int, *, is_dead: bool) -> dict[str, object]:
    if isinstance(result, Delivered):
        receipt = json.dumps(result.receipt)
        return {"status": "delivered", "reason": "", "receipt": receipt, "due_at": at_ms, "done_at": at_ms}
    if isinstance(result, Unchanged):
        return {"status": "unchanged", "reason": result.reason, "receipt": None, "due_at": at_ms, "done_at": at_ms}
    return {
        "status": "dead" if is_dead else "owed",
        "reason": result.reason,
        "receipt": None,
        "due_at": at_ms + (AWAY_WAIT_MS if result.away else wait_ms(tries)),
        "done_at": at_ms if is_dead else None,
    }
