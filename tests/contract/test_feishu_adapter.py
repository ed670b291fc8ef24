"""The adapter's long connection and what comes in over it, against the simulator."""

from __future__ import annotations

import asyncio
import logging

import pytest

from channels.events import CardAction, InboundMessage, Toast
from tests.contract.feishu_adapter import GROUP, LIN, bench, card, until

FAST = {"ping_every_s": 0.2, "silence_s": 0.5}


def acks(sim) -> list[str]:
    return [e.body.replace(" ", "") for e in sim.timeline.since() if e.kind == "in" and e.method == "event"]


async def test_a_mention_reaches_the_handler_and_is_acked_after_it_returned():
    async with bench() as b:
        b.inbox.gate = asyncio.Event()
        message = await b.asked("@niuma what is up?")
        assert (message.text, message.mentions_me, message.chat_kind) == ("what is up?", True, "group")
        assert str(message.conversation) == f"feishu:main:tenant_demo:{GROUP}"
        assert message.dedupe.key == message.message_id
        await asyncio.sleep(0.05)
        assert acks(b.sim) == []
        b.inbox.gate.set()
        await until(lambda: acks(b.sim) == ['{"code":200}'])


async def test_a_handler_that_raises_gets_the_event_again_with_an_equal_key():
    async with bench() as b:
        b.inbox.raises = RuntimeError("database is locked")
        await b.asked()
        await until(lambda: acks(b.sim) == ['{"code":500}'])
        b.inbox.raises = None
        b.sim.advance(16)
        await until(lambda: len(b.inbox.items) == 2)
        first, second = b.inbox.items
        assert first.dedupe == second.dedupe
        await until(lambda: acks(b.sim)[-1] == '{"code":200}')


async def test_redelivery_under_another_event_id_has_the_same_key_and_a_new_message_another():
    async with bench() as b:
        first = await b.asked()
        b.sim.redeliver(first.message_id, new_event_id=True)
        await until(lambda: len(b.inbox.items) == 2)
        again = await b.asked()
        keys = [item.dedupe for item in b.inbox.items]
        assert keys[0] == keys[1] != keys[2] == again.dedupe


async def test_a_slow_handler_holds_up_nobody():
    async with bench(settings=FAST) as b:
        b.inbox.gate = asyncio.Event()
        await b.asked("@niuma one")
        pings = len([e for e in b.sim.timeline.since() if e.method == "ping"])
        await b.asked("@niuma two")
        await until(lambda: len([e for e in b.sim.timeline.since() if e.method == "ping"]) > pings + 1)
        b.inbox.gate.set()
        await until(lambda: len(acks(b.sim)) == 2)


@pytest.mark.alone
@pytest.mark.parametrize("how", ["close", "abort"])
async def test_connected_again_within_a_second_after_a_drop(how):
    async with bench() as b:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await b.sim.drop(how=how)
        await until(lambda: not b.adapter.health().ok)
        await until(lambda: b.adapter.health().ok)
        assert loop.time() - began < 1.0
        assert (await b.asked("@niuma back?")).text == "back?"


@pytest.mark.alone
async def test_a_half_open_connection_is_found_although_the_platform_asks_for_pings_every_two_minutes():
    async with bench(settings=FAST, ping_interval_s=120) as b:
        await until(lambda: len([e for e in b.sim.timeline.since() if e.method == "pong"]) >= 2)
        await b.sim.drop(how="freeze")
        loop = asyncio.get_running_loop()
        began = loop.time()
        await until(lambda: b.sim.sockets.count(b.sim.app_id) == 2)
        await until(lambda: b.adapter.health().ok)
        assert loop.time() - began < 30 * (FAST["silence_s"] / 20) + 0.75
        b.sim.send(GROUP, LIN, "@niuma still there?")
        while not b.inbox.items:  # the platform may first try the dead connection, and again after 15 s
            b.sim.advance(20)
            await asyncio.sleep(0.02)


async def test_a_hung_discovery_is_given_up():
    async with bench(settings={"connect_timeout_s": 0.2, "request_timeout_s": 0.3}) as b:
        b.sim.faults.add({"match": {"path": "/callback/ws/endpoint"}, "action": {"hang": True}, "times": 1})
        await b.sim.drop()
        await until(lambda: b.adapter.health().code != "ok")
        await until(lambda: b.adapter.health().ok)
        assert len(b.calls("/callback/ws/endpoint")) >= 3


