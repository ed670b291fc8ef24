"""Threads, other bots and other organisations, on a platform that tells of everything."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import text
from sqlmodel import Session

from gateway.texts.access_en import TEXTS
from gateway.texts.access_zh import TEXTS as ZH
from tests.journeys.fake_house import ANN, BOB, EVE, ROBOT, FakeHouse, fake_house

OPEN = {"access.groups": "open"}


async def answers(h: FakeHouse, count: int, *, thread: str | None = None) -> None:
    """Wait until there are so many messages of the bot, and see that no further one comes."""
    await h.until(lambda: len(h.seen(thread)) >= count, why=f"{count} messages")
    await asyncio.sleep(0.3)
    assert len(h.seen(thread)) == count, h.seen(thread)


async def test_f30_in_a_thread_that_the_bot_is_in_nobody_needs_to_mention_it(home: Path) -> None:
    async with fake_house(home) as h:
        await h.say("hello from Ann", by=ANN, thread="t1")
        await h.reads("hello from Ann", thread="t1")
        await h.say("and I am Bob", by=BOB, thread="t1", mentions_me=False)
        await h.reads("and I am Bob", thread="t1")
        await h.say("another thread", by=BOB, thread="t2", mentions_me=False)
        await h.say("the channel itself", by=BOB, mentions_me=False)
        await h.say("a stranger in our thread", by=EVE, thread="t1", mentions_me=False)
        await answers(h, 2, thread="t1")
        assert h.seen("t2") == h.seen() == []


async def test_f30_off_a_thread_needs_a_mention_too(home: Path) -> None:
    async with fake_house(home, {"access.threads": "mention"}) as h:
        await h.say("hello from Ann", by=ANN, thread="t1")
        await h.reads("hello from Ann", thread="t1")
        await h.say("and I am Bob", by=BOB, thread="t1", mentions_me=False)
        await answers(h, 1, thread="t1")
        await h.say("but I do mention", by=BOB, thread="t1")
        await h.reads("but I do mention", thread="t1")


async def test_f72_two_bots_in_a_group_that_answers_everything_do_not_talk(home: Path) -> None:
    async with fake_house(home, OPEN) as h:
        await h.say("I am a robot", by=ROBOT)
        await h.say("I am a person", by=ANN)
        await h.reads("I am a person")
        await h.say("I mention you", by=ROBOT)
        await answers(h, 1)


async def test_f72_two_bots_that_may_talk_come_to_an_end(home: Path) -> None:
    rule = {**OPEN, "access.bots": '["fake:main:robot"]', "access.bot_turns": "3"}
    async with fake_house(home, rule) as h:
        await h.say("start", by=ANN)
        await h.reads("start")
        for turn in range(10):  # The other bot answers whatever ours says.
            before = len(h.seen())
            await h.say(f"turn {turn}", by=ROBOT)
            if not await _says_more(h, before):
                break
        assert turn == 4, "three answers, one line that it ends here, then silence"
        assert h.seen()[-1] == TEXTS["notice.bot_turns"]
        await h.say("go on then", by=ANN)
        await h.reads("go on then")
        await h.say("thank you", by=ROBOT)
        await h.reads("thank you")


async def _says_more(h: FakeHouse, before: int) -> bool:
    try:
        await h.until(lambda: len(h.seen()) > before, within_s=1.5)
    except AssertionError:
        return False
    return True


async def test_a_stranger_of_another_organisation_hears_nothing_until_allowed(home: Path) -> None:
    async with fake_house(home, {"access.dm": "pairing"}) as h:
        await h.say("hello?", by=EVE)
        await h.say("hello?", by=EVE, kind="direct")
        await asyncio.sleep(0.3)
        assert h.seen() == [] and h.seen(chat="dm") == []
    async with fake_house(home, {"access.dm": "pairing", "access.allow": '["fake:main:tenant2:*"]'}) as h:
        await h.say("hello again", by=EVE)
        await h.reads("hello again")
        await h.say("and here", by=EVE, kind="direct")
        await h.reads("and here", chat="dm")
        assert len(h.seen()) == len(h.seen(chat="dm")) == 1


async def test_what_is_typed_too_fast_is_stored_and_stop_is_heard_all_the_same(home: Path) -> None:
    async with fake_house(home, {"access.per_person_per_minute": "2"}) as h:
        for number in range(5):
            await h.say(f"question {number}")
        await h.reads("question 1")
        await h.reads(TEXTS["notice.person_too_fast"])
        await h.say("/stop")
        await answers(h, 4)
        stored = h.runtime.database.read_now(_reasons)
        assert stored.count("person_too_fast") == 3


async def test_the_platforms_own_command_is_refused_on_itself_and_once(home: Path) -> None:
    async with fake_house(home, {"access.groups": "allowlist", "access.allow": '["fake:main:bob"]'}) as h:
        typed = {"is_command": True, "message_id": ""}
        await h.say("status", by=ANN, **typed)
        assert h.toast in [each["notice.not_listed"].format(person="fake:main:ann") for each in (TEXTS, ZH)]
        await h.say("status", by=ANN, **typed)
        assert h.toast == ""
        await h.say("", by=BOB, **typed)
        assert "/whoami" in h.toast and "/pair" not in h.toast, "the help, without what is for admins"
        await h.say("whoami", by=BOB, **typed)
        assert "fake:main:bob" in h.toast
        assert h.seen() == []


def _reasons(session: Session) -> list[str]:
    return [row.reason for row in session.connection().execute(text("SELECT reason FROM nm_inbox"))]
