"""The long connection: lost, half-open, rotated, refused."""

from __future__ import annotations

import asyncio
import time

from tests.contract.dingtalk_adapter import GROUP, LIN, bench, until

QUICK = {"ping_every_s": 0.2, "silence_s": 0.4, "connect_timeout_s": 1.0}


async def test_a_rotation_opens_the_new_connection_before_the_old_one_ends() -> None:
    async with bench(close_after_s=0.6) as b:
        opened = len(b.calls("connections/open"))
        await b.sim.drop(how="disconnect")
        await until(lambda: len(b.calls("connections/open")) == opened + 1)
        await asyncio.sleep(0.1)
        assert b.adapter.health().ok, "it was never away"
        began_s = time.monotonic()
        await b.asked("are you there?")
        assert time.monotonic() - began_s < 0.5
        await asyncio.sleep(0.8)
        assert b.sim.sockets.count(b.sim.app_id) == 1, "the old one is closed"
        assert len(b.calls("connections/open")) == opened + 1


async def test_a_half_open_connection_is_found_and_replaced() -> None:
    async with bench(settings=QUICK) as b:
        await b.sim.drop(how="freeze")
        await until(lambda: not b.adapter.health().ok)
        await until(lambda: b.adapter.health().ok)
        for _ in range(20):
            # The platform may still push to the dead one: it chooses at random.
            b.sim.send(GROUP, LIN, "@niuma are you there?")
        await until(lambda: bool(b.inbox.items))


async def test_f09_a_cut_connection_comes_back_with_a_ticket_of_its_own() -> None:
    async with bench() as b:
        for _ in range(3):
            await b.sim.drop(how="abort")
            await until(lambda: not b.adapter.health().ok)
            await until(lambda: b.adapter.health().ok)
        await b.asked("are you there?")
        assert len(b.calls("connections/open")) == 4


async def test_f08_a_request_for_a_connection_that_hangs_is_given_up() -> None:
    async with bench(settings=QUICK) as b:
        b.sim.faults.add({"match": {"path": "connections/open"}, "action": {"hang": True}, "times": 1})
        await b.sim.drop(how="abort")
        await until(lambda: not b.adapter.health().ok)
        await until(lambda: b.adapter.health().ok, within_s=10)
        await b.asked("are you there?")


async def test_a_platform_that_only_answers_pings_is_replaced_while_it_still_listens() -> None:
    quiet = {"quiet_s": 0.6}
    async with bench(settings=quiet, ping_every_s=0.1, keepalive_every_s=0.1) as b:
        await asyncio.sleep(0.4)
        b.sim.options.change({"ping_every_s": 1e9, "keepalive_every_s": 1e9})
        before = len(b.calls("connections/open"))
        await until(lambda: len(b.calls("connections/open")) > before)
        await until(lambda: b.adapter.health().ok)
        for _ in range(20):
            # What is pushed to the old one in the moment of its end is lost.
            b.sim.send(GROUP, LIN, "@niuma are you there?")
            await asyncio.sleep(0.01)
        await until(lambda: bool(b.inbox.items))


async def test_refused_credentials_are_told_and_tried_again() -> None:
    async with bench(wait=False, settings={"client_secret": "wrong"}) as b:
        await until(lambda: b.adapter.health().code == "auth_failed")
        assert b.adapter.health().advice == "client_secret_refused"
        assert "wrong" not in b.adapter.health().reason
        first = len(b.calls("connections/open"))
        await until(lambda: len(b.calls("connections/open")) > first)


async def test_a_blank_behind_the_secret_does_no_harm() -> None:
    async with bench(settings={"client_secret": "secret_demo \n", "client_id": " dingdemo"}) as b:
        await b.asked("hello")


async def test_both_topics_are_subscribed() -> None:
    """Without the one for cards presses never arrive (QwenPaw #7608)."""
    async with bench() as b:
        (call,) = b.calls("connections/open")
        assert call.body is not None
        topics = {each["topic"] for each in call.body["subscriptions"]}
        assert topics == {"/v1.0/im/bot/messages/get", "/v1.0/card/instances/callback"}


async def test_a_stop_is_quick_also_while_it_connects() -> None:
    async with bench(wait=False) as b:
        b.sim.faults.add({"match": {"path": "connections/open"}, "action": {"hang": True}, "times": -1})
        await asyncio.sleep(0.05)
        async with asyncio.timeout(2):
            await b.adapter.stop()


async def test_f11_two_accounts_do_not_share_a_token() -> None:
    from channels.dingtalk.adapter import Adapter
    from gateway.clock import SystemClock
    from tests.contract.dingtalk_adapter import Inbox, settings_for

    async with bench() as b:
        app = b.sim.add_app("dingother", "other", "other")
        other, inbox = (
            Adapter(settings_for(b.sim, id="b", client_id=app.app_id, client_secret="other"), SystemClock()),
            Inbox(),
        )
        await other.start(inbox)
        try:
            await until(lambda: other.health().ok)
            b.sim.send(GROUP, LIN, "@niuma @other hello")
            await until(lambda: len(inbox.items) == 1 and len(b.inbox.items) == 1)
            where = b.inbox.items[0].conversation
            for adapter in (b.adapter, other):
                b.sim.advance(6000)
                await adapter.send_notice(where, "proactive", reply_to=None, key=adapter.account)
            sent = b.calls("groupMessages/send")
            assert [call.app_id for call in sent] == ["dingdemo", "dingother"] or len(sent) == 0
        finally:
            await other.stop()
