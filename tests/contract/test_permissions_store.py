"""Lasting permissions and the audit on both databases: found, ended, revoked, forgotten; and presses that give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from sqlmodel import Session

from engine.messages import Address
from engine.permissions.audit import Entry, Open, decisions, note, open_questions
from engine.permissions.grants import Grant, found, give, listed, take_back
from engine.pressed import Pressed
from engine.runs.retention import DAY_MS, Retention
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import ANN, FAST, House, inbox_key, running
from tests.contract.test_runs_presses import Asking, asked

T = TypeVar("T")
_RUN = """INSERT INTO nm_run (id, conv, seq, status, created_at, input, task)
VALUES ('r1', 'x', 1, 'running', 1, '{}', 'r1')"""
ALWAYS = Grant("p", "ann", "Ann", "always", "chat", "", "t", "c1", '{"kind": "call", "what": []}', "r", 5)
HERE = replace(ALWAYS, lifetime="conversation", session="s1", cover="c2")


class _Enough(Exception):
    """Rolls back."""


async def do(house: House, fn: Callable[[Session], T]) -> T:
    return await house.runtime.database.run(fn)


async def covers(house: House) -> list[str]:
    return sorted(grant.cover for grant in await do(house, listed))


async def test_a_grant_is_found_ended_and_revoked(place: Place) -> None:
    async with running(place.url, place.home) as house:
        for grant in (ALWAYS, ALWAYS, HERE, replace(HERE, conversation="other", session="s2")):
            await do(house, lambda s, grant=grant: give(s, grant))
        assert await covers(house) == ["c1", "c2", "c2"]

        async def seen(holder: str, cover: str, session: str) -> bool:
            return await do(house, lambda s: found(s, holder=holder, cover=cover, in_session=session)) is not None

        assert await seen("p", "c1", "any") and await seen("p", "c2", "s1") and not await seen("p", "c2", "s9")
        assert not await seen("q", "c1", "any")
        await house.runtime.new_session(inbox_key("new", "message"), Address("chat"), ANN)
        assert not await seen("p", "c2", "s1") and await seen("p", "c2", "s2") and await seen("p", "c1", "any")
        one = next(grant for grant in await do(house, listed) if grant.cover == "c1")
        taken = await do(house, lambda s: take_back(s, one.id, by="operator", at_ms=9))
        assert taken == one and not await seen("p", "c1", "any")
        assert await do(house, lambda s: take_back(s, one.id, by="operator", at_ms=9)) is None
        (row,) = await do(house, lambda s: decisions(s, run="r"))
        assert (row.decided, row.by, row.basis, row.at_ms) == ("revoked", "operator", one.id, 9)


async def test_open_questions_are_counted_until_they_are_answered_or_over(place: Place) -> None:
    entry = Entry(1, "asked", run="r1", path="tool/0/0", conversation="chat", open_until_ms=100)

    def counts(session: Session) -> None:
        """Count in a transaction that nobody else sees: the run is no real one."""
        note(session, entry)
        assert open_questions(session, "chat", 50) == Open(0, 0), "nobody works on it"
        execute(session, _RUN)
        assert open_questions(session, "chat", 50) == Open(1, 1)
        assert open_questions(session, "else", 50) == Open(0, 1)
        assert open_questions(session, "chat", 100) == Open(0, 0), "its time is over"
        note(session, replace(entry, at_ms=2, decided="denied", open_until_ms=None))
        assert open_questions(session, "chat", 50) == Open(0, 0), "it is answered"
        assert [each.decided for each in decisions(session)] == ["denied", "asked"]
        raise _Enough

    async with running(place.url, place.home) as house:
        with pytest.raises(_Enough):
            await do(house, counts)
        assert await do(house, decisions) == [], "what is rolled back was not decided"


async def test_what_is_old_is_forgotten_and_what_holds_always_is_not(place: Place) -> None:
    async with running(place.url, place.home) as house:
        now_ms = house.runs.replica.clock.now_ms()
        for days in (1, 200, 400):
            at_ms = now_ms - days * DAY_MS
            await do(house, lambda s, at_ms=at_ms: note(s, Entry(at_ms, "allowed", run=f"at{at_ms}")))
            for grant in (ALWAYS, HERE):
                old = replace(grant, cover=f"{grant.cover} {days}", at_ms=at_ms)
                await do(house, lambda s, old=old: give(s, old))
        await Retention(house.runs.replica, house.runs._queue, FAST).clean()
        assert len(await do(house, lambda s: decisions(s))) == 2, "a year by default"
        assert await covers(house) == ["c1 1", "c1 200", "c1 400", "c2 1"]


@pytest.mark.parametrize(
    ("do_", "rank", "code"),
    [
        ("approve_conversation", "member", "approved_conversation"),
        ("approve_always", "member", "rank_too_low"),
        ("approve_always", "admin", "approved_always"),
        ("approve_conversation", "guest", "rank_too_low"),
        ("approve", "guest", "approved"),
    ],
)
async def test_how_long_a_press_may_allow_is_decided_by_the_rank_of_now(
    place: Place, do_: Any, rank: Any, code: Any
) -> None:
    async with running(place.url, place.home, Offering()) as house:
        run = await asked(house)
        ann = ANN.model_copy(update={"rank": rank})
        assert await house.press(run, do_, by=ann, nonce="n1") == Pressed(code=code)
        said = await do(house, lambda s: list(execute(s, "SELECT kind, body FROM nm_control").all()))
        if code == "rank_too_low":
            assert said == []
            assert (await house.press(run, "deny", nonce="n1")).code == "denied", "the question is still open"
        else:
            assert said[0].kind == "approve" and ('"lasting"' in said[0].body) == (do_ != "approve")
        await house.ended(run)


class Offering(Asking):
    """Asks as the real agent does: with who may allow it for how long."""

    def _question(self, deadline_ms: int) -> Any:
        told = super()._question(deadline_ms)
        offers = {"conversation": ["owner", "admin", "member"], "always": ["owner", "admin"]}
        return [each.model_copy(update={"content": {**each.content, "offers": offers}}) for each in told]
