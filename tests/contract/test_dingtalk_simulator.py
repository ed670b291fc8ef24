from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.simulators.dingtalk.frames import ROBOT
from tests.contract.dingtalk_wire import CHEN, LIN, LIN_DIRECT, OPEN, SUBSCRIPTIONS, TEAM, Org, Stream, open_org, until

QPS = "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"


@pytest.fixture
async def org() -> AsyncIterator[Org]:
    async with open_org() as org:
        yield org


async def test_wrong_secrets_are_refused_with_the_platforms_shape(org: Org) -> None:
    status, found = await org.call("POST", OPEN, {"clientId": org.simulator.app_id, "clientSecret": "secret "})
    assert (status, set(found), found["code"]) == (401, {"requestid", "code", "message"}, "authFailed")
    status, found = await org.call("POST", "/v1.0/oauth2/accessToken", {"appKey": "dingx", "appSecret": "x"})
    assert (status, found["code"]) == (400, "invalidClientIdOrSecret")
    assert (await org.open_connection([]))[1]["code"] == "systemError"
    assert (await org.open_connection([{"type": "EVENT", "topic": "chat_update_title"}]))[0] == 400


async def test_the_opening_call_answers_in_xml_unless_json_is_asked_for(org: Org) -> None:
    ids = {"clientId": org.simulator.app_id, "clientSecret": org.simulator.app_secret}
    body = {**ids, "subscriptions": SUBSCRIPTIONS}
    async with org.session.post(org.simulator.url + OPEN, json=body) as response:
        assert response.content_type == "application/xml"
        assert "<ticket>" in await response.text()


async def test_a_ticket_is_good_for_one_connection_within_90_seconds(org: Org) -> None:
    _, found = await org.open_connection(SUBSCRIPTIONS)
    url = f"{found['endpoint']}?ticket={found['ticket']}"
    async with org.session.ws_connect(url):
        assert (await org.session.get(url.replace("ws", "http", 1))).status == 401
    _, found = await org.open_connection(SUBSCRIPTIONS)
    org.simulator.advance(91)
    assert (
        await org.session.get(f"{found['endpoint'].replace('ws', 'http', 1)}?ticket={found['ticket']}")
    ).status == 401


async def test_a_token_is_the_same_for_two_hours_then_ages_and_can_be_revoked(org: Org) -> None:
    first = org.token
    org.simulator.advance(7000)
    assert (await org.login())["accessToken"] == first
    org.simulator.advance(201)
    status, found = await org.create("card-1")
    assert (status, found["code"]) == (400, "InvalidAuthentication")
    await org.login()
    assert org.token != first
    assert (await org.create("card-1"))[0] == 200
    org.simulator.revoke_token()
    org.simulator.options.token_error_status = 401
    assert (await org.create("card-2"))[0] == 401


async def test_a_group_hears_only_its_mentions_and_keeps_the_leading_blank(org: Org) -> None:
    assert org.simulator.send(TEAM, LIN, "just talking").robots == 0
    sent = org.simulator.send(TEAM, LIN, "@niuma ask @Chen Yu")
    frame = await org.stream.next()
    body = frame["body"]
    assert (frame["type"], frame["headers"]["topic"], frame["headers"]["contentType"]) == (
        "CALLBACK",
        ROBOT,
        "application/json",
    )
    assert (body["msgId"], body["text"]["content"]) == (sent.message_id, " ask @Chen Yu")
    assert (body["conversationType"], body["conversationTitle"], body["isInAtList"]) == ("2", "Product team", True)
    robot, person = body["atUsers"]
    assert robot == {"dingtalkId": body["chatbotUserId"]}
    assert person["staffId"] == CHEN
    assert body["sessionWebhookExpiredTime"] - body["createAt"] == 5_400_000


async def test_a_single_chat_needs_no_mention_and_has_a_cid_too(org: Org) -> None:
    org.simulator.send(LIN_DIRECT, LIN, "hi")
    body = (await org.stream.next())["body"]
    assert (body["conversationType"], body["conversationId"], body["senderStaffId"]) == ("1", LIN_DIRECT, LIN)
    assert "conversationTitle" not in body


