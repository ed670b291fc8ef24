"""A day on DingTalk: an answer that grows, an approval, a stop, a restart, and life without a card template."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from gateway.texts.en import TEXTS
from tests.contract.dingtalk_adapter import CHEN
from tests.journeys.dingtalk_house import DIRECT, LIN, dingtalk_house
from tests.journeys.scripted_model import Call, Say, Until

NOTE = Call("send_note", json.dumps({"text": "see you at ten"}))
PLAIN = {"channels.dingtalk.main.card_template_id": ""}


async def test_an_answer_grows_on_one_card_and_ends(home: Path) -> None:
    async with dingtalk_house(home) as h:
        gate = asyncio.Event()
        h.model.script([Say("The first half. "), Until(gate), Say("The second half.")])
        h.say("@niuma tell me")
        await h.sees("The first half.")
        assert h.buttons() == ["stop"] and h.buttons(by=CHEN) == []
        gate.set()
        await h.sees("The second half.")
        await h.until(lambda: h.answers()[0]["card"]["flow_status"] in ("3", "FINISHED"))
        assert len(h.answers()) == 1
        await h.until(lambda: "retry" in h.buttons())
        assert not [e for e in h.sim.timeline.since() if e.kind == "rest" and e.code], "nothing was refused"


async def test_f65_an_approval_is_pressed_by_the_one_who_asked(home: Path) -> None:
    async with dingtalk_house(home) as h:
        h.model.script([Say("I will send it."), NOTE], [Say("It is sent.")], when="note")
        h.say("@niuma send a note please")
        await h.until(lambda: bool(h.answers()) and "approve" in h.buttons())
        assert h.buttons(by=CHEN) == []
        await h.press("approve")
        await h.sees("It is sent.")
        assert [line for outbox in h.home.rglob("outbox.txt") for line in outbox.read_text().splitlines()] == [
            "see you at ten"
        ]
        assert len(h.answers()) == 1


async def test_f28_a_stop_works_while_it_is_busy(home: Path) -> None:
    async with dingtalk_house(home) as h:
        h.model.script([Say("This will take "), Until(asyncio.Event())])
        h.say("take your time", chat=DIRECT)
        await h.sees("This will take")
        await h.press("stop")
        await h.sees(TEXTS["status.stopped"])
        await h.until(lambda: h.answers()[0]["card"]["flow_status"] in ("3", "FINISHED"))
        assert "stop" not in h.buttons()


async def test_f06_a_restart_in_mid_answer_ends_on_the_same_card(home: Path) -> None:
    async with dingtalk_house(home) as h:
        gate = asyncio.Event()
        h.model.script([Say("Half of it"), Until(gate)])
        h.model.script([Say("All of it now.")])
        h.say("@niuma tell me")
        await h.sees("Half of it")
        await h.stop()
        assert "Half of it" in h.text()
        await h.start()
        gate.set()
        await h.until(lambda: h.answers()[0]["card"]["flow_status"] in ("3", "FINISHED"), within_s=15)
        await h.until(lambda: "stop" not in h.buttons())
        assert len(h.answers()) == 1
        assert "All of it now." in h.text()


async def test_without_a_template_there_is_a_sign_and_then_one_message(home: Path) -> None:
    async with dingtalk_house(home, PLAIN) as h:
        gate = asyncio.Event()
        h.model.script([Say("Only "), Until(gate), Say("at the end.")])
        asked = h.say("tell me", chat=DIRECT)
        await h.until(lambda: bool(h.sim.message(asked)["emotions"]))
        assert h.answers() == []
        gate.set()
        await h.sees("Only at the end.")
        await h.until(lambda: h.sim.message(asked)["emotions"] == [])
        assert len(h.answers()) == 1


async def test_f10_a_slow_model_causes_no_second_push(home: Path) -> None:
    async with dingtalk_house(home, redeliver_after_s=0.5) as h:
        gate = asyncio.Event()
        h.model.script([Until(gate), Say("There it is.")])
        h.say("@niuma think long")
        await asyncio.sleep(1.5)
        gate.set()
        await h.sees("There it is.")
        pushes = [e for e in h.sim.timeline.since() if e.kind == "out" and "think long" in str(e.body)]
        assert len(pushes) == 1
        assert len(h.answers()) == 1


async def test_a_restart_without_a_template_still_brings_one_answer(home: Path) -> None:
    async with dingtalk_house(home, PLAIN) as h:
        gate = asyncio.Event()
        h.model.script([Say("Half"), Until(gate)])
        h.model.script([Say("The answer after all.")])
        h.say("tell me", chat=DIRECT)
        await h.until(lambda: len(h.model.about("tell me")) > 0)
        await h.stop()
        assert h.answers() == []
        await h.start()
        gate.set()
        await h.until(lambda: bool(h.answers()), within_s=15)
        await asyncio.sleep(0.5)
        assert len(h.answers()) == 1
        assert "answer after all" in h.text() or "Half" in h.text()


async def test_a_month_used_up_in_mid_answer_still_brings_all_of_it(home: Path) -> None:
    async with dingtalk_house(home) as h:
        gate = asyncio.Event()
        h.model.script([Say("The first half. "), Until(gate), Say("The second half.")])
        h.say("@niuma tell me")
        await h.sees("The first half.")
        used_up = {"status": 403, "code": "Forbidden.AccessDenied.ApiCountLimitForOrg"}
        h.sim.faults.add({"match": {"path": r"/v1.0/(card|robot)/"}, "action": used_up, "times": -1})
        gate.set()
        await h.sees("The second half.")
        assert len(h.answers()) == 2, "the card is lost, its answer is not"
        assert h.answers()[-1]["card"] is None


async def test_without_a_template_a_link_approves(home: Path) -> None:
    async with dingtalk_house(home, PLAIN) as h:
        h.model.script([Say("I will send it."), NOTE], [Say("It is sent.")], when="note")
        h.say("send a note please", chat=DIRECT)
        await h.until(lambda: any("buttons" in str(each) or "approve" in str(each) for each in h.answers()))
        asked = [e.body for e in h.sim.timeline.since() if e.kind == "rest" and "actionCard" in str(e.body)]
        links = {each["title"]: each["actionURL"] for each in asked[-1]["actionCard"]["btns"]}
        approve = next(url for url in links.values() if "approve" in url)
        h.sim.press_link(DIRECT, LIN, approve)
        await h.sees("It is sent.")
        outbox = [line for each in h.home.rglob("outbox.txt") for line in each.read_text().splitlines()]
        assert outbox == ["see you at ten"]
        assert len(links) >= 2


async def test_without_a_template_a_link_approves_for_the_conversation(home: Path) -> None:
    async with dingtalk_house(home, PLAIN) as h:
        h.model.script([NOTE], [Say("It is sent.")], when="a note")
        h.say("send a note please", chat=DIRECT)
        await h.until(lambda: any("approve" in str(each) for each in h.answers()))
        asked = [e.body for e in h.sim.timeline.since() if e.kind == "rest" and "actionCard" in str(e.body)]
        links = {each["title"]: each["actionURL"] for each in asked[-1]["actionCard"]["btns"]}
        h.sim.press_link(DIRECT, LIN, next(url for url in links.values() if "conversation" in url))
        await h.sees("It is sent.")
        h.model.script([NOTE], [Say("Sent without a question.")], when="the next one")
        h.say("and now the next one", chat=DIRECT)
        await h.sees("Sent without a question.")
        outbox = [line for each in h.home.rglob("outbox.txt") for line in each.read_text().splitlines()]
        assert outbox == ["see you at ten"] * 2
