from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp

from tests.contract.slack_workspace import Socket, Workspace, open_workspace, until


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with open_workspace() as workspace:
        yield workspace


@pytest.fixture
async def socket(workspace: Workspace) -> AsyncIterator[Socket]:
    socket = Socket(workspace)
    await socket.connect()
    yield socket
    await socket.close()


def opens(workspace: Workspace) -> int:
    return sum(entry.path == "/api/apps.connections.open" for entry in workspace.simulator.timeline.since())


async def test_hello_tells_how_many_connections_there_are(workspace: Workspace, socket: Socket) -> None:
    second = Socket(workspace)
    await second.connect()
    await until(lambda: bool(second.hello))
    assert (socket.hello["num_connections"], second.hello["num_connections"]) == (1, 2)
    assert second.hello["connection_info"] == {"app_id": "A0NIUMA"}
    assert second.hello["debug_info"]["host"]
    await second.close()


@pytest.mark.parametrize("mention_first", [True, False])
async def test_f07_a_mention_comes_as_two_events_with_different_ids(workspace: Workspace, mention_first: bool) -> None:
    workspace.simulator.options.mention_first = mention_first
    workspace.simulator.options.mention_gap_s = 0.03
    socket = Socket(workspace)
    await socket.connect()
    sent = workspace.simulator.send("C0TEAM", "U0LIN", "@niuma hi")
    found = [(await socket.next())["payload"] for _ in range(2)]
    types = ["app_mention", "message"]
    assert [each["event"]["type"] for each in found] == (types if mention_first else types[::-1])
    assert [each["event_id"] for each in found] == sent.event_ids
    assert len(set(sent.event_ids)) == 2
    assert {each["event"]["ts"] for each in found} == {sent.ts}
    assert len({each["event"]["client_msg_id"] for each in found}) == 1
    mention = next(each["event"] for each in found if each["event"]["type"] == "app_mention")
    assert not {"channel_type", "subtype"} & set(mention)
    await socket.close()


async def test_direct_messages_and_unmentioned_ones_are_one_event(workspace: Workspace, socket: Socket) -> None:
    workspace.simulator.send("D0LIN", "U0LIN", "@niuma hi")
    workspace.simulator.send("C0TEAM", "U0LIN", "just talking")
    events = [(await socket.next())["payload"]["event"] for _ in range(2)]
    assert [(each["type"], each["channel_type"]) for each in events] == [("message", "im"), ("message", "channel")]
    options = workspace.simulator.options
    options.withheld_events = ["message.channels"]
    assert workspace.simulator.send("C0TEAM", "U0LIN", "just talking").event_ids == []
    options.change({"withheld_events": [], "withheld_scopes": ["channels:history"]})
    assert len(workspace.simulator.send("C0TEAM", "U0LIN", "@niuma hi").event_ids) == 1


async def test_an_unacknowledged_event_comes_again_at_once_after_1_and_5_minutes_and_never_more(
    workspace: Workspace, socket: Socket
) -> None:
    socket.auto = False
    workspace.simulator.send("D0LIN", "U0LIN", "hello")
    first = await socket.next()
    seen = {first["envelope_id"]}
    assert (first["retry_attempt"], first["retry_reason"]) == (0, "")
    for attempt, wait_s in enumerate((0, 60, 300), start=1):
        workspace.simulator.advance(3)
        await asyncio.sleep(0.02)
        if wait_s:
            workspace.simulator.advance(wait_s - 1)
            await asyncio.sleep(0.02)
            assert socket.envelopes.empty()
            workspace.simulator.advance(1)
        again = await socket.next()
        assert again["payload"]["event_id"] == first["payload"]["event_id"]
        assert (again["retry_attempt"], again["retry_reason"]) == (attempt, "timeout")
        seen.add(again["envelope_id"])
    assert len(seen) == 4
    workspace.simulator.advance(3)
    await until(lambda: not workspace.simulator.deliveries.pending)
    workspace.simulator.advance(10_000)
    await asyncio.sleep(0.02)
    assert socket.envelopes.empty()


async def test_an_unacknowledged_event_comes_back_after_a_reconnect(workspace: Workspace, socket: Socket) -> None:
    workspace.simulator.options.replay_delay_s = 365
    socket.auto = False
    workspace.simulator.send("D0LIN", "U0LIN", "hello")
    first = await socket.next()
    await socket.close()
    again = Socket(workspace)
    await again.connect()
    await asyncio.sleep(0.02)
    assert again.envelopes.empty()
    workspace.simulator.advance(365)
    assert (await again.next())["payload"]["event_id"] == first["payload"]["event_id"]
    await again.close()


