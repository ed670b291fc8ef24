"""Messages that come too late: nobody is answered as if nothing had happened, and nothing is dropped in silence."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StorageError
from gateway.texts.en import TEXTS
from tests.journeys.house import CHEN, GROUP, LIN, House, house
from tests.journeys.seen import Seen

THREE_HOURS_MS = 3 * 3_600_000


async def say_late(h: House, text: str, *, by: str = LIN) -> str:
    return await h.say(f"@niuma {text}", by=by, create_time_ms=h.sim.clock.now_ms() - THREE_HOURS_MS)


async def question(h: House, asked: str, count: int) -> Seen:
    """Wait for the card that asks about late messages; it answers the newest of them."""
    words = TEXTS["choice.backlog_pending"].format(count=count)
    return await h.sees(asked, lambda seen: words in seen.text and bool(seen.buttons), within_s=12)


def answers(h: House) -> list[str]:
    return [text for each in h.messages() if "You said: " in (text := each["text"])]


async def test_f06_late_messages_are_asked_about_on_one_card_and_all_are_answered_in_order(home: Path) -> None:
    async with house(home) as h:
        await say_late(h, "first of all")
        second = await say_late(h, "second of all")
        card = await question(h, second, 2)
        assert card.buttons == ["backlog_all", "backlog_last", "backlog_ignore"]
        assert "1. first of all" in card.text and "2. second of all" in card.text and h.model.asked == []
        assert await h.press(card, "backlog_all") == TEXTS["toast.chosen"]
        await h.until(lambda: len(answers(h)) == 2, why="both are answered")
        assert [asked.question for asked in h.model.asked] == ["first of all", "second of all"]
        left = await h.sees(second, lambda seen: TEXTS["choice.backlog_all"].format(count=2) in seen.text)
        assert Seen(left.messages[:1]).buttons == []
        assert len(h.messages()) == 3


@pytest.mark.parametrize(("choice", "answered"), [("backlog_last", ["two"]), ("backlog_ignore", [])])
async def test_f06_only_what_is_wanted_is_answered(home: Path, choice: str, answered: list[str]) -> None:
    async with house(home) as h:
        await say_late(h, "one")
        two = await say_late(h, "two")
        card = await question(h, two, 2)
        await h.press(card, choice)
        words = TEXTS[f"choice.{choice}"]
        await h.sees(two, lambda seen: words in seen.text)
        await h.until(lambda: len(answers(h)) == len(answered))
        assert [asked.question for asked in h.model.asked] == answered
        h.sim.redeliver(two)
        await h.all_acked()
        assert len(h.messages()) == 1 + len(answered)


async def test_f06_what_was_answered_before_is_not_asked_about_when_it_comes_again(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma hello")
        assert (await h.finished(asked)).status == "Done"
        h.sim.advance(4 * 3600)
        h.sim.redeliver(asked)
        await h.all_acked()
        await asyncio.sleep(2.5)
        assert len(h.messages()) == len(h.model.asked) == 1


async def test_while_the_question_is_open_new_messages_are_answered(home: Path) -> None:
    async with house(home) as h:
        late = await say_late(h, "an old one")
        card = await question(h, late, 1)
        assert card.buttons == ["backlog_all", "backlog_ignore"]
        assert (await h.finished(await h.say("@niuma a new one"))).body.strip() == "You said: a new one"
        assert len(h.model.asked) == 1


async def test_each_is_asked_about_their_own_and_nobody_else_decides(home: Path) -> None:
    async with house(home) as h:
        mine, hers = await say_late(h, "mine"), await say_late(h, "hers", by=CHEN)
        first, second = await question(h, mine, 1), await question(h, hers, 1)
        assert await h.press(first, "backlog_all", by=CHEN) == TEXTS["toast.not_yours"]
        assert await h.press(second, "backlog_ignore", by=CHEN) == TEXTS["toast.chosen"]
        assert await h.press(first, "backlog_all") == TEXTS["toast.chosen"]
        await h.until(lambda: len(answers(h)) == 1)
        assert [asked.question for asked in h.model.asked] == ["mine"]


async def test_a_restart_forgets_neither_the_messages_nor_the_question(home: Path) -> None:
    async with house(home) as h:
        await say_late(h, "before the restart")
        await h.all_acked()
        await h.stop()
        await h.start()
        late = await say_late(h, "after the restart")
        card = await question(h, late, 2)
        await h.stop()
        await h.start()
        open_again = await h.sees(late, lambda seen: "backlog_all" in seen.buttons)
        assert len(h.messages()) == 1 and card.last["chat_id"] == GROUP
        assert await h.press(open_again, "backlog_all") == TEXTS["toast.chosen"]
        await h.until(lambda: len(answers(h)) == 2)
        assert len(h.messages()) == 3


async def test_a_question_that_ended_without_an_answer_is_asked_again(home: Path) -> None:
    async with house(home, {"runs.resume": "false", "runs.drain_s": "0.2"}) as h:
        late = await say_late(h, "never lost")
        await question(h, late, 1)
        await h.stop()
        await h.start()
        again = await h.sees(late, lambda seen: len(seen.messages) == 2 and "backlog_all" in seen.buttons, within_s=12)
        assert await h.press(again, "backlog_all") == TEXTS["toast.chosen"]
        await h.until(lambda: answers(h), why="the answer")
        assert [asked.question for asked in h.model.asked] == ["never lost"]


async def test_words_that_could_not_be_stored_find_their_picture_when_they_come_again(home: Path) -> None:
    async with house(home) as h:
        key = h.sim.files.keep("file_v3", "whatever", b"material")
        await h.say("", chat="oc_dm_lin", msg_type="file", content={"file_key": key, "file_name": "a.txt"})
        await h.all_acked()
        submit, failed = h.runtime.submit, list[str]()

        async def failing(*words: Any, **more: Any) -> Any:
            if not failed:
                failed.append("once")
                raise StorageError("away", code="storage_away")
            return await submit(*words, **more)

        h.runtime.submit = failing  # pyright: ignore[reportAttributeAccessIssue]
        asked = await h.say("what is in it?", chat="oc_dm_lin")
        await h.until(lambda: bool(failed))
        h.sim.advance(16)
        assert (await h.finished(asked)).status == "Done"
        assert len(h.messages()) == len(h.model.asked) == 1 and "received/a.txt" in h.model.asked[0].question


async def test_a_late_message_that_is_taken_back_is_not_asked_about(home: Path) -> None:
    async with house(home) as h:
        back = await say_late(h, "taken back")
        kept = await say_late(h, "kept")
        await h.all_acked()
        h.sim.recall(back)
        card = await question(h, kept, 1)
        assert "taken back" not in card.text


async def test_one_that_is_taken_back_leaves_the_question_about_the_others(home: Path) -> None:
    async with house(home) as h:
        one = await say_late(h, "one")
        await say_late(h, "two")
        three = await say_late(h, "three")
        card = await question(h, three, 3)
        h.sim.recall(one)
        await h.all_acked()
        assert await h.press(card, "backlog_all") == TEXTS["toast.chosen"]
        await h.until(lambda: len(answers(h)) == 2)
        assert [asked.question for asked in h.model.asked] == ["two", "three"]


async def test_a_question_of_which_nothing_is_left_ends_and_tells_no_words_that_were_taken_back(home: Path) -> None:
    async with house(home) as h:
        asked = [await say_late(h, "a secret"), await say_late(h, "another")]
        card = await question(h, asked[1], 2)
        for each in asked:
            h.sim.recall(each)
        await h.until(lambda: not h.now(card).buttons, why="nothing is asked any more")
        assert "secret" not in h.now(card).text and "another" not in h.now(card).text
        assert h.model.asked == []


async def test_only_the_last_is_the_one_that_was_written_last_in_whatever_order_they_come(home: Path) -> None:
    async with house(home) as h:
        hour_ms = THREE_HOURS_MS // 3
        last = await say_late(h, "written last")
        await h.all_acked()
        await h.say("@niuma written first", create_time_ms=h.sim.clock.now_ms() - 4 * hour_ms)
        await h.press(await question(h, last, 2), "backlog_last")
        await h.until(lambda: len(answers(h)) == 1)
        assert [asked.question for asked in h.model.asked] == ["written last"]
