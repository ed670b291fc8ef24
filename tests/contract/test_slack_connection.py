"""The socket: replaced without a gap, found dead, given up where nothing helps; and what the doctor says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from channels.base import Finding
from channels.simulators.slack.simulator import SlackSimulator
from channels.slack.adapter import Adapter
from channels.slack.settings import SlackSettings
from channels.slack.socket import _read
from gateway.clock import FakeClock
from tests.contract.slack_adapter import DIRECT, LIN, Bench, Inbox, bench, until


def addresses(b: Bench) -> list[Any]:
    return b.calls("apps.connections.open")


@pytest.mark.parametrize("reason", ["refresh_requested", "warning"])
async def test_the_new_socket_is_up_before_the_old_one_goes(reason: Any) -> None:
    async with bench(warning_s=0.6) as b:
        await b.sim.disconnect(reason)
        await until(lambda: len(addresses(b)) == 2)
        for number in range(8):
            b.sim.send(DIRECT, LIN, f"message {number}")
            assert b.adapter.health().code == "ok"
            await asyncio.sleep(0.1)
        await until(lambda: len(b.inbox.items) >= 8)
        assert len({item.dedupe for item in b.inbox.items}) == 8
        assert len(b.inbox.items) == 8, "nothing had to be delivered again"
        assert len(addresses(b)) == 2


async def test_f09_each_socket_has_an_address_of_its_own() -> None:
    async with bench() as b:
        for number in range(3):
            await b.sim.drop(how="abort")
            await until(lambda: not b.adapter.health().ok)
            await until(lambda: b.adapter.health().ok, within_s=10)
            assert len(addresses(b)) == number + 2
        b.sim.send(DIRECT, LIN, "still there?")
        await until(lambda: len(b.inbox.items) == 1)
        links = [e.path for e in b.sim.timeline.since() if e.kind == "socket" and e.path.startswith("/link")]
        assert len(links) == len(set(links)) or len(links) == 4


async def test_a_refused_handshake_fetches_a_fresh_address() -> None:
    async with bench(wait=False) as b:
        b.sim.faults.add({"match": {"path": "^/link"}, "action": {"status": 503}, "times": 2})
        await until(lambda: b.adapter.health().ok, within_s=10)
        assert len(addresses(b)) >= 1


async def test_f08_a_half_open_socket_is_found_within_thirty_seconds() -> None:
    sim, clock, inbox = SlackSimulator(), FakeClock(), Inbox()
    await sim.start()
    given = {"id": "main", "bot_token": sim.bot_token, "app_token": sim.app_token, "base_url": sim.api_url}
    adapter = Adapter(SlackSettings.model_validate(given), clock)
    await adapter.start(inbox)
    try:

        async def passed(seconds: float) -> None:
            for _ in range(int(seconds * 2)):
                await clock.advance(0.5)
                sim.advance(0.5)
                await asyncio.sleep(0.005)

        while not adapter.health().ok:
            await passed(0.5)
        await passed(60)
        assert adapter.health().ok and len([e for e in sim.timeline.since() if "connections.open" in e.path]) == 1
        await sim.drop(how="freeze")
        await passed(32)
        await until(lambda: adapter.health().ok)
        assert len([e for e in sim.timeline.since() if "connections.open" in e.path]) == 2
    finally:
        await adapter.stop()
        await sim.stop()


async def test_switched_off_socket_mode_stops_and_is_told() -> None:
    async with bench() as b:
        await b.sim.disconnect("link_disabled")
        await until(lambda: not b.adapter.health().ok)
        asked = len(addresses(b))
        await asyncio.sleep(2.0)
        health = b.adapter.health()
        assert (health.code, health.advice, len(addresses(b))) == ("auth_failed", "socket_mode_off", asked)


async def test_refused_tokens_stop_and_are_told() -> None:
    async with bench(wait=False, settings={"bot_token": "xoxb-wrong"}) as b:
        await until(lambda: b.adapter.health().code == "auth_failed")
        await asyncio.sleep(2.0)
        assert b.adapter.health().advice == "token_invalid"
        assert len(b.calls("auth.test")) == 1 and not addresses(b)


async def test_too_many_sockets_back_off() -> None:
    async with bench(wait=False, max_connections=0) as b:
        await asyncio.sleep(2.5)
        assert not b.adapter.health().ok and b.adapter.health().advice in ("too_many_connections", "connecting", "")
        assert 2 <= len(addresses(b)) <= 5


async def test_a_stranger_on_the_same_token_is_told() -> None:
    async with bench() as b:
        given = {"id": "two", "bot_token": b.sim.bot_token, "app_token": b.sim.app_token, "base_url": b.sim.api_url}
        from gateway.clock import SystemClock

        other = Adapter(SlackSettings.model_validate(given), SystemClock())
        await other.start(Inbox())
        await until(lambda: other.health().ok)
        health = other.health()
        assert (health.ok, health.advice) == (True, "token_shared") and "1 more socket" in health.reason
        await other.stop()
        assert b.adapter.health().advice == ""


async def test_acks_leave_on_the_socket_the_envelope_came_by() -> None:
    async with bench(ack_on_any_socket=False, warning_s=1.0) as b:
        b.inbox.gate = asyncio.Event()
        b.sim.send(DIRECT, LIN, "slow to store")
        await until(lambda: len(b.inbox.items) == 1)
        await b.sim.disconnect("warning")
        await until(lambda: len(addresses(b)) == 2)
        b.inbox.gate.set()
        await asyncio.sleep(1.5)
        assert len(b.inbox.items) == 1


async def test_one_question_who_we_are_however_many_events_come() -> None:
    async with bench() as b:
        for number in range(100):
            b.sim.send(DIRECT, LIN, f"message {number}")
        await until(lambda: len(b.inbox.items) == 100)
        assert len(b.calls("auth.test")) == 1


async def examined(b: Bench) -> dict[str, Finding]:
    async with b.adapter.examining() as every:
        return {each.name: await each.examine() for each in every}


async def test_the_doctor_of_a_healthy_app_opens_no_socket() -> None:
    async with bench() as b:
        before = len([e for e in b.sim.timeline.since() if e.kind == "socket"])
        found = await examined(b)
        assert {name: each.verdict for name, each in found.items()} == {
            "token_kinds": "ok",
            "credentials": "ok",
            "bot": "ok",
            "connection": "ok",
            "subscriptions": "skipped",
            "scopes": "ok",
            "clock": "ok",
        }
        assert len([e for e in b.sim.timeline.since() if e.kind == "socket"]) == before


async def test_the_doctor_names_what_is_missing() -> None:
    async with bench(withheld_scopes=["users:read"]) as b:
        scopes = (await examined(b))["scopes"]
        assert (scopes.verdict, scopes.advice, scopes.params["scopes"]) == ("warn", "scopes_need_install", "users:read")
    async with bench(withheld_scopes=["chat:write"]) as b:
        assert (await examined(b))["scopes"].verdict == "fail"


async def test_the_doctor_sees_swapped_tokens_and_a_wrong_clock() -> None:
    async with bench(wait=False, settings={"bot_token": "xapp-1", "app_token": "xoxb-1"}) as b:
        b.sim.advance(400)
        found = await examined(b)
        assert (found["token_kinds"].verdict, found["token_kinds"].advice) == ("fail", "token_kind_wrong")
        assert (found["credentials"].verdict, found["scopes"].verdict) == ("fail", "skipped")


def test_frames_with_half_a_character_or_without_end_are_read_or_left() -> None:
    assert _read('{"text":"a\\ud83d"}') == {"text": "a\ufffd"}
    assert _read("[" * 100_000) is None and _read("{") is None and _read("[]") is None