async def test_a_wrong_secret_shows_in_health_is_retried_and_appears_nowhere(caplog):
    caplog.set_level(logging.DEBUG)
    async with bench(wait=False, settings={"app_secret": "wrong-secret-marker"}) as b:
        await until(lambda: b.adapter.health().code == "auth_failed")
        assert "10014" in b.adapter.health().reason
        await until(lambda: len(b.calls("/callback/ws/endpoint")) >= 2)
        assert "wrong-secret-marker" not in caplog.text + repr(b.adapter.health())


async def test_no_secret_token_or_ticket_is_logged(caplog):
    caplog.set_level(logging.DEBUG)
    async with bench() as b:
        b.sim.faults.add({"match": {"path": "^/ws$"}, "action": {"status": 403}, "times": 1})
        await b.sim.drop()
        await until(lambda: not b.adapter.health().ok)
        await until(lambda: b.adapter.health().ok)
        await b.adapter.send_notice((await b.asked()).conversation, "hi", reply_to=None, key="k")
        logged = "\n".join(f"{record.__dict__} {record.getMessage()}" for record in caplog.records)
        ours = "\n".join(line for line in logged.splitlines() if "simulators" not in line)
        for secret in ("secret_demo", "ticket", "Bearer", "t-"):
            assert secret not in ours


async def test_two_accounts_in_one_loop_do_not_disturb_each_other():
    async with bench() as a, bench(settings={"id": "second"}) as b:
        await b.sim.drop()
        assert (await a.asked()).conversation.account == "main"
        assert a.adapter.health().ok
        await until(lambda: b.adapter.health().ok)
        assert (await b.asked()).conversation.account == "second"


async def test_a_mention_waits_until_our_own_id_is_known():
    async with bench(wait=False) as b:
        b.sim.faults.add({"match": {"path": "/bot/v3/info"}, "action": {"status": 500, "code": 1}, "times": 1})
        await until(lambda: b.adapter.health().code == "identity_unknown")
        assert (await b.asked()).mentions_me is True
        assert b.adapter.health().ok


async def test_events_nobody_asked_for_and_rubbish_are_acked():
    async with bench() as b:
        b.sim.push_event("im.chat.updated_v1", {"chat_id": GROUP})
        b.sim.push_event("im.message.receive_v1", {"sender": 7})
        await until(lambda: len(acks(b.sim)) == 2)
        assert acks(b.sim) == ['{"code":200}', '{"code":200}']
        assert b.inbox.items == []


async def test_an_event_in_many_parts_is_joined():
    async with bench(part_bytes=40) as b:
        assert (await b.asked("@niuma " + "long " * 50)).text == ("long " * 50).strip()


async def test_our_own_and_other_bots_messages_are_acked_and_dropped():
    async with bench(group_messages="all") as b:
        message = await b.asked()
        body = {"sender_id": {"open_id": "ou_other_bot"}, "sender_type": "app", "tenant_key": "tenant_demo"}
        shape = {"message_id": "om_x", "chat_id": GROUP, "chat_type": "group", "message_type": "text"}
        b.sim.push_event("im.message.receive_v1", {"sender": body, "message": {**shape, "content": '{"text":"hi"}'}})
        await until(lambda: len(acks(b.sim)) == 2)
        assert b.inbox.items == [message]


async def test_a_press_is_answered_at_once_with_the_handlers_toast():
    async with bench() as b:
        _, opening, _ = await b.opened()
        b.inbox.toast = Toast("success", "stopping")
        answer = await b.sim.click(b.answers()[0]["message_id"], LIN, card("").actions[0].value())
        assert answer == {"code": 0, "toast": {"type": "success", "content": "stopping"}}
        press = b.inbox.items[-1]
        assert isinstance(press, CardAction)
        assert press.value == {"do": "stop", "run": opening.run, "nonce": "stop", "for": ""}
        assert abs(press.created_at_ms - b.sim.clock.now_ms()) < 5_000
        assert press.conversation.chat == GROUP


async def test_stop_leaves_nothing_behind():
    async with bench() as b:
        await b.asked()
        await b.adapter.stop()
        assert b.adapter.health().code == "stopped"
        await until(lambda: b.sim.sockets.count(b.sim.app_id) == 0)
        assert [t for t in asyncio.all_tasks() if "connection feishu" in t.get_name()] == []


async def test_a_quote_is_no_topic_and_topics_are_apart():
    async with bench() as b:
        first = await b.asked()
        quote = await b.asked("@niuma again", reply_to=first.message_id)
        assert quote.conversation == first.conversation
        assert quote.quoted_message_id == first.message_id
        b.sim.send("oc_topics", LIN, "@niuma in a topic")
        await until(lambda: len(b.inbox.items) == 3)
        topic = b.inbox.items[-1]
        assert isinstance(topic, InboundMessage)
        assert topic.chat_kind == "topic"
        assert topic.conversation.thread