async def test_commands_and_presses_are_not_repeated(workspace: Workspace, socket: Socket) -> None:
    socket.auto = False
    asked = asyncio.create_task(workspace.simulator.command("C0TEAM", "U0LIN", "/agent", "help"))
    envelope = await socket.next()
    assert (envelope["type"], envelope["accepts_response_payload"]) == ("slash_commands", True)
    workspace.simulator.advance(3)
    assert await asked == {"acked": False, "error": "operation_timeout"}
    workspace.simulator.advance(400)
    await asyncio.sleep(0.02)
    assert socket.envelopes.empty()


async def test_each_envelope_goes_to_one_of_the_connections(workspace: Workspace, socket: Socket) -> None:
    second = Socket(workspace)
    await second.connect()
    for number in range(20):
        workspace.simulator.send("D0LIN", "U0LIN", f"{number}")
    await until(lambda: socket.envelopes.qsize() + second.envelopes.qsize() == 20)
    assert socket.envelopes.qsize() > 2 and second.envelopes.qsize() > 2
    await second.close()


async def test_f09_an_address_opens_one_socket_and_ages(workspace: Workspace, socket: Socket) -> None:
    client = workspace.client(workspace.simulator.app_token)
    url = (await client.apps_connections_open(app_token=workspace.simulator.app_token))["url"]
    second = Socket(workspace)
    await second.connect_to(url)
    await second.close()
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await second.connect_to(url)
    assert refused.value.status == 404
    url = (await client.apps_connections_open(app_token=workspace.simulator.app_token))["url"]
    workspace.simulator.advance(61)
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await second.connect_to(url)


async def test_f09_the_real_client_asks_for_a_new_address_after_each_cut(workspace: Workspace) -> None:
    await workspace.connect()
    for cuts in (1, 2, 3):
        await workspace.simulator.drop(how="abort")
        await until(lambda wanted=cuts + 1: opens(workspace) == wanted, within_s=5)
        await until(lambda: workspace.simulator.sockets.count("A0NIUMA") == 1)
    workspace.simulator.send("C0TEAM", "U0LIN", "@niuma hi")
    await until(lambda: sorted(workspace.types()) == ["app_mention", "message"])


async def test_the_real_client_dials_the_same_address_again_until_it_is_let_in(workspace: Workspace) -> None:
    logging.getLogger("slack_bolt").setLevel(logging.CRITICAL)
    workspace.simulator.faults.add({"match": {"path": "^/link/"}, "action": {"status": 503}, "times": 2})
    await workspace.connect()
    shakes = [entry.status for entry in workspace.simulator.timeline.since() if entry.path == "/link/"]
    assert (shakes, opens(workspace)) == ([503, 503, 101], 1)


async def test_a_debug_connection_is_renewed_soon(workspace: Workspace) -> None:
    socket = Socket(workspace)
    await socket.connect("&debug_reconnects=true")
    await until(lambda: bool(socket.hello))
    assert socket.hello["debug_info"]["approximate_connection_time"] == 30
    workspace.simulator.advance(30)
    await until(lambda: socket.disconnects == ["refresh_requested"])
    workspace.simulator.advance(10)
    await until(lambda: workspace.simulator.sockets.count("A0NIUMA") == 0)


async def test_the_eleventh_connection_is_told_that_it_is_one_too_many(workspace: Workspace) -> None:
    sockets = [Socket(workspace) for _ in range(11)]
    for socket in sockets:
        await socket.connect()
    await until(lambda: sockets[-1].disconnects == ["too_many_websockets"])
    assert sockets[-1].hello == {}
    assert workspace.simulator.sockets.count("A0NIUMA") == 10
    for socket in sockets:
        await socket.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_the_real_client_dials_without_pause_while_there_are_too_many(workspace: Workspace) -> None:
    logging.getLogger("slack_bolt").setLevel(logging.CRITICAL)
    workspace.simulator.options.max_connections = 0
    await workspace.connect()
    await until(lambda: opens(workspace) > 50, within_s=20)
    refused = [entry for entry in workspace.simulator.timeline.since() if entry.code == "ratelimited"]
    assert refused and refused[0].status == 429
    workspace.simulator.options.max_connections = 10


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_the_real_client_renews_its_connection_when_asked(workspace: Workspace, reason: Any) -> None:
    await workspace.connect()
    assert await workspace.simulator.disconnect(reason) == 1
    await until(lambda: opens(workspace) == 2)
    workspace.simulator.send("D0LIN", "U0LIN", "still there?")
    await until(lambda: workspace.types() == ["message"])


