"""The gateway on the pretended platform, where people of several organisations and other bots write.

Example:
    async with fake_house(home, {"access.groups": "open"}) as h:
        await h.say("hello")
        await h.reads("You said: hello")
"""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from channels.events import ChatKind, ConversationRef, DedupeKey, InboundMessage, Sender
from channels.testing.fake import FakeChannel
from engine.runtime import Runtime, build_runtime
from gateway.access import Access
from gateway.clock import SystemClock
from gateway.delivery import Delivery
from gateway.inbound import DirectChats, Door, Reception
from gateway.metrics import Metrics
from gateway.migrations import migrate
from gateway.presenter import Style
from gateway.settings import load_settings
from gateway.stores.people import People
from tests.journeys.scripted_model import ScriptedModel, scripted_model

ANN, BOB = Sender("ann", "tenant1", "Ann"), Sender("bob", "tenant1", "Bob")
EVE = Sender("eve", "tenant2", "Eve")
ROBOT = Sender("robot", "tenant1", "Robot", is_bot=True)


class FakeHouse:
    """Acts as people and bots do, and reads what they read; `model` is what answers them."""

    def __init__(self, channel: FakeChannel, runtime: Runtime, model: ScriptedModel) -> None:
        self.model = model
        self.channel = channel
        self.runtime = runtime
        self.toast = ""
        """What came back on the last delivery itself."""
        self._numbers = (f"m-{uuid.uuid4().hex[:8]}" for _ in itertools.count())

    def place(self, chat: str = "team", thread: str | None = None) -> ConversationRef:
        """Give a conversation."""
        return self.channel.conversation(chat, thread)

    async def say(
        self, text: str, *, by: Sender = ANN, thread: str | None = None, kind: ChatKind = "group", **more: Any
    ) -> str:
        """Write, in the group or in one of its threads, with a mention unless `mentions_me` is false."""
        number = next(self._numbers)
        fields = {"message_id": number, "mentions_me": True, "created_at_ms": SystemClock().now_ms() + 1000, **more}
        message = InboundMessage(
            dedupe=DedupeKey("fake", "main", "message", number),
            conversation=self.place("dm" if kind == "direct" else "team", thread),
            chat_kind=kind,
            sender=by,
            text=text,
            **fields,
        )
        self._last = message
        await self.redeliver()
        return number

    async def redeliver(self) -> None:
        """Deliver the last message (again) and wait for the ack."""
        delivery = self.channel.post(self._last)
        acked = self.channel.platform.world.acked
        await self.until(lambda: delivery in acked, why="an ack")
        self.toast = str((acked[delivery] or {}).get("text", ""))

    def seen(self, thread: str | None = None, chat: str = "team") -> list[str]:
        """Give the bot's messages in a conversation."""
        return self.channel.visible(self.place(chat, thread))

    async def reads(self, words: str, *, thread: str | None = None, chat: str = "team") -> str:
        """Wait for a message of the bot with these words."""
        found = await self.until(lambda: [each for each in self.seen(thread, chat) if words in each], why=words)
        return str(found[0])

    async def until(self, ready: Callable[[], Any], *, within_s: float = 8.0, why: str = "") -> Any:
        """Ask again and again until `ready()` gives something true."""
        deadline = asyncio.get_running_loop().time() + within_s
        while not (found := ready()):
            assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s: {why}"
            self.channel.platform.world.refresh()
            await asyncio.sleep(0.01)
        return found


@asynccontextmanager
async def fake_house(home: Path, settings: Mapping[str, Any] | None = None) -> AsyncIterator[FakeHouse]:
    """Build it; `settings` are dotted keys."""
    async with scripted_model() as model:
        basics = {
            "agent.router_asks": "false",  # what a test scripts is the answer, not the way to it
            "models.default": "main",
            "models.main.model": "openai/main",
            "models.main.api_base": model.url,
            "models.main.api_key": "sk-key-of-the-scripted-model",
        }
        async with _running(home, {**basics, **(settings or {})}, model) as h:
            yield h


@asynccontextmanager
async def _running(home: Path, settings: Mapping[str, Any], model: ScriptedModel) -> AsyncIterator[FakeHouse]:
    clock = SystemClock()
    loaded = load_settings(home=home, environ={}, overrides=settings)
    channel = FakeChannel(home / "platform", clock)
    channels = {(channel.name, channel.account): channel}
    runtime = build_runtime(loaded.engine(), Delivery(channels, Style()), clock, migrate=migrate)
    access = Access(loaded.access, People(runtime.database), clock, has_run_in=runtime.has_run_in)
    runtime.kept_by(Door(access, DirectChats(runtime)))
    await runtime.start()
    try:
        reception = Reception(runtime, access, channels, Metrics(), clock)
        await channel.start(reception.handle)
        yield FakeHouse(channel, runtime, model)
        await channel.stop()
        await reception.close()
    finally:
        await runtime.stop()
