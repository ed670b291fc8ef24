"""The real gateway with a DingTalk organisation to talk in, and a model whose words a test writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from channels.simulators.dingtalk.simulator import DingTalkSimulator
from gateway.app import running
from gateway.settings import load_settings
from tests.contract.dingtalk_adapter import DIRECT, GROUP, LIN, TEMPLATE, example_template
from tests.journeys.scripted_model import ScriptedModel, scripted_model

Json = dict[str, Any]
__all__ = ["DIRECT", "GROUP", "LIN", "DingtalkHouse", "dingtalk_house"]


class DingtalkHouse:
    """Acts as people do and reads what they read."""

    def __init__(self, home: Path, sim: DingTalkSimulator, model: ScriptedModel, settings: Json) -> None:
        self.home = home
        self.sim = sim
        self.model = model
        self._settings = settings
        self._gateway: AsyncExitStack | None = None

    async def start(self) -> None:
        """Start the gateway and wait for its connection."""
        account, model = "channels.dingtalk.main", "models.main"
        values: Json = {
            "server.port": "0",
            f"{account}.client_id": self.sim.app_id,
            f"{account}.client_secret": self.sim.app_secret,
            f"{account}.card_template_id": TEMPLATE,
            f"{account}.api_base": self.sim.url,
            f"{account}.oapi_base": self.sim.url,
            f"{account}.edition": "pack",
            f"{account}.refresh_ms": "200",
            "agent.router_asks": "false",  # what a test scripts is the answer, not the way to it
            "models.default": "main",
            f"{model}.model": "openai/main",
            f"{model}.api_base": self.model.url,
            f"{model}.api_key": "sk-key-of-the-scripted-model",
        }
        settings = load_settings(home=self.home, environ={}, overrides={**values, **self._settings})
        self._gateway = AsyncExitStack()
        await self._gateway.enter_async_context(running(settings, ready=lambda line: None))
        await self.until(lambda: self.sim.sockets.count(self.sim.app_id) > 0)

    async def stop(self) -> None:
        """Stop the gateway as SIGTERM does."""
        if self._gateway is not None:
            gateway, self._gateway = self._gateway, None
            await gateway.aclose()

    def say(self, text: str, *, chat: str = GROUP, by: str = LIN) -> str:
        """Write as a person; gives the message id."""
        return self.sim.send(chat, by, text).message_id

    async def press(self, name: str, *, by: str = LIN) -> Json:
        """Press a button of the newest message."""
        return await self.sim.click(self.answers()[-1]["id"], by, f"btn_{name}")

    def buttons(self, *, by: str = LIN) -> list[str]:
        """Give the buttons that a person sees on the newest message."""
        shown = self.answers()[-1]["card"]
        card = self.sim.cards.by_id[shown["out_track_id"]]
        return [each["params"]["action"] for each in self.sim.view.buttons(card, by) if each["visible"]]

    def answers(self) -> list[Json]:
        """Give the robot's messages, oldest first."""
        return [m for m in self.sim.state()["messages"] if m["sender"]["type"] == "bot" and not m["recalled"]]

    def text(self) -> str:
        """Give all that the robot said, as Lin reads it."""
        return "\n\n".join(self.sim.message(each["id"], LIN)["text"] for each in self.answers())

    async def sees(self, words: str) -> None:
        """Wait until the words can be read."""
        try:
            await self.until(lambda: words in self.text())
        except TimeoutError:
            raise AssertionError(f"{words!r} is not in {self.text()!r}") from None

    async def until(self, ready: Callable[[], Any], *, within_s: float = 8.0) -> None:
        """Wait for something to become true."""
        async with asyncio.timeout(within_s):
            while not ready():  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@asynccontextmanager
async def dingtalk_house(home: Path, settings: Json | None = None, **options: Any) -> AsyncIterator[DingtalkHouse]:
    """Build the house; `settings` are dotted keys over its own, `options` those of the platform."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(scripted_model())
        sim = DingTalkSimulator(**{"api_per_second": 60, **options})
        sim.add_template(TEMPLATE, **example_template())
        await sim.start()
        stack.push_async_callback(sim.stop)
        h = DingtalkHouse(home, sim, model, settings or {})
        await h.start()
        stack.push_async_callback(h.stop)
        yield h