async def test_without_socket_mode_no_tickets_are_given(workspace: Workspace, socket: Socket) -> None:
    await workspace.simulator.disconnect("link_disabled")
    await until(lambda: socket.disconnects == ["link_disabled"])
    with pytest.raises(Exception, match="forbidden_team"):
        await Socket(workspace).connect()


async def test_a_half_open_socket_is_found_by_the_real_client_and_its_events_come_again(workspace: Workspace) -> None:
    await workspace.connect()
    assert await workspace.control("POST", "half_open", {}) == {"connections": 1}
    workspace.simulator.send("D0LIN", "U0LIN", "anybody?")
    await until(lambda: opens(workspace) >= 2, within_s=10)
    for wait_s in (30, 3, 60, 300):
        workspace.simulator.advance(wait_s)
        await asyncio.sleep(0.1)
    assert workspace.types() == ["message"]
    assert workspace.simulator.sockets.count("A0NIUMA") == 1
    assert workspace.events[0]["event"]["text"] == "anybody?"


async def test_a_muted_socket_answers_pings_and_gets_nothing(workspace: Workspace) -> None:
    await workspace.connect()
    assert workspace.handler is not None
    await workspace.simulator.drop(how="mute")
    workspace.simulator.send("D0LIN", "U0LIN", "anybody?")
    await asyncio.sleep(2.5)
    assert await workspace.handler.client.is_connected()
    assert workspace.events == []


async def test_an_event_nobody_handles_is_never_acknowledged_by_the_real_client(workspace: Workspace) -> None:
    logging.getLogger("slack_bolt").setLevel(logging.CRITICAL)
    seen: list[str] = []

    def register(app: AsyncApp) -> None:
        @app.event("app_mention")
        async def mention(body: dict[str, Any]) -> None:
            seen.append(body["event_id"])

    await workspace.connect(register, keep_all=False)
    workspace.simulator.react(workspace.simulator.send("C0TEAM", "U0LIN", "@niuma x").message_id, "U0LIN", "eyes")
    await until(lambda: len(seen) == 1)
    for wait_s in (3, 3, 60, 3, 300):
        workspace.simulator.advance(wait_s)
        await asyncio.sleep(0.05)
    deliveries = [entry.path for entry in workspace.simulator.timeline.since() if entry.method == "events_api"]
    assert [each for each in deliveries if each.startswith("reaction_added")] == [
        f"reaction_added#{attempt}" for attempt in (1, 2, 3, 4)
    ]
    assert [each for each in deliveries if each.startswith("app_mention")] == ["app_mention#1"]


async def test_faults_of_delivery_duplicate_lose_and_drop(workspace: Workspace, socket: Socket) -> None:
    simulator = workspace.simulator
    simulator.faults.add({"match": {"event": "^message$"}, "action": {"duplicate": True}})
    sent = simulator.send("D0LIN", "U0LIN", "twice")
    found = [(await socket.next())["payload"] for _ in range(2)]
    assert {each["event"]["ts"] for each in found} == {sent.ts}
    assert len({each["event_id"] for each in found}) == 2
    simulator.faults.add({"match": {"event": "^message$"}, "action": {"lost_ack": True}})
    simulator.send("D0LIN", "U0LIN", "lost ack")
    first = await socket.next()
    simulator.advance(3)
    assert (await socket.next())["payload"]["event_id"] == first["payload"]["event_id"]
    simulator.faults.add({"match": {"event": "^/agent$"}, "action": {"duplicate": True}})
    assert (await simulator.command("D0LIN", "U0LIN", "/agent"))["acked"]
    commands = [await socket.next() for _ in range(2)]
    assert len({each["envelope_id"] for each in commands}) == 2
    assert len({each["payload"]["trigger_id"] for each in commands}) == 1
    simulator.faults.add({"match": {"event": "^message$"}, "action": {"drop": True}})
    simulator.send("D0LIN", "U0LIN", "dropped once")
    assert (await socket.next())["retry_attempt"] == 1


async def test_beyond_the_hourly_cap_events_are_dropped_and_the_app_is_told(
    workspace: Workspace, socket: Socket
) -> None:
    workspace.simulator.options.events_per_hour = 2
    for number in range(4):
        workspace.simulator.send("D0LIN", "U0LIN", f"{number}")
    found = [(await socket.next())["payload"]["type"] for _ in range(3)]
    assert found == ["event_callback", "event_callback", "app_rate_limited"]
    await asyncio.sleep(0.02)
    assert socket.envelopes.empty()
