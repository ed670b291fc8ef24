"""What people and the platform do to DingTalk's odd ways: links of others, late and double presses, odd templates."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.contract.dingtalk_adapter import CHEN, TEMPLATE, example_template
from tests.journeys.dingtalk_house import DIRECT, GROUP, LIN, DingtalkHouse, dingtalk_house
from tests.journeys.scripted_model import Call, Say, Until

NOTE = Call("send_note", json.dumps({"text": "see you at ten"}))
PLAIN = {"channels.dingtalk.main.card_template_id": ""}


def outbox(h: DingtalkHouse) -> list[str]:
    return [line for each in h.home.rglob("outbox.txt") for line in each.read_text().splitlines()]


def links(h: DingtalkHouse) -> dict[str, str]:
    asked = [e.body for e in h.sim.timeline.since() if e.kind == "rest" and "actionCard" in str(e.body)]
    return {each["actionURL"]: each["title"] for body in asked for each in body["actionCard"]["btns"]}


async def test_without_a_template_the_link_of_another_person_approves_nothing(home: Path) -> None:
    async with dingtalk_house(home, PLAIN) as h:
        h.model.script([Say("I will send it."), NOTE], [Say("It is sent.")], when="note")
        h.say("@niuma send a note please")
        await h.until(lambda: any("approve" in url for url in links(h)))
        approve = next(url for url in links(h) if "approve" in url)
        before = len(h.answers())
        h.sim.press_link(GROUP, CHEN, approve)
        await h.until(lambda: len(h.answers()) > before)
        await asyncio.sleep(0.5)
        assert outbox(h) == [] and "It is sent." not in h.text()
        h.sim.press_link(GROUP, LIN, approve)
        h.sim.press_link(GROUP, LIN, approve)
        await h.sees("It is sent.")
        await asyncio.sleep(0.5)
        assert outbox(h) == ["see you at ten"] and h.text().count("It is sent.") == 1


async def test_a_press_that_comes_twice_and_late_does_nothing_twice(home: Path) -> None:
    async with dingtalk_house(home, action_suffix="7", card_redeliveries=2, redeliver_after_s=0.3) as h:
        h.model.script([Say("I will send it."), NOTE], [Say("It is sent.")], when="note")
        h.say("send a note please", chat=DIRECT)
        await h.until(lambda: bool(h.answers()) and "approve" in h.buttons())
        card = h.answers()[-1]["id"]
        await asyncio.gather(*(h.sim.click(card, LIN, "btn_approve") for _ in range(3)))
        await h.sees("It is sent.")
        await h.until(lambda: "retry" in h.buttons())
        h.model.script([Say("Once more.")], when="note")
        await asyncio.gather(*(h.sim.click(card, LIN, "btn_retry") for _ in range(3)))
        await h.sees("Once more.")
        await asyncio.sleep(1.0)
        assert outbox(h) == ["see you at ten"]
        assert h.text().count("Once more.") == 1 and len(h.answers()) == 2


async def test_a_month_used_up_in_the_middle_of_a_huge_answer_brings_all_of_it_once(home: Path) -> None:
    async with dingtalk_house(home) as h:
        gate = asyncio.Event()
        words = [f"Sentence number {number} of a long answer." for number in range(400)]
        h.model.script([Say("\n\n".join(words[:300])), Until(gate), Say("\n\n" + "\n\n".join(words[300:]))])
        h.say("tell me", chat=DIRECT)
        await h.sees(words[250])
        used_up = {"status": 403, "code": "Forbidden.AccessDenied.ApiCountLimitForOrg"}
        h.sim.faults.add({"match": {"path": r"/v1.0/(card|robot)/"}, "action": used_up, "times": -1})
        gate.set()
        await h.sees(words[-1])
        await asyncio.sleep(0.5)
        sent = "\n\n".join(each["text"] for each in h.answers() if each["card"] is None)
        assert [sent.count(each) for each in words] == [1] * len(words)
        assert h.answers()[0]["card"] is not None and h.answers()[-1]["card"] is None
        assert len(h.model.asked) == 1


async def test_a_template_that_lacks_every_button_offers_commands(home: Path) -> None:
    bare = {**example_template(), "buttons": []}
    async with dingtalk_house(home) as h:
        h.sim.add_template(TEMPLATE, **bare)
        h.model.script([Say("All of it.")])
        h.say("tell me", chat=DIRECT)
        await h.sees("All of it.")
        await asyncio.sleep(0.5)
        assert h.text().count("All of it.") == 1
        assert len(h.answers()) == len(h.model.asked) == 1
        assert "/retry" in h.text() or "[" not in h.text()


async def test_a_template_that_has_no_place_for_the_answer_costs_no_answer(home: Path) -> None:
    template = example_template()
    template["variables"] = [each for each in template["variables"] if each["name"] != "content"]
    template["streaming_key"] = ""
    async with dingtalk_house(home) as h:
        h.sim.add_template(TEMPLATE, **template)
        h.model.script([Say("All of it.")])
        h.say("tell me", chat=DIRECT)
        await h.sees("All of it.")
        assert h.text().count("All of it.") == 1
        assert len(h.model.asked) == 1


async def test_an_expired_code_of_a_file_is_told_and_the_rest_is_answered(home: Path) -> None:
    async with dingtalk_house(home, download_code_life_s=0) as h:
        h.model.script([Say("I could not read it.")], when="plan.pdf")
        h.sim.send(DIRECT, LIN, "", msg_type="file", file=h.sim.upload("plan.pdf", b"%PDF"))
        await h.sees("I could not read it.")
        assert "could not be read" in h.model.asked[0].question
        assert "plan.pdf" in h.text()
        assert len(h.answers()) == 1


async def test_a_file_of_no_bytes_and_an_address_that_has_expired_harm_nothing(home: Path) -> None:
    async with dingtalk_house(home, download_url_life_s=0) as h:
        h.model.script([Say("It did not come.")], [Say("It is empty.")])
        h.sim.send(DIRECT, LIN, "", msg_type="file", file=h.sim.upload("plan.pdf", b"%PDF"))
        await h.sees("It did not come.")
        h.sim.options.change({"download_url_life_s": 600})
        h.sim.send(DIRECT, LIN, "", msg_type="file", file=h.sim.upload("empty.txt", b""))
        await h.sees("It is empty.")
        assert "could not be read" in h.model.asked[0].question
        assert len(h.answers()) == 2 and "plan.pdf" in h.text()
        assert len(h.model.asked) == 2
