"""A conversation that begins under an answer of another one: a thread under it knows what was said up to there."""

from __future__ import annotations

from sqlmodel import Session

from engine.messages import Address, SessionId, Value
from engine.storage.statement import execute

_STEM = """SELECT s.id FROM nm_message m JOIN nm_session s ON s.id = m.session
WHERE m.run = :run AND m.path = 'input' AND s.conversation <> :to"""
_UPTO = """SELECT max(n) FROM nm_message WHERE session = :stem AND run IN (
  SELECT run FROM nm_message WHERE session = :stem AND question LIKE :task)"""
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
    stem = execute(session, _STEM, run=follows, to=to).scalar()
    if stem is None:
        return None
    # A message's first run gives its task the name; what further attempts said counts too (see `attempts`).
    upto = execute(session, _UPTO, stem=stem, task=f"{follows}:%").scalar()
    return None if upto is None else Branch(session=SessionId(stem), upto=upto)


def grow(session: Session, branch: Branch, *, into: SessionId, most: int) -> None:
    """Put the newest `most` messages before the branch into the session, at the same places; twice is once.

    They stay those of their own runs: a further attempt of the run that begins here takes the place of none of them.
    """
    execute(session, _GROW, into=into, stem=branch.session, upto=branch.upto, most=most)
