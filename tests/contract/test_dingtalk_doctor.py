"""What `niuma doctor` finds out about a DingTalk app, and that nobody notices."""

from __future__ import annotations

from typing import Any

import pytest

from channels.base import Examinable, Finding
from channels.dingtalk.adapter import Adapter
from channels.simulators.dingtalk.simulator import DingTalkSimulator
from gateway.clock import SystemClock
from tests.contract.dingtalk_adapter import TEMPLATE, example_template, settings_for


async def examined(
    settings: dict[str, Any] | None = None, template: dict[str, Any] | None = None, **options: Any
) -> tuple[dict[str, Finding], DingTalkSimulator]:
    """Examine one account; nothing is started."""
    sim = DingTalkSimulator(**options)
    sim.add_template(TEMPLATE, **{**example_template(), **(template or {})})
    await sim.start()
    try:
        adapter = Adapter(settings_for(sim, **(settings or {})), SystemClock())
        assert isinstance(adapter, Examinable)
        async with adapter.examining() as examinations:
            found = {each.name: await each.examine() for each in examinations}
        assert [m for m in sim.state()["messages"] if m["sender"]["type"] == "bot"] == [], "nobody saw anything"
        assert sim.sockets.count(sim.app_id) == 0, "no message was taken away"
        return found, sim
    finally:
        await sim.stop()


async def test_a_sound_account() -> None:
    found, _ = await examined()
    verdicts = {name: (each.verdict, each.code) for name, each in found.items()}
    assert {name: verdict for name, (verdict, _) in verdicts.items()} == dict.fromkeys(
        ("credentials", "connection", "bot", "cards", "clock"), "ok"
    ), found


async def test_wrong_credentials() -> None:
    found, _ = await examined({"client_secret": "wrong"})
    assert (found["credentials"].verdict, found["credentials"].advice) == ("fail", "client_secret_refused")
    assert found["connection"].verdict == "fail"
    assert found["cards"].code == "needs_credentials"
    assert "wrong" not in str(found)


async def test_no_template() -> None:
    found, _ = await examined({"card_template_id": ""})
    assert (found["cards"].verdict, found["cards"].advice) == ("warn", "no_template")


@pytest.mark.parametrize(
    ("settings", "template", "options", "advice"),
    [
        ({"card_template_id": "none.schema"}, {}, {}, "template_missing"),
        ({}, {"published": False}, {}, "template_unpublished"),
        ({"content_variable": "nothing"}, {}, {}, "template_variable"),
        ({}, {}, {"withheld_scopes": ["Card.Streaming.Write"]}, "missing_scope"),
        ({}, {}, {"withheld_scopes": ["Card.Instance.Write"]}, "missing_scope"),
    ],
)
async def test_what_is_wrong_with_cards(
    settings: dict[str, Any], template: dict[str, Any], options: dict[str, Any], advice: str
) -> None:
    found, _ = await examined(settings, template, **options)
    assert (found["cards"].verdict, found["cards"].advice) == ("fail", advice), found["cards"]


async def test_a_robot_that_may_not_send() -> None:
    found, _ = await examined(withheld_scopes=["qyapi_robot_sendmsg"])
    assert (found["bot"].verdict, found["bot"].advice) == ("fail", "missing_scope")
    assert found["bot"].params["scopes"] == "qyapi_robot_sendmsg"


async def test_a_wrong_clock() -> None:
    sim = DingTalkSimulator()
    sim.add_template(TEMPLATE, **example_template())
    await sim.start()
    try:
        sim.advance(3600)
        async with Adapter(settings_for(sim), SystemClock()).examining() as examinations:
            found = {each.name: await each.examine() for each in examinations}
        assert (found["clock"].verdict, found["clock"].code) == ("fail", "clock_skewed")
    finally:
        await sim.stop()