async def test_two_robots_mentioned_in_one_message_get_the_same_msg_id(org: Org) -> None:
    org.simulator.add_app("dingother", "secret", "helper")
    sent = org.simulator.send(TEAM, LIN, "@niuma @helper both of you")
    assert sent.robots == 2
    codes = {each.data["robotCode"]: each.data["msgId"] for each in org.simulator.deliveries.all}
    assert codes == {"dingdemo": sent.message_id, "dingother": sent.message_id}


async def test_a_person_from_outside_has_no_staff_id(org: Org) -> None:
    org.simulator.world.people[CHEN].is_outside = True
    org.simulator.send(TEAM, CHEN, "@niuma hi")
    assert "senderStaffId" not in (await org.stream.next())["body"]


async def test_a_ping_must_come_back_with_its_own_opaque(org: Org) -> None:
    await org.simulator.sockets.ping(org.simulator.app_id)
    await until(lambda: "ping" in org.stream.topics)
    await until(lambda: any(each.kind == "in" for each in org.simulator.timeline.since()))
    assert org.simulator.sockets.problems == []
    ping = next(each for each in org.stream.system if each["headers"]["topic"] == "ping")
    await org.stream.ack(ping, {"opaque": "another"})
    await until(lambda: len(org.simulator.sockets.problems) == 1)


async def test_pings_and_keepalives_come_by_themselves(org: Org) -> None:
    await until(lambda: org.stream.topics == ["CONNECTED", "REGISTERED"])
    org.simulator.advance(31)
    await until(lambda: {"ping", "KEEPALIVE"} <= set(org.stream.topics))


async def test_after_disconnect_the_server_is_silent_at_once_and_closes_after_ten_seconds(org: Org) -> None:
    await org.simulator.drop(how="disconnect")
    await until(lambda: "disconnect" in org.stream.topics)
    assert org.stream.system[-1]["body"] == {"reason": "connection is expired"}
    org.simulator.send(LIN_DIRECT, LIN, "anybody there?")
    assert await org.stream.nothing()
    assert org.simulator.people.notices[0]["person"] == LIN
    assert not org.stream.ended
    org.simulator.advance(10)
    await until(lambda: org.stream.ended)
    async with open_stream(org) as second:
        org.simulator.send(LIN_DIRECT, LIN, "again")
        assert (await second.next())["body"]["text"]["content"] == "again"


async def test_connections_are_rotated_by_age() -> None:
    async with open_org(rotate_every_s=600) as org:
        await until(lambda: "REGISTERED" in org.stream.topics)
        org.simulator.advance(600)
        await until(lambda: org.stream.topics[-1] == "disconnect")


async def test_a_half_open_connection_answers_nothing_and_loses_what_it_gets(org: Org) -> None:
    await org.simulator.drop(how="freeze")
    org.simulator.send(LIN_DIRECT, LIN, "into the void")
    assert await org.stream.nothing()
    assert not org.stream.ended
    await org.simulator.drop(how="abort")
    await until(lambda: org.stream.ended)
    async with open_stream(org) as second:
        org.simulator.advance(61)
        assert await second.nothing()


async def test_topics_not_subscribed_are_not_delivered() -> None:
    async with open_org(connect=False) as org:
        stream = await Stream(org, subscriptions=[{"type": "CALLBACK", "topic": ROBOT}]).connect()
        await org.create("card-1", {"show_stop": "true"})
        clicking = asyncio.create_task(org.simulator.click(org.simulator.card("card-1")["id"], LIN, "btn_stop"))
        org.simulator.push_event("chat_update_title", {})
        assert await stream.nothing()
        org.simulator.advance(3)
        assert (await clicking)["reason"] == "timeout"
        await stream.close()


