"""The whole product in one event loop: the real gateway, a platform to talk on, a model whose words a test writes.

Example:
    async with house(home) as h:
        h.model.script([Say("42")])
        asked = await h.say("@niuma how many?")
        answer = await h.finished(asked)
        assert answer.body == "42" and answer.status == "Done"
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from channels.simulators.feishu.events import CLICKED, click_event
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.simulators.timeline import Entry
from engine.messages import RunId
from engine.runtime import Runtime
from gateway.app import running
from gateway.settings import load_settings
from tests.journeys.scripted_model import ScriptedModel, scripted_model
from tests.journeys.seen import Seen
from tests.processes.feishu import buttons_of
from tests.processes.gateway import GatewayProcess, gateway

Json = dict[str, Any]
GROUP, TOPICS, DIRECT, LIN, CHEN = "oc_team", "oc_topics", "oc_dm_lin", "ou_lin", "ou_chen"


class House:
    """Acts as people do and reads what they read. `start` and `stop` are the gateway's, as often as wanted."""

    def __init__(self, home: Path, sim: FeishuSimulator, model: ScriptedModel, http: aiohttp.ClientSession) -> None:
        self.home = home
        self.sim = sim
        self.model = model
        self.settings: dict[str, Any] = {}
        self.environ: dict[str, str] = {}
        self.shares_clock = False
        """Let the gateway live on the platform's clock, so that `sim.advance` moves both."""
        self._http = http
        self._gateway: AsyncExitStack | None = None
        self._runtime: Runtime | None = None
        self._url = ""
        self._told = 0

    # The gateway.

    async def start(self, *, wait: bool = True) -> None:
        """Start the gateway; with `wait` until it says that it is ready."""
        settings = load_settings(home=self.home, environ=self.environ, overrides={**self._basics(), **self.settings})
        self._gateway = AsyncExitStack()
        clock = self.sim.clock if self.shares_clock else None
        self._runtime = await self._gateway.enter_async_context(running(settings, ready=self._note_url, clock=clock))
        if wait:
            await self.until(self.is_ready, why="ready")

    async def stop(self) -> None:
        """Stop the gateway as SIGTERM does."""
        if self._gateway is not None:
            gateway, self._gateway = self._gateway, None
            await gateway.aclose()

    @property
    def runtime(self) -> Runtime:
        """Give the running engine."""
        assert self._runtime is not None
        return self._runtime

    async def fixes(self) -> dict[str, str]:
        """Give what `/readyz` says to do about each part, red or not."""
        async with self._http.get(f"{self._url}/readyz") as response:
            return {each["name"]: each["fix"] for each in (await response.json())["checks"]}

    async def readyz(self) -> tuple[int, dict[str, str]]:
        """Give the status of `/readyz` and the codes of what is red."""
        async with self._http.get(f"{self._url}/readyz") as response:
            checks = (await response.json())["checks"]
            return response.status, {each["name"]: each["code"] for each in checks if not each["ok"]}

    async def is_ready(self) -> bool:
        """Tell whether `/readyz` is green."""
        return (await self.readyz())[0] == 200

    @asynccontextmanager
    async def process(self, *arguments: str, **environment: str) -> AsyncIterator[GatewayProcess]:
        """Run the gateway as a process of its own instead, connected; settings come by its environment."""
        model = {"MODEL": "openai/main", "API_BASE": self.model.url, "API_KEY": "sk-key-of-the-scripted-model"}
        env = {f"NIUMA_MODELS__MAIN__{key}": value for key, value in model.items()}
        env |= {"NIUMA_MODELS__DEFAULT": "main", **environment}
        async with gateway(self.home, self.sim.url, arguments=arguments, **env) as process:
            await self.until(lambda: self._heard_url(process), within_s=30, why="the gateway tells its address")
            await self.until(self.is_ready, within_s=30, why="ready")
            yield process

    def _heard_url(self, process: GatewayProcess) -> bool:
        told = re.findall(r"serves on (\S+)", process.log())
        self._url = told[-1] if len(told) > self._told else ""
        self._told = len(told) if self._url else self._told
        return bool(self._url)

    def _note_url(self, line: str) -> None:
        self._url = line.split()[3]

    def _basics(self) -> dict[str, Any]:
        account, model = "channels.feishu.main", "models.main"
        return {
            "server.port": "0",
            f"{account}.app_id": self.sim.app_id,
            f"{account}.app_secret": self.sim.app_secret,
            f"{account}.domain": self.sim.url,
            "agent.router_asks": "false",  # what a test scripts is the answer, not the way to it
            "models.default": "main",
            f"{model}.model": "openai/main",
            f"{model}.api_base": self.model.url,
            f"{model}.api_key": "sk-key-of-the-scripted-model",
        }

    # People.

    async def say(self, text: str, *, chat: str = GROUP, by: str = LIN, **more: Any) -> str:
        """Write as a person; gives the message id."""
        return self.sim.send(chat, by, text, **more).message_id

    async def press(self, seen: Seen, action: str, *, by: str = LIN, **more: Any) -> str:
        """Press a button that can be seen on the card; gives the toast's words."""
        values = [value for value in buttons_of(seen.last["card"]) if value.get("do") == action]
        assert values, f"no button {action!r}: {seen.buttons}"
        answer = await self.sim.click(seen.last["message_id"], by, values[0], **more)
        assert answer["code"] == 0, answer
        return str((answer["toast"] or {}).get("content", ""))

    async def press_late(self, seen: Seen, value: Json, *, by: str = LIN, chat: str = "", event: str = "") -> str:
        """Press a button that was there when the finger went down.

        `chat` is where a forwarded copy of the card is; the same `event` twice is one press, delivered again.
        """
        message = self.sim.world.messages[seen.last["message_id"]]
        action = {"tag": "button", "value": value, "timezone": "Asia/Shanghai"}
        body = click_event(message, by, action, "c-late")
        if chat:
            body["context"]["open_chat_id"] = chat
        ack = await self.sim.deliveries.ask(self.sim.world.apps[message.sender_id], CLICKED, body, event_id=event)
        assert ack is not None and ack.code == 200, ack
        return str(((ack.data or {}).get("toast") or {}).get("content", ""))

    # What they see.

    def messages(self, chat: str = "") -> list[Json]:
        """Give the bot's messages, oldest first."""
        messages = self.sim.state()["messages"]
        mine = [each for each in messages if each["sender"]["type"] == "bot" and not each["recalled"]]
        return [each for each in mine if chat in ("", each["chat_id"])]

    def seen(self, question: str) -> Seen | None:
        """Give the answer to a message as it is now, without the files that came with it."""
        answers = [each for each in self.messages() if each["msg_type"] not in ("file", "image")]
        found = [each for each in answers if question in (each["parent_id"], each["root_id"])]
        return Seen(found) if found else None

    def now(self, seen: Seen) -> Seen:
        """Look at the same messages again."""
        return Seen([self.sim.message(each["message_id"]) for each in seen.messages])

    async def sees(self, question: str, test: Callable[[Seen], bool], *, within_s: float = 8.0) -> Seen:
        """Wait until the answer to a message looks as wanted."""

        def ready() -> Seen | None:
            seen = self.seen(question)
            return seen if seen is not None and test(seen) else None

        try:
            return await self.until(ready, within_s=within_s)
        except AssertionError as error:
            seen = self.seen(question)
            raise AssertionError(f"{error}\nseen: {seen.text if seen else None}") from None

    async def finished(self, question: str, *, within_s: float = 8.0) -> Seen:
        """Wait for the end of an answer; a person looks a moment later, when the run is over too.

        The buttons tell the end: of an answer over several cards, the last has them.
        """
        seen = await self.sees(question, lambda answer: not answer.looks_active and bool(answer.run), within_s=within_s)
        if self._gateway is not None:
            await self.runtime.wait_ended(RunId(seen.run), 5)
        return self.seen(question) or seen

    async def until(self, ready: Callable[[], Any], *, within_s: float = 8.0, why: str = "") -> Any:
        """Ask again and again until `ready()` gives something true."""
        deadline = asyncio.get_running_loop().time() + within_s
        while True:
            found = ready()
            found = await found if asyncio.iscoroutine(found) else found
            if found:
                return found
            assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s: {why or ready}"
            await asyncio.sleep(0.01)

    # What the platform noted.

    def calls(self, path: str, *, method: str = "") -> list[Entry]:
        """Give the requests whose path holds this text."""
        entries = [each for each in self.sim.timeline.since() if each.kind == "rest" and path in each.path]
        return [each for each in entries if method in ("", each.method)]

    def deliveries(self, message_id: str) -> list[Entry]:
        """Give the times a message was pushed to the bot."""
        return [each for each in self.sim.timeline.since() if each.kind == "out" and message_id in str(each.body)]

    def unacked(self) -> int:
        """Give how many events wait for their acknowledgement."""
        return len(self.sim.deliveries.pending)

    async def all_acked(self, *, within_s: float = 2.0) -> None:
        """Wait until the platform waits for nothing any more."""
        await self.until(lambda: not self.unacked(), within_s=within_s, why="acknowledgements")


@asynccontextmanager
async def house(
    home: Path, settings: Mapping[str, Any] | None = None, *, start: bool = True, **options: Any
) -> AsyncIterator[House]:
    """Build the house; `settings` are dotted keys over its own, `options` those of the platform."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        model = await stack.enter_async_context(scripted_model())
        sim = FeishuSimulator(**options)
        await sim.start()
        stack.push_async_callback(sim.stop)
        h = House(home, sim, model, http)
        h.settings.update(settings or {})
        if start:
            await h.start()
        stack.push_async_callback(h.stop)
        yield h
