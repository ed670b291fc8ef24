"""Requests to be let in: made by a stranger, decided by an admin. Each function works in the caller's transaction."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final, Literal

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, select, update

from gateway.stores.people.tables import PairingRow, PersonRow

ALPHABET: Final = "ACDEFGHJKMNPQRTUVWXY34679"
"""No 0 O, 1 I L, 2 Z, 5 S, 8 B: the code is read from one screen and typed at another."""
CODE_CHARS: Final = 8
LIFE_MS: Final = 3_600_000
MOST_PENDING: Final = 3
"""For each account: whoever comes after them must wait, so that nobody can drown an admin in requests."""
_ONE_BY_ONE: Final = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(CAST(:account AS text), 0))")


@dataclass(frozen=True, slots=True)
class Request:
    """A request that waits. `person` is their name by id, `name` what the platform calls them."""

    person: str
    code: str
    name: str
    until_ms: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of asking: `new` and `known` have a code; `full`: too many wait; `denied`: an admin said no."""

    state: Literal["new", "known", "full", "denied"]
    code: str = ""


def as_typed(code: str) -> str:
    """Give a code as it was made, however it was typed."""
    return "".join(code.split()).replace("-", "").upper()


def ask(session: Session, person: str, name: str, *, now_ms: int) -> Asked:
    """Make a request, or find the one that waits.

    One at a time for each account: on Postgres two who ask at once would each see the room that one takes.
    """
    account = _account_of(person)
    if session.connection().dialect.name == "postgresql":
        session.connection().execute(_ONE_BY_ONE, {"account": f"pairing {account}"})
    session.exec(delete(PairingRow).where(col(PairingRow.until) <= now_ms))
    row = session.get(PairingRow, person)
    if row is not None:
        row.name = name or row.name  # platforms tell names later than messages
        session.add(row)
        session.flush()
        return Asked("denied") if row.state == "denied" else Asked("known", row.code)
    if len(pending(session, account, now_ms=now_ms)) >= MOST_PENDING:
        return Asked("full")
    code = _new_code(session, account)
    session.add(PairingRow(person=person, account=account, code=code, name=name, until=now_ms + LIFE_MS))
    session.flush()
    return Asked("new", code)


def pending(session: Session, account: str | None = None, *, now_ms: int) -> list[Request]:
    """Give what waits, the oldest first; of one account, or of all."""
    query = select(PairingRow).where(PairingRow.state == "pending", col(PairingRow.until) > now_ms)
    if account is not None:
        query = query.where(PairingRow.account == account)
    rows = session.exec(query.order_by(col(PairingRow.until), col(PairingRow.person))).all()
    return [Request(row.person, row.code, row.name, row.until) for row in rows]


def approve(session: Session, request: Request, rank: str, *, by: str, now_ms: int) -> bool:
    """Let somebody in; false when another admin decided meanwhile."""
    if session.exec(delete(PairingRow).where(*_still(request))).rowcount != 1:
        return False
    session.merge(PersonRow(person=request.person, rank=rank, name=request.name, by=by, at=now_ms))
    session.flush()
    return True


def deny(session: Session, request: Request) -> bool:
    """Refuse somebody, who then cannot ask again until the request would have ended. Gives what `approve` gives."""
    return session.exec(update(PairingRow).where(*_still(request)).values(state="denied")).rowcount == 1


def _still(request: Request) -> tuple[ColumnElement[bool], ...]:
    return (
        col(PairingRow.person) == request.person,
        col(PairingRow.code) == request.code,
        col(PairingRow.state) == "pending",
    )


def _new_code(session: Session, account: str) -> str:
    taken = set(session.exec(select(PairingRow.code).where(PairingRow.account == account)).all())
    while True:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_CHARS))
        if code not in taken:
            return code


def _account_of(person: str) -> str:
    return person.rpartition(":")[0]