async def test_each_push_goes_to_one_connection_at_random(org: Org) -> None:
    async with open_stream(org) as second:
        for number in range(20):
            org.simulator.send(LIN_DIRECT, LIN, f"message {number}")
        await until(lambda: org.stream.pushes.qsize() + second.pushes.qsize() == 20)
        assert org.stream.pushes.qsize() and second.pushes.qsize()


async def test_an_unacknowledged_message_comes_again_after_a_minute_under_another_message_id() -> None:
    async with open_org(connect=False) as org:
        stream = await Stream(org, auto=False).connect()
        sent = org.simulator.send(LIN_DIRECT, LIN, "hello")
        first = await stream.next()
        org.simulator.advance(59)
        assert await stream.nothing()
        org.simulator.advance(1)
        second = await stream.next()
        assert first["headers"]["messageId"] != second["headers"]["messageId"]
        assert first["body"] == second["body"]
        assert second["body"]["msgId"] == sent.message_id
        await stream.ack(second, {"response": None})
        await until(lambda: org.simulator.deliveries.all[0].acked)
        org.simulator.advance(61)
        assert await stream.nothing()
        await stream.close()


async def test_an_acknowledged_message_never_comes_again(org: Org) -> None:
    org.simulator.send(LIN_DIRECT, LIN, "hello")
    await org.stream.next()
    await until(lambda: org.simulator.deliveries.all[0].acked)
    org.simulator.advance(120)
    assert await org.stream.nothing()


@pytest.mark.parametrize("answer", [{"status": "LATER", "message": ""}, {}, None])
async def test_an_event_comes_again_until_it_is_called_a_success(answer: dict[str, str] | None) -> None:
    async with open_org(connect=False) as org:
        stream = await Stream(org, auto=False).connect()
        org.simulator.push_event("chat_update_title", {"title": "x"})
        first = await stream.next()
        assert (first["type"], first["headers"]["topic"], first["headers"]["eventType"]) == (
            "EVENT",
            "*",
            "chat_update_title",
        )
        if answer is not None:
            await stream.ack(first, answer)
            await asyncio.sleep(0.02)
        org.simulator.advance(60)
        second = await stream.next()
        assert first["headers"]["eventId"] == second["headers"]["eventId"]
        assert first["headers"]["messageId"] != second["headers"]["messageId"]
        await stream.ack(second, {"status": "SUCCESS", "message": "ok"})
        await until(lambda: org.simulator.deliveries.all[0].acked)
        await stream.close()


async def test_an_event_waits_for_a_connection_as_a_message_does_not() -> None:
    async with open_org(connect=False) as org:
        org.simulator.push_event("chat_update_title", {})
        await until(lambda: org.simulator.deliveries.all[0].attempts == 1)
        async with open_stream(org) as stream:
            org.simulator.advance(60)
            assert (await stream.next())["type"] == "EVENT"


async def test_a_refused_message_comes_again_and_one_on_a_dead_connection_where_the_platform_keeps_it() -> None:
    async with open_org(connect=False, lost_with_socket=False) as org:
        stream = await Stream(org, auto=False).connect()
        org.simulator.send(LIN_DIRECT, LIN, "hello")
        await stream.ack(await stream.next(), {}, code=500)
        await asyncio.sleep(0.02)
        org.simulator.advance(60)
        second = await stream.next()
        await stream.close()
        async with open_stream(org) as another:
            org.simulator.advance(60)
            assert (await another.next())["body"] == second["body"]


async def test_an_ack_counts_only_on_the_connection_of_its_push(org: Org) -> None:
    org.stream.auto = False
    org.simulator.send(LIN_DIRECT, LIN, "hello")
    frame = await org.stream.next()
    async with open_stream(org) as second:
        await second.ack(frame, {"response": None})
        await until(lambda: len(org.simulator.sockets.problems) == 1)
        assert not org.simulator.deliveries.all[0].acked
        org.simulator.options.ack_any_socket = True
        await second.ack(frame, {"response": None})
        await until(lambda: org.simulator.deliveries.all[0].acked)


