"""Names of people come beside the work: never waited for, asked once, data and no more."""

from __future__ import annotations

import asyncio
import logging

import pytest

from channels.events import CardAction
from channels.names import clean_name
from tests.contract.feishu_adapter import LIN, Bench, bench, card, until

USER = r"/contact/v3/users/"


def asked_for(b: Bench) -> int:
    return len(b.calls("/contact/v3/users/"))


async def test_the_first_message_is_not_held_up_and_the_next_has_the_name() -> None:
    async with bench() as b:
        b.sim.faults.add({"match": {"path": USER}, "action": {"delay_s": 0.3}, "times": 1})
        first = await b.asked()
        assert first.sender.name == ""
        await until(lambda: any(e.code == 0 for e in b.calls("/contact/v3/users/")))
        await asyncio.sleep(0.02)
        second = await b.asked("@niuma again")
        assert second.sender.name == b.sim.world.people[LIN].name
        assert (second.sender.id, asked_for(b)) == (LIN, 1)


async def test_a_press_carries_the_name_too() -> None:
    async with bench() as b:
        await b.opened()
        await until(lambda: any(e.code == 0 for e in b.calls("/contact/v3/users/")))
        await asyncio.sleep(0.02)
        await b.sim.click(b.answers()[0]["message_id"], LIN, card("").actions[0].value())
        press = b.inbox.items[-1]
        assert isinstance(press, CardAction)
        assert press.sender.name == b.sim.world.people[LIN].name


async def test_a_crowd_of_messages_asks_once() -> None:
    async with bench() as b:
        b.sim.faults.add({"match": {"path": USER}, "action": {"delay_s": 0.2}, "times": 1})
        for number in range(5):
            await b.asked(f"@niuma {number}")
        await asyncio.sleep(0.3)
        assert asked_for(b) == 1


async def test_without_the_scope_nobody_is_asked_for_an_hour_and_it_is_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with bench() as b:
        b.sim.faults.add({"match": {"path": USER}, "action": {"status": 400, "code": 99991672}, "times": -1})
        for person in [LIN, "ou_chen", LIN]:
            b.sim.send("oc_team", person, "@niuma hello")
            await asyncio.sleep(0.1)
        assert [item.sender.name for item in b.inbox.items] == ["", "", ""]
        assert asked_for(b) == 1
        assert [record.message for record in caplog.records].count("names_not_allowed") == 1


async def test_a_failure_is_no_reason_to_ask_at_every_message() -> None:
    async with bench() as b:
        b.sim.faults.add({"match": {"path": USER}, "action": {"status": 500, "code": 1}, "times": -1})
        for number in range(3):
            await b.asked(f"@niuma {number}")
            await asyncio.sleep(0.05)
        assert asked_for(b) == 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Lin", "Lin"),
        ("  林  小\n\n雨\t", "林 小 雨"),
        ("a\u202eb\u200b\u2066c\x00d\u2028e", "abc d e"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("x" * 100, "x" * 39 + "…"),
        ("", ""),
    ],
)
def test_a_name_is_one_short_line(name: str, shown: str) -> None:
    assert clean_name(name) == shown
