"""A conversation that begins under an answer of another one: a thread under it knows what was said up to there."""

from __future__ import annotations

from sqlmodel import Session

from engine.messages import Address, SessionId, Value
from engine.storage.statement import execute

_PLACE = """SELECT m.session, max(m.n) AS n FROM nm_message m JOIN nm_session s ON s.id = m.session
WHERE m.run IN (SELECT id FROM nm_run WHERE task = (SELECT task FROM nm_run WHERE id = :run)) AND s.conversation <> :to
GROUP BY m.session ORDER BY n DESC LIMIT 1"""
_BEFORE = "SELECT 1 FROM nm_session WHERE conversation = :to LIMIT 1"
_GROW = """INSERT INTO nm_message (session, n, run, path, body, at)
SELECT :into, n, run, 'branch/' || :into || '/' || n, body, at FROM nm_message
WHERE session = :stem AND n <= :upto AND replaced_by IS NULL ORDER BY n DESC LIMIT :most
ON CONFLICT (run, path) DO NOTHING"""


class Branch(Value):
    """Where a session leaves another one: after its message at `upto`."""

    session: SessionId
    upto: int


def branch_of(session: Session, to: Address, follows: str | None) -> Branch | None:
    """Give where the first session of a conversation leaves the one of the run that it follows.

    `None` for a conversation that had a session before: who said `/new` there begins anew.
    """
    if follows is None or execute(session, _BEFORE, to=to).first() is not None:
        return None
    row = execute(session, _PLACE, run=follows, to=to).first()
    return None if row is None else Branch(session=SessionId(row.session), upto=row.n)


def grow(session: Session, branch: Branch, *, into: SessionId, most: int) -> None:
    """Put the newest `most` messages before the branch into the session, at the same places; twice is once.

    They stay those of their own runs: a further attempt of the run that begins here takes the place of none of them.
    """
    execute(session, _GROW, into=into, stem=branch.session, upto=branch.upto, most=most)