async def test_a_message_without_any_connection_is_lost_and_its_writer_is_told() -> None:
    async with open_org(connect=False) as org:
        org.simulator.send(LIN_DIRECT, LIN, "hello?")
        await until(lambda: len(org.simulator.people.notices) == 1)
        org.simulator.options.offline_notice = False
        org.simulator.send(LIN_DIRECT, LIN, "hello?")
        async with open_stream(org) as stream:
            org.simulator.advance(61)
            assert await stream.nothing()
        assert len(org.simulator.people.notices) == 1


async def test_a_webhook_takes_answers_for_90_minutes(org: Org) -> None:
    org.simulator.send(TEAM, LIN, "@niuma hi")
    webhook = (await org.stream.next())["body"]["sessionWebhook"]
    text = {"msgtype": "text", "text": {"content": "hello"}}
    assert await org.reply(webhook, text) == {"errcode": 0, "errmsg": "ok"}
    assert org.simulator.state()["messages"][-1]["text"] == "hello"
    org.simulator.advance(5399)
    assert (await org.reply(webhook, text))["errcode"] == 0
    org.simulator.advance(2)
    assert (await org.reply(webhook, text))["errcode"] == 300001
    assert (await org.reply(webhook + "x", text))["errcode"] == 300001


async def test_a_webhook_refuses_20_000_bytes_and_what_it_cannot_read(org: Org) -> None:
    org.simulator.send(TEAM, LIN, "@niuma hi")
    webhook = (await org.stream.next())["body"]["sessionWebhook"]
    body = {"msgtype": "markdown", "markdown": {"title": "t", "text": "x" * 20_000}}
    assert (await org.reply(webhook, body))["errcode"] == 460101
    for wrong in ({"msgtype": "poem"}, {"msgtype": "markdown", "markdown": {"text": "no title"}}, {}):
        assert (await org.reply(webhook, wrong))["errcode"] == 40035
    assert (await org.reply(webhook, {"msgtype": "empty"}))["errcode"] == 0
    assert len(org.simulator.state()["messages"]) == 1


async def test_a_mention_in_markdown_needs_the_id_in_the_text_too(org: Org) -> None:
    org.simulator.send(TEAM, LIN, "@niuma hi")
    webhook = (await org.stream.next())["body"]["sessionWebhook"]
    at = {"atUserIds": [LIN]}
    await org.reply(webhook, {"msgtype": "markdown", "markdown": {"title": "t", "text": "done"}, "at": at})
    assert org.simulator.state()["messages"][-1]["at_users"] == []
    await org.reply(webhook, {"msgtype": "markdown", "markdown": {"title": "t", "text": f"done @{LIN}"}, "at": at})
    assert org.simulator.state()["messages"][-1]["at_users"] == [LIN]


async def test_a_dtmd_link_sends_its_text_as_the_person(org: Org) -> None:
    org.simulator.send(TEAM, LIN, "@niuma deploy")
    webhook = (await org.stream.next())["body"]["sessionWebhook"]
    url = "dtmd://dingtalkclient/sendMessage?content=%E6%89%B9%E5%87%86%2042"
    card = {"title": "May I?", "text": "May I?", "btns": [{"title": "Yes", "actionURL": url}]}
    await org.reply(webhook, {"msgtype": "actionCard", "actionCard": card})
    shown = org.simulator.state()["messages"][-1]
    assert (shown["msg_type"], shown["text"]) == ("actionCard", "May I?\n[Yes]")
    org.simulator.press_link(TEAM, LIN, shown["buttons"][0]["url"])
    assert (await org.stream.next())["body"]["text"]["content"] == "批准 42"


def open_stream(org: Org) -> _Opened:
    return _Opened(org)


class _Opened:
    """One more stream, closed at the end."""

    def __init__(self, org: Org) -> None:
        self.stream = Stream(org)

    async def __aenter__(self) -> Stream:
        return await self.stream.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.stream.close()
