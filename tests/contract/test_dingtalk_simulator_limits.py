"""The simulated DingTalk's limits, allowances, permissions and faults, in the platform's own shapes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from channels.simulators.dingtalk.frames import CARD
from tests.contract.dingtalk_wire import LIN, LIN_DIRECT, Org, open_org

QPS = "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"


@pytest.fixture
async def org() -> AsyncIterator[Org]:
    async with open_org() as org:
        yield org


async def test_the_21st_call_of_a_second_is_refused_for_that_api_alone(org: Org) -> None:
    await org.create("card-1")
    found = [await org.frame("card-1", f"{number}") for number in range(21)]
    assert [status for status, _ in found] == [200] * 20 + [403]
    assert found[-1][1]["code"] == QPS
    assert (await org.update("card-1", {"status": "other api"}))[0] == 200
    assert org.simulator.card("card-1")["card"]["params"].get("content") is None
    org.simulator.advance(1)
    assert (await org.frame("card-1", "again"))[0] == 200


async def test_a_paid_plan_has_more_calls_a_second() -> None:
    async with open_org(connect=False, api_per_second=40) as org:
        await org.create("card-1")
        assert [(await org.frame("card-1", "x"))[0] for _ in range(41)] == [200] * 40 + [403]


async def test_the_months_allowance_ends_and_a_new_month_begins_it_anew() -> None:
    async with open_org(connect=False, monthly_calls=25) as org:
        await org.create("card-1")
        statuses = [(await org.frame("card-1", f"{number}"))[0] for number in range(30)]
        assert statuses == [200] * 20 + [403] * 10
        assert org.simulator.gate.quota.used()["calls"] == 21, "a throttled call is not counted"
        org.simulator.advance(1)
        found = [await org.frame("card-1", f"{number}") for number in range(5)]
        assert found[-1][1]["code"].endswith("ApiCountLimitForOrg")
        assert (await org.login())["accessToken"], "the token is exempt"
        org.simulator.advance(32 * 86400)
        await org.login()
        assert (await org.frame("card-1", "a new month"))[0] == 200


async def test_over_the_months_messages_a_notice_comes_without_text() -> None:
    async with open_org(monthly_messages=1) as org:
        org.simulator.send(LIN_DIRECT, LIN, "one")
        assert (await org.stream.next())["body"]["text"]["content"] == "one"
        org.simulator.send(LIN_DIRECT, LIN, "two")
        body = (await org.stream.next())["body"]
        assert body["errCode"] == 20001
        assert "text" not in body and "content" not in body


async def test_a_withheld_permission_is_named(org: Org) -> None:
    org.simulator.options.withheld_scopes = ["Card.Streaming.Write"]
    await org.create("card-1")
    status, found = await org.frame("card-1", "x")
    assert (status, found["code"]) == (403, "Forbidden.AccessDenied.AccessTokenPermissionDenied")
    assert found["accessdenieddetail"] == {"requiredScopes": ["Card.Streaming.Write"]}
    org.simulator.options.streaming_without_scope = "unknownError"
    assert (await org.frame("card-1", "x"))[0] == 500


async def test_too_many_calls_of_one_address_meet_the_firewall() -> None:
    async with open_org(connect=False, ip_calls=5) as org:
        for number in range(4):
            await org.frame("nobody", f"{number}")
        status, found = await org.frame("nobody", "x")
        assert (status, found["status"], found["punish"]) == (403, 1111, "deny")
        assert "code" not in found
        org.simulator.options.ip_block_body = "html"
        async with org.session.put(f"{org.simulator.url}/v1.0/card/streaming", json={}) as response:
            assert response.content_type == "text/html"
        org.simulator.advance(300)
        assert (await org.frame("nobody", "x"))[1]["code"] == "param.stream.outTrackId"


async def test_faults_speak_the_platforms_shapes(org: Org) -> None:
    rule = {"match": {"path": "/card/streaming"}, "action": {"status": 500, "code": "system.busy"}}
    org.simulator.faults.add(rule)
    await org.create("card-1")
    status, found = await org.frame("card-1", "x")
    assert (status, found["code"]) == (500, "system.busy")
    org.simulator.faults.add({"match": {"path": "sendBySession"}, "action": {"code": 130101}})
    assert (await org.reply(f"{org.simulator.url}/robot/sendBySession", {}))["errcode"] == 130101
    org.simulator.faults.add({"match": {"path": "createAndDeliver"}, "action": {"lost_answer": True}})
    with pytest.raises(Exception, match=r"disconnected|reset|Cannot"):
        await org.create("card-2")
    assert org.simulator.card("card-2")["text"] == "…"
    org.simulator.faults.add({"match": {"event": "robot"}, "action": {"lost_ack": True}})
    org.simulator.send(LIN_DIRECT, LIN, "hello")
    first = await org.stream.next()
    org.simulator.advance(60)
    assert (await org.stream.next())["body"] == first["body"]


async def test_a_press_on_a_stream_is_json_in_json(org: Org) -> None:
    await org.create("card-1", {"show_stop": "true", "value": "n-1"})
    shown = org.simulator.card("card-1")
    clicking = asyncio.create_task(org.simulator.click(shown["id"], LIN, "btn_stop"))
    frame = await org.stream.next()
    assert frame["headers"]["topic"] == CARD
    content = json.loads(frame["body"]["content"])
    assert content == {"cardPrivateData": {"actionIds": ["btn_stop"], "params": {"action": "stop", "value": "n-1"}}}
    await org.stream.ack(frame, {"response": {}})
    assert (await clicking)["ok"]
