"""The simulator with the vendor's own client: what it takes from the real platform it takes from here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import dingtalk_stream
import pytest

from channels.simulators.dingtalk.simulator import DingTalkSimulator
from tests.contract.dingtalk_sdk import SdkBot, point_sdk_at
from tests.contract.dingtalk_wire import LIN, LIN_DIRECT, TEAM, until


@pytest.fixture
async def simulator(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DingTalkSimulator]:
    simulator = DingTalkSimulator()
    await simulator.start()
    point_sdk_at(simulator, monkeypatch)
    yield simulator
    await simulator.stop()


@pytest.fixture
async def bot(simulator: DingTalkSimulator) -> AsyncIterator[SdkBot]:
    bot = SdkBot(simulator)
    bot.start()
    await until(lambda: simulator.sockets.count(simulator.app_id) == 1)
    yield bot
    await bot.stop()


async def test_a_message_is_answered_by_its_webhook(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    simulator.send(TEAM, LIN, "@niuma hello")
    message = await bot.next()
    assert (message.text.content, message.conversation_type, message.sender_staff_id) == (" hello", "2", LIN)
    found = await asyncio.to_thread(bot.chat.reply_markdown, "Re: hello", f"hi @{LIN}", message)
    assert found == {"errcode": 0, "errmsg": "ok"}
    shown = simulator.state()["messages"][-1]
    assert (shown["text"], shown["title"], shown["at_users"]) == (f"hi @{LIN}", "Re: hello", [LIN])
    await until(lambda: simulator.deliveries.all[0].acked)


async def test_an_ai_card_is_created_streamed_and_finished(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    simulator.send(LIN_DIRECT, LIN, "hello")
    replier = dingtalk_stream.AICardReplier(bot.client, await bot.next())
    out_track_id = await bot.call(replier.async_create_and_deliver_card(simulator.template_id, {"content": "…"}))
    assert simulator.card(out_track_id)["card"]["flow_status"] == "1"
    for text, is_last in (("Two", False), ("Two things", True)):
        await bot.call(replier.async_streaming(out_track_id, "content", text, False, is_last, False))
    shown = simulator.card(out_track_id)
    assert (shown["text"], shown["card"]["flow_status"], shown["chat_id"]) == ("Two things", "3", LIN_DIRECT)
    assert [each["flow_status"] for each in simulator.card_history(out_track_id)] == ["1", "2", "3"]


async def test_the_older_way_creates_and_delivers_in_two_calls(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    simulator.send(TEAM, LIN, "@niuma hello")
    replier = dingtalk_stream.AICardReplier(bot.client, await bot.next())
    out_track_id = await bot.call(replier.async_start(simulator.template_id, {"content": ""}))
    assert simulator.card(out_track_id)["card"]["flow_status"] == "1"
    await bot.call(replier.async_finish(out_track_id, {"content": "All of it"}))
    shown = simulator.card(out_track_id)
    assert (shown["text"], shown["card"]["flow_status"]) == ("All of it", "3")


async def test_the_vendors_ai_markdown_card_runs_from_start_to_end(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    simulator.send(TEAM, LIN, "@niuma hello")
    message = await bot.next()
    card = await asyncio.to_thread(bot.chat.ai_markdown_card_start, message, "Report")
    await asyncio.to_thread(card.ai_streaming, "Half")
    assert simulator.card(card.card_instance_id)["text"] == "Report\nHalf"
    await asyncio.to_thread(card.ai_finish, "Half and whole")
    shown = simulator.card(card.card_instance_id)
    assert (shown["text"], shown["card"]["flow_status"]) == ("Report\nHalf and whole", "3")


async def test_a_press_is_answered_with_a_new_card(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    simulator.send(TEAM, LIN, "@niuma hello")
    replier = dingtalk_stream.AICardReplier(bot.client, await bot.next())
    params = {"content": "…", "show_stop": "true"}
    out_track_id = await bot.call(replier.async_create_and_deliver_card(simulator.template_id, params))
    new = {"cardData": {"cardParamMap": {"show_stop": "false", "status": "stopped"}}}
    bot.press_answer = {**new, "cardUpdateOptions": {"updateCardDataByKey": True}}
    found = await simulator.click(simulator.card(out_track_id)["id"], LIN, "btn_stop")
    assert found["ok"]
    (press,) = bot.presses
    assert press.user_id == LIN
    assert press.content["cardPrivateData"] == {"actionIds": ["btn_stop"], "params": {"action": "stop"}}
    assert simulator.card(out_track_id)["text"] == "stopped\n…"
    assert (await simulator.click(simulator.card(out_track_id)["id"], LIN, "btn_stop"))["reason"] == "no_button"


async def test_it_comes_back_after_a_disconnect(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    await simulator.drop(how="disconnect")
    await until(lambda: _connects(simulator) == 2, 8)
    simulator.send(LIN_DIRECT, LIN, "still there?")
    assert (await bot.next()).text.content == "still there?"


async def test_a_picture_is_downloaded_by_its_code(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    picture = simulator.upload("cat.png", b"\x89PNG cat", "image")
    simulator.send(LIN_DIRECT, LIN, msg_type="picture", file=picture)
    message = await bot.next()
    url = await asyncio.to_thread(bot.chat.get_image_download_url, message.image_content.download_code)
    assert url.startswith(simulator.url) and url.endswith(".file")


async def test_its_answer_to_a_ping_is_right(simulator: DingTalkSimulator, bot: SdkBot) -> None:
    await simulator.sockets.ping(simulator.app_id)
    await until(lambda: any(each.path.startswith("ping-") for each in simulator.timeline.since() if each.kind == "in"))
    assert simulator.sockets.problems == []


def _connects(simulator: DingTalkSimulator) -> int:
    return len([each for each in simulator.timeline.since() if each.kind == "socket" and each.status == 101])
