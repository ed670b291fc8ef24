"""Lasting permissions that people gave: one row each, gone when it is revoked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlmodel import Session

from engine.messages import Principal, RunInput
from engine.permissions.approvals import Lifetime
from engine.permissions.audit import Entry, note
from engine.storage.ids import new_id
from engine.storage.statement import change, execute

_GIVE = """INSERT INTO nm_grant (id, holder, person, name, lifetime, conversation, session, tool, cover, covers,
run, at) VALUES (:id, :holder, :person, :name, :lifetime, :conversation, :session, :tool, :cover, :covers, :run, :at)
ON CONFLICT (holder, session, cover) DO NOTHING"""
_FIND = """SELECT * FROM nm_grant WHERE holder = :holder AND cover = :cover AND session IN ('', :session)
ORDER BY session DESC LIMIT 1"""
_LIST = "SELECT * FROM nm_grant ORDER BY at DESC, id DESC LIMIT :most"
_OF_CONVERSATION = "DELETE FROM nm_grant WHERE conversation = :conversation AND session <> ''"
_OLD = """DELETE FROM nm_grant WHERE id IN (
SELECT id FROM nm_grant WHERE session <> '' AND at < :before LIMIT :most)"""
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Grant:
    """One lasting permission. It is for calls of `tool` that `cover` names; `covers` tells that to people.

    `holder` may make them: a person by account, or a schedule. `person` and `name` gave it. One for a conversation
    holds in one `session` of it; `session` is empty for one that holds always. `at_ms` is UTC.
    """

    holder: str
    person: str
    name: str
    lifetime: Lifetime
    conversation: str
    session: str
    tool: str
    cover: str
    covers: str
    run: str
    at_ms: int
    id: str = ""


def holder_of(given: RunInput) -> str:
    """Name who may use what was granted: the person who asks, or the schedule, which has nothing of any person."""
    return f"schedule:{given.schedule}" if given.schedule else person_holder(given.account, given.by)


def person_holder(account: str, person: Principal) -> str:
    """Name a person of an account; `account` is in the host's words, as in `RunInput`."""
    return f"{account_holders(account)}{person.tenant}:{person.id}"


def account_holders(account: str) -> str:
    """Give what the names of all persons of an account begin with."""
    return f"person:{account}:"


def give(session: Session, grant: Grant) -> None:
    """Store a permission; one that is there already stays as it is."""
    execute(
        session,
        _GIVE,
        id=new_id(),
        holder=grant.holder,
        person=grant.person,
        name=grant.name,
        lifetime=grant.lifetime,
        conversation=grant.conversation,
        session=grant.session,
        tool=grant.tool,
        cover=grant.cover,
        covers=grant.covers,
        run=grant.run,
        at=grant.at_ms,
    )


def found(session: Session, *, holder: str, cover: str, in_session: str) -> Grant | None:
    """Give the permission that covers a call; `None` when a person has to be asked."""
    row = execute(session, _FIND, holder=holder, cover=cover, session=in_session).mappings().first()
    return None if row is None else _grant(row)


def listed(session: Session, most: int = 500) -> Sequence[Grant]:
    """Give what was granted and not revoked, newest first."""
    return [_grant(row) for row in execute(session, _LIST, most=most).mappings()]


def take_back(session: Session, id: str, *, by: str, at_ms: int) -> Grant | None:
    """Revoke one, from the next call on, and write that into the audit; `None` when there is none of this id."""
    row = execute(session, "DELETE FROM nm_grant WHERE id = :id RETURNING *", id=id).mappings().first()
    if row is None:
        return None
    grant = _grant(row)
    entry = Entry(at_ms, "revoked", run=grant.run, conversation=grant.conversation, person=grant.holder)
    note(session, replace(entry, name=grant.name, tool=grant.tool, args=grant.covers, basis=grant.id, by=by))
    return grant


def end_in(session: Session, conversation: str) -> int:
    """Take back all that was granted for a conversation, which starts over; give how many."""
    return change(session, _OF_CONVERSATION, conversation=conversation)


def forget_grants(session: Session, before_ms: int) -> bool:
    """Forget permissions for conversations that were given before; tells whether more may be left."""
    return change(session, _OLD, before=before_ms, most=AT_ONCE) == AT_ONCE


def _grant(row: Any) -> Grant:
    values = {name: row[name] for name in Grant.__dataclass_fields__ if name != "at_ms"}
    return Grant(**values, at_ms=row["at"])
