"""The store of people. Several processes may use it at once: nothing is remembered between two calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import sqlalchemy as sa
from sqlmodel import Session, col, delete, select

from engine.runtime import Database
from gateway.stores.people import requests
from gateway.stores.people.requests import Asked, Request
from gateway.stores.people.tables import AccessRow, PersonRow, ToldRow

T = TypeVar("T")
Rank = Literal["owner", "admin", "member", "guest"]
TELL_AGAIN_MS: Final = 3_600_000
_KNOWN = sa.text("""SELECT (SELECT rank FROM nm_person WHERE person = :person) AS rank, groups, threads
FROM (SELECT 1) AS one LEFT JOIN nm_access ON conversation = :conversation""")
_TELL = sa.text("""INSERT INTO nm_told (conversation, person, at) VALUES (:conversation, :person, :at)
ON CONFLICT (conversation, person) DO UPDATE SET at = excluded.at WHERE nm_told.at <= :long_ago""")


@dataclass(frozen=True, slots=True)
class Known:
    """What the database holds of a person in a conversation; `None` where it says nothing."""

    rank: str | None = None
    groups: str | None = None
    threads: str | None = None


class People:
    """Who was let in, who asks for it, what a conversation decided, who was told. All raise `StorageError`.

    Uses the engine's one database object: the gateway's tables lie beside its own and move with them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def known(self, person: str, conversation: str) -> Known:
        """Give what there is of both, in one look."""

        def read(session: Session) -> Known:
            row = session.connection().execute(_KNOWN, {"person": person, "conversation": conversation}).one()
            return Known(row.rank, row.groups, row.threads)

        return await self._database.read(read)

    async def let_in(self) -> list[PersonRow]:
        """Give everybody who was let in, the last first."""
        return await self._database.read(
            lambda session: list(session.exec(select(PersonRow).order_by(col(PersonRow.at).desc())).all())
        )

    async def ask(self, person: str, name: str, *, now_ms: int) -> Asked:
        """Make a person's request to be let in, or find the one they have."""
        return await self._database.run(lambda session: requests.ask(session, person, name, now_ms=now_ms))

    async def pending(self, *, now_ms: int) -> list[Request]:
        """Give the requests that wait, the oldest first."""
        return await self._database.read(lambda session: requests.pending(session, now_ms=now_ms))

    async def approve(
        self, code: str, rank: Rank, *, by: str, now_ms: int, account: str | None = None
    ) -> Request | None:
        """Let in whoever has this code, on this account or on any; `None`: nobody has it, or has it any more."""
        return await self._decide(
            code, account, now_ms, lambda session, found: requests.approve(session, found, rank, by=by, now_ms=now_ms)
        )

    async def deny(self, code: str, *, now_ms: int, account: str | None = None) -> Request | None:
        """Refuse whoever has this code; gives what `approve` gives."""
        return await self._decide(code, account, now_ms, requests.deny)

    async def revoke(self, person: str) -> bool:
        """Take back that somebody was let in; false when nobody did."""

        def write(session: Session) -> bool:
            return session.exec(delete(PersonRow).where(col(PersonRow.person) == person)).rowcount == 1

        return await self._database.run(write)

    async def decide_conversation(
        self, conversation: str, wanted: Mapping[str, str | None], *, by: str, at_ms: int
    ) -> None:
        """Keep what holds in one conversation (`groups`, `threads`; `None`: as everywhere), unless it is older."""

        def write(session: Session) -> None:
            row = session.get(AccessRow, conversation) or AccessRow(conversation=conversation, at=0)
            if row.at <= at_ms:
                row.groups = wanted.get("groups", row.groups)
                row.threads = wanted.get("threads", row.threads)
                row.by, row.at = by, at_ms
                session.add(row)
                session.flush()

        await self._database.run(write)

    async def may_tell(self, person: str, conversation: str, *, now_ms: int) -> bool:
        """Tell whether somebody is to be told now that they are not answered: once an hour, also over a restart."""
        values = {"person": person, "conversation": conversation, "at": now_ms, "long_ago": now_ms - TELL_AGAIN_MS}

        def write(session: Session) -> bool:
            told = session.connection().execute(_TELL, values).rowcount == 1
            if told:
                session.exec(delete(ToldRow).where(col(ToldRow.at) < values["long_ago"]))
            return told

        return await self._database.run(write)

    async def _decide(
        self, code: str, account: str | None, now_ms: int, do: Callable[[Session, Request], bool]
    ) -> Request | None:
        def write(session: Session) -> Request | None:
            waiting = requests.pending(session, account, now_ms=now_ms)
            found = next((each for each in waiting if each.code == requests.as_typed(code)), None)
            return found if found is not None and do(session, found) else None

        return await self._database.run(write)
