"""Presses: who may, what happens once, and what a late, foreign or doubled press is told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from engine.messages import RunId
from gateway.texts.en import TEXTS
from tests.journeys.house import CHEN, GROUP, LIN, TOPICS, House, house
from tests.journeys.scripted_model import Call, Refuse, Say, Until
from tests.journeys.seen import Seen

NOTE = Call("send_note", json.dumps({"text": "see you at ten"}))


def toast(name: str) -> str:
    return TEXTS[f"toast.{name}"]


async def asking(h: House) -> tuple[str, Seen]:
    """Ask for something that needs approval; gives the question and the card that asks."""
    h.model.script([Say("I will send it."), NOTE], [Say("It is sent.")], when="note")
    asked = await h.say("@niuma send a note please")
    return asked, await h.sees(asked, lambda seen: "approve" in seen.buttons)


def notes(h: House) -> list[str]:
    """Give what was sent."""
    return [line for outbox in h.home.rglob("outbox.txt") for line in outbox.read_text().splitlines()]


async def test_f65_only_the_person_who_asked_may_approve_and_it_runs_once(home: Path) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        assert question.status == TEXTS["status.waiting"] and "send_note" in question.body
        assert await h.press(question, "approve", by=CHEN) == toast("not_yours")
        still = h.now(question)
        assert still.buttons == ["approve", "approve_conversation", "deny", "stop"] and notes(h) == []
        assert await h.press(still, "approve") == toast("approved")
        assert await h.press_late(still, still.button("approve")) == toast("already_approved_unnamed"), "a double click"
        by_lin = toast("already_approved").format(name="Lin Wei")
        assert await h.press_late(still, still.button("approve"), by=CHEN) == by_lin
        answer = await h.finished(asked)
        assert "It is sent." in answer.body and notes(h) == ["see you at ten"]
        assert len(h.messages()) == 1


async def test_who_waits_for_somebodys_answer_is_told_whose(home: Path) -> None:
    async with house(home) as h:
        assert (await h.finished(await h.say("@niuma hello"))).status == "Done"
        _, question = await asking(h)
        behind = await h.say("@niuma and mine?", by=CHEN)
        told = await h.sees(behind, lambda seen: bool(seen.text))
        assert TEXTS["notice.behind"].format(name="Lin Wei") in told.text
        assert await h.press(question, "deny") == toast("denied")
        assert "You said: " in (await h.sees(behind, lambda seen: "You said: " in seen.text)).text


async def test_f65_an_admin_is_not_told_that_it_was_approved_when_it_was_not(home: Path) -> None:
    async with house(home, {"access.admins": '["feishu:main:ou_chen"]'}) as h:
        asked, question = await asking(h)
        assert await h.press(question, "approve", by=CHEN) == toast("not_yours")
        assert notes(h) == [] and "approve" in h.now(question).buttons
        assert await h.press(question, "deny") == toast("denied")
        answer = await h.finished(asked)
        assert notes(h) == [] and "Denied" in answer.body


async def test_a_question_can_be_answered_after_a_restart(home: Path) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        await h.stop()
        assert TEXTS["status.paused"] in h.now(question).text
        await h.start()
        again = await h.sees(asked, lambda seen: "approve" in seen.buttons)
        assert await h.press(again, "approve") == toast("approved")
        assert "It is sent." in (await h.finished(asked)).body
        assert notes(h) == ["see you at ten"] and len(h.messages()) == 1


async def test_a_question_nobody_answers_is_not_run(home: Path) -> None:
    async with house(home, {"agent.approval_timeout_s": "0.3"}) as h:
        asked, question = await asking(h)
        answer = await h.finished(asked)
        assert TEXTS["approval.expired"] in answer.body and notes(h) == []
        assert await h.press_late(answer, question.button("approve")) == toast("expired")
        assert notes(h) == [] and len(h.messages()) == 1


async def test_stop_instead_of_an_answer_runs_nothing(home: Path) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        assert await h.press(question, "stop") == toast("stopping")
        answer = await h.finished(asked)
        assert answer.status == "Stopped" and "I will send it." in answer.body
        assert TEXTS["approval.stopped"] in answer.body and TEXTS["approval.expired"] not in answer.body
        assert notes(h) == [] and answer.buttons == ["retry"]
        assert await h.press_late(answer, question.button("approve")) == toast("already_stopped")
        assert (await h.finished(await h.say("@niuma next"))).status == "Done"


async def test_a_press_after_the_end_is_told_so_and_changes_nothing(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("Slowly"), Until(more), Say(" done.")])
        asked = await h.say("@niuma work")
        working = await h.sees(asked, lambda seen: "Slowly" in seen.body)
        more.set()
        answer = await h.finished(asked)
        assert await h.press_late(answer, working.button("stop")) == toast("already_ended")
        assert await h.press_late(answer, {**working.button("stop"), "do": "approve"}) == toast("stale")
        assert await h.press_late(answer, {"do": "stop", "run": "nobody-knows"}) != ""
        await h.all_acked()
        assert h.now(answer).text == answer.text


async def test_a_forwarded_copy_of_a_card_acts_on_nothing(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("Working"), Until(more), Say(" on.")])
        asked = await h.say("@niuma work")
        working = await h.sees(asked, lambda seen: "Working" in seen.body)
        elsewhere = h.sim.add_chat("elsewhere", [LIN, CHEN])
        assert await h.press_late(working, working.button("stop"), chat=elsewhere) == toast("stale")
        assert await h.press(working, "stop", by=CHEN) == toast("not_yours")
        more.set()
        answer = await h.finished(asked)
        assert (answer.status, answer.body.strip()) == ("Done", "Working on.")
        assert await h.press_late(answer, answer.button("retry"), chat=elsewhere) == toast("stale")
        assert len(h.messages()) == 1


@pytest.mark.parametrize("verdict", ["satisfied", "abandon"])
async def test_a_verdict_shows_on_the_card_and_survives_a_restart(home: Path, verdict: str) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma judge me")
        answer = await h.finished(asked)
        first = answer.button(verdict)
        assert await h.press(answer, verdict) == toast("verdict")
        words = TEXTS[f"verdict.{verdict}"].format(name="Lin Wei")
        judged = await h.sees(asked, lambda seen: words in seen.body)
        assert judged.buttons == ["retry"] and answer.body.strip() in judged.body
        assert "ou_" not in judged.text, "a person is not shown by an id"
        assert await h.press_late(judged, first) == toast("verdict")
        assert await h.press_late(judged, first, by=CHEN) == toast("not_yours")
        await h.stop()
        await h.start()
        assert (await h.finished(await h.say("@niuma next"))).status == "Done"
        assert h.now(judged).text == judged.text and len(h.messages()) == 2


async def test_revise_shows_the_wish_and_a_new_answer_on_a_new_card(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma write a poem")
        answer = await h.finished(asked)
        h.model.script([Say("A better poem.")])
        button = answer.button("revise")
        assert await h.press(answer, "revise") == toast("revising")
        assert await h.press_late(answer, button) == toast("newer")
        both = await h.sees(asked, lambda seen: len(seen.messages) == 2 and not seen.looks_active)
        old, new = Seen(both.messages[:1]), Seen(both.messages[1:])
        assert TEXTS["verdict.revise"].format(name="Lin Wei") in old.body and "A better poem." in new.body
        assert h.model.asked[-1].texts("user") == ["write a poem", TEXTS["prompt.revise"]]
        old = await h.until(lambda: h.now(old) if not h.now(old).buttons else None, why="dead buttons")
        assert await h.press_late(old, answer.button("retry")) == toast("newer")
        await h.all_acked()
        assert len(h.messages()) == 2 and len(h.model.asked) == 2


async def test_retry_of_a_revision_revises_the_same_answer_again(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Say("A poem.")], [Say("A worse poem.")], [Say("The best poem.")])
        asked = await h.say("@niuma write a poem")
        assert await h.press(await h.finished(asked), "revise") == toast("revising")
        both = await h.sees(asked, lambda seen: len(seen.messages) == 2 and not seen.looks_active)
        revised = Seen(both.messages[1:])
        await h.runtime.wait_ended(RunId(revised.run), 5)
        assert await h.press(revised, "retry") == toast("retrying")
        three = await h.sees(asked, lambda seen: len(seen.messages) == 3 and not seen.looks_active)
        assert "The best poem." in Seen(three.messages[2:]).body
        assert h.model.asked[-1].texts("user") == ["write a poem", TEXTS["prompt.revise"]]
        assert h.model.asked[-1].texts("assistant") == ["A poem."]
        assert await h.press_late(revised, revised.button("revise")) == toast("newer")


async def test_a_press_redelivered_after_a_restart_is_told_the_same_and_does_nothing(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma judge me")
        answer = await h.finished(asked)
        button = answer.button("retry")
        assert await h.press_late(answer, button, event="evt_once") == toast("retrying")
        await h.sees(asked, lambda seen: len(seen.messages) == 2 and not seen.looks_active)
        await h.stop()
        await h.start()
        assert await h.press_late(answer, button, event="evt_once") == toast("retrying")
        assert await h.press_late(answer, button) == toast("newer")
        assert (await h.finished(await h.say("@niuma next"))).status == "Done"
        assert len(h.messages()) == 3


async def test_retry_pressed_twice_is_one_new_answer(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Refuse(400, "no")])
        asked = await h.say("@niuma try")
        failed = await h.finished(asked)
        assert failed.status == "Failed" and failed.buttons == ["retry"]
        button = failed.button("retry")
        toasts = await asyncio.gather(h.press_late(failed, button), h.press_late(failed, button))
        assert sorted(toasts) == sorted([toast("retrying"), toast("newer")])
        both = await h.sees(asked, lambda seen: len(seen.messages) == 2 and not seen.looks_active)
        old, new = Seen(both.messages[:1]), Seen(both.messages[1:])
        assert new.status == "Done" and new.body.strip() == "You said: try"
        old = await h.until(lambda: h.now(old) if not h.now(old).buttons else None, why="dead buttons")
        assert TEXTS["notice.retried"] in old.body
        assert len(h.messages()) == len(h.model.asked) == 2


async def test_retry_while_it_still_runs_is_refused(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("On it"), Until(more), Say(".")])
        asked = await h.say("@niuma once")
        working = await h.sees(asked, lambda seen: "On it" in seen.body)
        for action in ("retry", "satisfied"):
            assert await h.press_late(working, {**working.button("stop"), "do": action}) == toast("running")
        more.set()
        assert (await h.finished(asked)).body.strip() == "On it."
        assert len(h.messages()) == 1


async def test_buttons_work_in_a_topic_too(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma in here", chat=TOPICS)
        answer = await h.finished(asked)
        assert await h.press(answer, "retry") == toast("retrying")
        thread = h.sim.message(asked)["thread_id"]
        new = await h.until(lambda: [m for m in h.messages(TOPICS) if m["message_id"] != answer.last["message_id"]])
        assert [each["thread_id"] for each in new] == [thread]
        assert h.messages(GROUP) == []
