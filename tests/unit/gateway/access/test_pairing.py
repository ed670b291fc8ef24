"""Requests to be let in: codes, their life, how many, who decides."""

from __future__ import annotations

import re

from channels.events import Sender
from engine.runtime import Database
from gateway.stores.people import People
from gateway.stores.people.requests import ALPHABET
from tests.unit.gateway.access.stage import ANN, BOB, DIRECT, Stage

HOUR_S = 3600.0


async def code_of(stage: Stage, who: Sender = ANN) -> str:
    told = await stage.told(who, DIRECT)
    assert told is not None and told.key == "notice.not_paired"
    return told.params["code"]


async def test_a_stranger_gets_a_code_once_an_hour_and_is_let_in_by_it(database: Database) -> None:
    stage = Stage(database, dm="pairing")
    code = await code_of(stage)
    assert re.fullmatch(f"[{ALPHABET}]{{8}}", code) and not set(ALPHABET) & set("0O1IL2Z5S8B")
    assert [await stage.told(ANN, DIRECT) for _ in range(3)] == [None, None, None]
    typed = f" {code[:4].lower()}-{code[4:]} "
    found = await stage.people.approve(typed, "member", by="", now_ms=stage.clock.now_ms())
    assert found is not None and (found.person, found.name) == ("fake:main:ann", "Ann")
    assert await stage.refusal(ANN, DIRECT) is None
    assert await stage.people.approve(code, "member", by="", now_ms=stage.clock.now_ms()) is None, "once"
    assert await stage.people.revoke("fake:main:ann") and not await stage.people.revoke("fake:main:ann")
    assert await stage.refusal(ANN, DIRECT) == "not_paired"


async def test_who_was_told_is_known_after_a_restart(database: Database) -> None:
    code = await code_of(Stage(database, dm="pairing"))
    again = Stage(database, dm="pairing")
    assert await again.told(ANN, DIRECT) is None
    assert [each.code for each in await again.people.pending(now_ms=again.clock.now_ms())] == [code]


async def test_a_code_lives_for_an_hour_and_the_next_one_is_told(database: Database) -> None:
    stage = Stage(database, dm="pairing")
    old = await code_of(stage)
    await stage.clock.advance(HOUR_S)
    assert await stage.people.approve(old, "member", by="", now_ms=stage.clock.now_ms()) is None
    assert await code_of(stage) != old


async def test_at_most_three_wait_on_an_account(database: Database) -> None:
    stage = Stage(database, dm="pairing")
    for number in range(3):
        await code_of(stage, Sender(f"s{number}", "t1"))
    told = await stage.told(ANN, DIRECT)
    assert told is not None and told.key == "notice.pairing_full" and "code" not in told.params
    assert await stage.told(ANN, DIRECT) is None
    other = await stage.people.ask("fake:second:ann", "Ann", now_ms=stage.clock.now_ms())
    assert other.state == "new", "each account has its own"


async def test_who_is_denied_cannot_ask_again_at_once(database: Database) -> None:
    stage = Stage(database, dm="pairing")
    code = await code_of(stage)
    assert await stage.people.deny(code, now_ms=stage.clock.now_ms()) is not None
    await stage.clock.advance(HOUR_S - 1)
    assert await stage.told(ANN, DIRECT) is None
    assert await stage.people.pending(now_ms=stage.clock.now_ms()) == []
    await stage.clock.advance(1)
    assert await code_of(stage) != code


async def test_a_code_of_another_account_opens_nothing(database: Database) -> None:
    stage = Stage(database, dm="pairing")
    code, now_ms = await code_of(stage), stage.clock.now_ms()
    assert await stage.people.approve(code, "member", by="", account="fake:second", now_ms=now_ms) is None
    assert await stage.people.approve(code, "guest", by="", account="fake:main", now_ms=now_ms) is not None
    assert (await stage.access.principal(DIRECT, ANN)).rank == "guest"


async def test_whoever_was_let_in_is_so_in_allowlist_mode_too(database: Database) -> None:
    stage = Stage(database, dm="pairing")
    await stage.people.approve(await code_of(stage), "member", by="", now_ms=stage.clock.now_ms())
    listed = Stage(database, dm="allowlist", groups="allowlist")
    assert [await listed.refusal(ANN, DIRECT), await listed.refusal(ANN)] == [None, None]
    assert await listed.refusal(BOB, DIRECT) == "not_listed"


async def test_many_refusals_at_once_are_one_line(database: Database) -> None:
    people = People(database)
    told = [await people.may_tell("fake:main:ann", "c", now_ms=1_000_000_000 + n) for n in range(100)]
    assert told.count(True) == 1 and told[0]
    assert await people.may_tell("fake:main:bob", "c", now_ms=1_000_000_000)
    assert await people.may_tell("fake:main:ann", "d", now_ms=1_000_000_000)
    assert await people.may_tell("fake:main:ann", "c", now_ms=1_003_600_000)


async def test_an_older_decision_for_a_conversation_does_not_undo_a_newer_one(database: Database) -> None:
    people = People(database)
    await people.decide_conversation("c", {"groups": "open"}, by="ann", at_ms=10)
    await people.decide_conversation("c", {"groups": "off", "threads": "mention"}, by="ann", at_ms=5)
    known = await people.known("", "c")
    assert (known.groups, known.threads, known.rank) == ("open", None, None)
    await people.decide_conversation("c", {"groups": None, "threads": "mention"}, by="ann", at_ms=20)
    known = await people.known("", "c")
    assert (known.groups, known.threads) == (None, "mention")
