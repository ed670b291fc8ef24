"""Floods and loops: who asks too much is refused, told once, and takes nobody else's place."""

from __future__ import annotations

from dataclasses import replace

from engine.runtime import Database
from gateway.access.pace import WINDOW_S, Pace
from gateway.clock import FakeClock
from tests.unit.gateway.access.stage import ANN, BOB, DIRECT, GROUP, ROBOT, Stage, message


async def test_a_flood_from_one_person_does_not_starve_others(database: Database) -> None:
    stage = Stage(database, per_person_per_minute=5, per_conversation_per_minute=8)
    flood = [await stage.refusal(ANN) for _ in range(50)]
    assert flood == [None] * 5 + ["person_too_fast"] * 45
    assert await stage.refusal(ANN, DIRECT) == "person_too_fast", "in every conversation"
    assert [await stage.refusal(BOB) for _ in range(3)] == [None] * 3


async def test_one_notice_then_silence_then_room_again(database: Database) -> None:
    stage = Stage(database, per_person_per_minute=2)
    assert [await stage.refusal(ANN) for _ in range(2)] == [None, None]
    told = [await stage.told(ANN) for _ in range(20)]
    assert [each.key for each in told if each] == ["notice.person_too_fast"] and told[0] is not None
    await stage.clock.advance(61)
    assert [await stage.refusal(ANN) for _ in range(2)] == [None, None]
    assert await stage.told(ANN) is not None, "a second flood is told again"


async def test_a_conversation_has_a_limit_of_its_own_over_all_its_threads(database: Database) -> None:
    stage = Stage(database, per_person_per_minute=0, per_conversation_per_minute=3)
    assert [await stage.refusal(ANN) for _ in range(4)] == [None, None, None, "conversation_too_fast"]
    told = [await stage.told(who) for who in (ANN, BOB, ANN)]
    assert [each.key for each in told if each] == ["notice.conversation_too_fast"]
    assert await stage.refusal(ANN, DIRECT) is None


async def test_no_limit_is_no_limit(database: Database) -> None:
    stage = Stage(database, per_person_per_minute=0, per_conversation_per_minute=0)
    assert {await stage.refusal(ANN) for _ in range(300)} == {None}


async def test_f72_bots_are_not_answered_without_a_rule(database: Database) -> None:
    stage = Stage(database, groups="open")
    assert await stage.refusal(ROBOT) == "bot"
    assert await stage.told(ROBOT) is None
    assert await stage.refusal(ROBOT, DIRECT) == "bot"


async def test_f72_a_bot_with_a_rule_gets_a_few_turns_until_a_person_writes(database: Database) -> None:
    stage = Stage(database, bots=["fake:main:robot"], bot_turns=3, groups="open")
    assert [await stage.refusal(ROBOT) for _ in range(5)] == [None] * 3 + ["bot_turns"] * 2
    told = [await stage.told(ROBOT, mention=False) for _ in range(5)]
    assert [each.key for each in told if each] == ["notice.bot_turns"], "one line, for the people who watch"
    assert await stage.refusal(ANN, mention=False) is None
    assert await stage.refusal(ROBOT) is None


async def test_f72_any_word_of_a_person_lets_bots_go_on(database: Database) -> None:
    stage = Stage(database, bots=["fake:main:robot"], bot_turns=1)
    assert [await stage.refusal(ROBOT) for _ in range(2)] == [None, "bot_turns"]
    assert await stage.refusal(ANN, mention=False) == "not_mentioned"
    assert await stage.refusal(ROBOT) is None


async def test_f72_a_bot_that_begins_a_thread_with_every_message_gets_no_more_turns(database: Database) -> None:
    stage = Stage(database, bots=["fake:main:robot"], bot_turns=2)
    threads = [replace(GROUP, thread=str(number)) for number in range(4)]
    assert [await stage.refusal(ROBOT, each) for each in threads] == [None, None, "bot_turns", "bot_turns"]


async def test_who_is_silent_is_forgotten(database: Database) -> None:
    clock = FakeClock()
    pace = Pace(2, clock)
    for number in range(100):
        pace.take(str(number))
    await clock.advance(WINDOW_S)
    pace.take("now")
    assert pace.keys == {"now"}


async def test_a_bot_that_reports_now_and_then_needs_no_person(database: Database) -> None:
    stage = Stage(database, bots=["fake:main:robot"], bot_turns=1)
    for _ in range(5):
        assert await stage.refusal(ROBOT) is None
        await stage.clock.advance(3601)


async def test_a_bot_with_a_rule_obeys_the_mode_of_the_group(database: Database) -> None:
    stage = Stage(database, bots=["fake:main:robot"])
    assert await stage.refusal(ROBOT, GROUP, mention=False) == "not_mentioned"
    assert await Stage(database, bots=["fake:main:robot"], groups="off").refusal(ROBOT) == "group_off"
    assert await Stage(database, bots=["fake:main:robot"], groups="allowlist").refusal(ROBOT) is None


async def test_what_had_come_before_is_taken_out_of_the_count(database: Database) -> None:
    stage = Stage(database, per_person_per_minute=2, per_conversation_per_minute=2)
    repeated = message(ANN, GROUP)
    for _ in range(5):
        assert (await stage.access.admit(repeated)).refusal is None
        stage.access.uncount(repeated)
    assert [await stage.refusal(ANN) for _ in range(3)] == [None, None, "person_too_fast"]


def test_nothing_is_given_back_that_was_not_taken() -> None:
    pace = Pace(1, FakeClock())
    pace.give_back("ann")
    pace.take("ann")
    pace.give_back("ann")
    assert pace.is_free("ann") and not pace.keys
