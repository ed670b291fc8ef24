"""The vendor's own client against the simulator: in a thread, because it blocks its loop."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from typing import Any

import dingtalk_stream
import pytest
from dingtalk_stream import card_replier, chatbot, stream

from channels.simulators.dingtalk.simulator import DingTalkSimulator

QUIET = logging.getLogger("tests.dingtalk_sdk")


def point_sdk_at(simulator: DingTalkSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The endpoint is read once at import and copied into every module."""
    for module in (stream, card_replier, chatbot):
        monkeypatch.setattr(module, "DINGTALK_OPENAPI_ENDPOINT", simulator.url)
    opening = f"{simulator.url}/v1.0/gateway/connections/open"
    monkeypatch.setattr(dingtalk_stream.DingTalkStreamClient, "OPEN_CONNECTION_API", opening)
    monkeypatch.setattr(dingtalk_stream.DingTalkStreamClient, "get_host_ip", lambda self: "127.0.0.1")


class SdkBot:
    """A client with handlers that keep what they get; `press_answer` answers presses."""

    def __init__(self, simulator: DingTalkSimulator) -> None:
        credential = dingtalk_stream.Credential(simulator.app_id, simulator.app_secret)
        self.client = dingtalk_stream.DingTalkStreamClient(credential, QUIET)
        self.messages: queue.Queue[Any] = queue.Queue()
        self.presses: list[Any] = []
        self.press_answer: dict[str, Any] = {}
        self.chat = _Chat(self)
        self.client.register_callback_handler(chatbot.ChatbotMessage.TOPIC, self.chat)
        self.client.register_callback_handler(dingtalk_stream.Card_Callback_Router_Topic, _Press(self))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    async def stop(self) -> None:
        """It swallows the first cancellation and sleeps ten seconds; the second one ends it."""
        while self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._main.cancel)
            await asyncio.sleep(0.02)

    async def call(self, work: Any) -> Any:
        """Run a coroutine of the client on the client's loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def next(self) -> Any:
        """Give the next message."""
        return await asyncio.to_thread(self.messages.get, timeout=5)

    def _run(self) -> None:
        self._main = self._loop.create_task(self.client.start())
        try:
            self._loop.run_until_complete(self._main)
        except asyncio.CancelledError:
            QUIET.debug("client ended")
        self._loop.run_until_complete(self._end_the_rest())
        self._loop.close()

    async def _end_the_rest(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


class _Chat(dingtalk_stream.ChatbotHandler):
    def __init__(self, bot: SdkBot) -> None:
        super().__init__()
        self.logger = QUIET
        self._bot = bot

    async def process(self, message: Any) -> tuple[int, str]:
        self._bot.messages.put(dingtalk_stream.ChatbotMessage.from_dict(message.data))
        return dingtalk_stream.AckMessage.STATUS_OK, "OK"


class _Press(dingtalk_stream.CallbackHandler):
    def __init__(self, bot: SdkBot) -> None:
        super().__init__()
        self._bot = bot

    async def process(self, message: Any) -> tuple[int, Any]:
        self._bot.presses.append(dingtalk_stream.CardCallbackMessage.from_dict(message.data))
        return dingtalk_stream.AckMessage.STATUS_OK, self._bot.press_answer
