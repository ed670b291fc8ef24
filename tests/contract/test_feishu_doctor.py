"""What a Feishu app's examinations find, each well and not well, against the simulator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from channels.base import Examinable, Finding
from channels.feishu import doctor as examined
from channels.feishu.adapter import Adapter
from channels.feishu.settings import FeishuSettings
from channels.simulators.feishu.simulator import FeishuSimulator
from gateway.clock import SystemClock
from tests.contract.feishu_adapter import until

NAMES = ["credentials", "bot", "connection", "subscriptions", "scopes", "cards", "clock"]


@pytest.fixture
async def sim() -> AsyncIterator[FeishuSimulator]:
    simulator = FeishuSimulator()
    await simulator.start()
    yield simulator
    await simulator.stop()


def adapter(sim: FeishuSimulator, **more: Any) -> Adapter:
    given = {"id": "main", "app_id": sim.app_id, "app_secret": sim.app_secret, "domain": sim.url, **more}
    return Adapter(FeishuSettings.model_validate(given), SystemClock())


async def examine(channel: Adapter) -> dict[str, Finding]:
    assert isinstance(channel, Examinable)
    async with channel.examining() as every:
        found = await asyncio.gather(*(each.examine() for each in every))
    return {each.name: finding for each, finding in zip(every, found, strict=True)}


def faulty(sim: FeishuSimulator, path: str, times: int = -1, **action: Any) -> None:
    sim.faults.add({"match": {"path": path}, "action": action, "times": times})


async def test_a_healthy_app_is_well_and_nobody_sees_that_it_was_examined(sim: FeishuSimulator) -> None:
    before = len(sim.world.messages)
    found = await examine(adapter(sim))
    assert list(found) == NAMES
    assert {name: each.verdict for name, each in found.items()} == {
        **dict.fromkeys(NAMES, "ok"),
        "subscriptions": "skipped",
    }
    assert found["bot"].params["name"] == "niuma"
    assert found["subscriptions"].params["console_events"] == f"{sim.url}/app/cli_demo/event"
    assert len(sim.world.messages) == before
    assert all(card.message_id is None for card in sim.cards.by_id.values())
    assert [e for e in sim.timeline.since() if e.kind == "socket" and e.status == 101] == []


async def test_a_connection_that_is_open_keeps_its_events(sim: FeishuSimulator) -> None:
    channel = adapter(sim)
    seen: list[object] = []

    async def handle(inbound: object) -> None:
        seen.append(inbound)

    await channel.start(handle)
    await until(lambda: channel.health().ok)
    found = await examine(channel)
    assert found["connection"].verdict == "ok"
    assert sim.sockets.count(sim.app_id) == 1
    sim.send("oc_team", "ou_lin", "@niuma hello")
    await until(lambda: len(seen) == 1)
    await channel.stop()


@pytest.mark.parametrize(
    ("wrong", "advice"), [({"app_secret": "wrong"}, "secret_refused"), ({"app_id": "cli_other"}, "app_unknown")]
)
async def test_wrong_credentials_are_told_once(sim: FeishuSimulator, wrong: dict[str, str], advice: str) -> None:
    found = await examine(adapter(sim, **wrong))
    assert (found["credentials"].verdict, found["credentials"].advice) == ("fail", advice)
    assert {found[name].code for name in ("bot", "connection", "scopes", "cards")} == {"needs_credentials"}
    assert found["clock"].verdict == "ok"
    tokens = [e for e in sim.timeline.since() if "tenant_access_token" in e.path]
    assert len(tokens) == 1


async def test_a_wrong_secret_has_the_same_advice_in_the_health_of_a_running_channel(sim: FeishuSimulator) -> None:
    channel = adapter(sim, app_secret="wrong")
    await channel.start(lambda _inbound: asyncio.sleep(0))
    await until(lambda: channel.health().code == "auth_failed")
    health = channel.health()
    assert (health.advice, health.params["console"]) == ("secret_refused", f"{sim.url}/app/cli_demo")
    await channel.stop()


async def test_a_platform_that_is_away_or_slow(sim: FeishuSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
    away = await examine(adapter(sim, domain="http://127.0.0.1:9"))
    assert (away["credentials"].verdict, away["credentials"].advice) == ("fail", "not_dispatched")
    assert away["clock"].verdict == "skipped"
    monkeypatch.setattr(examined, "ANSWER_WITHIN_S", 0.2)
    faulty(sim, "tenant_access_token", hang=True)
    slow = await asyncio.wait_for(examine(adapter(sim)), 5)
    assert (slow["credentials"].verdict, slow["credentials"].advice) == ("fail", "delivery_unknown")


async def test_missing_permissions_are_named_with_the_page_that_offers_them(sim: FeishuSimulator) -> None:
    sim.options.change({"withheld_scopes": ["im:message", "im:message:send_as_bot", "cardkit:card:write"]})
    found = await examine(adapter(sim))
    scopes, cards = found["scopes"], found["cards"]
    assert (scopes.verdict, scopes.advice, scopes.params["scopes"]) == ("fail", "missing_scope", "im:message")
    assert str(scopes.params["console_scopes"]).startswith(f"{sim.url}/app/cli_demo/auth?q=im:message&")
    assert (cards.verdict, cards.params["scopes"]) == ("fail", "cardkit:card:write")


async def test_a_courtesy_that_lacks_its_permission_is_a_warning(sim: FeishuSimulator) -> None:
    sim.options.change({"withheld_scopes": ["contact:user.base:readonly"]})
    scopes = (await examine(adapter(sim)))["scopes"]
    assert (scopes.verdict, scopes.params["scopes"]) == ("warn", "contact:user.base:readonly")


async def test_the_platforms_own_name_of_a_permission_counts(sim: FeishuSimulator) -> None:
    names = "[contact:contact.base:readonly, contact:contact:readonly]"
    faulty(sim, "/contact/", code=99991672, msg=f"Access denied. One of the following scopes is required: {names}.")
    scopes = (await examine(adapter(sim)))["scopes"]
    assert scopes.params["scopes"] == "contact:contact.base:readonly"


@pytest.mark.parametrize(("seconds", "verdict"), [(3, "ok"), (60, "warn"), (4000, "fail")])
async def test_the_clocks_are_compared(sim: FeishuSimulator, seconds: int, verdict: str) -> None:
    sim.advance(seconds)
    clock = (await examine(adapter(sim)))["clock"]
    assert clock.verdict == verdict
    assert float(str(clock.params["skew_s"])) == pytest.approx(-seconds, abs=2)


@pytest.mark.parametrize(
    ("path", "action", "name", "advice"),
    [
        ("/bot/v3/info", {"code": 11205, "msg": "app do not have bot"}, "bot", "bot_feature_missing"),
        ("/callback/ws/endpoint", {"code": 1000040350, "status": 200}, "connection", "too_many_connections"),
        ("/callback/ws/endpoint", {"code": 1000040343, "status": 200}, "connection", "platform_busy"),
        ("/callback/ws/endpoint", {"code": 403, "status": 200}, "connection", "connection_refused"),
        ("/ws$", {"drop": True}, "connection", "connection_unreachable"),
        ("/ws$", {"status": 407}, "connection", "connection_unreachable"),
        ("/cardkit/", {"code": 200220, "msg": "no"}, "cards", "invalid_card"),
        ("/im/v1/messages", {"drop": True}, "scopes", "delivery_unknown"),
        ("tenant_access_token", {"code": 99991401, "status": 200}, "credentials", "address_not_allowed"),
    ],
)
async def test_what_else_can_be_refused(
    sim: FeishuSimulator, path: str, action: dict[str, Any], name: str, advice: str
) -> None:
    faulty(sim, path, **action)
    finding = (await examine(adapter(sim)))[name]
    assert (finding.verdict, finding.advice) == ("fail", advice)


async def test_a_bot_that_nobody_switched_on(sim: FeishuSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
    sim.options.change({"bot_status": 3})
    finding = (await examine(adapter(sim)))["bot"]
    assert (finding.verdict, finding.advice) == ("fail", "bot_inactive")
