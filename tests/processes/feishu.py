"""A Feishu simulator as a process of its own, as an outsider sees it: only its control API."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

Json = dict[str, Any]
GROUP, LIN, CHEN = "oc_team", "ou_lin", "ou_chen"


class FeishuWorld:
    """Acts as people do and reads what they read."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self._session = session

    async def say(self, text: str, *, chat: str = GROUP, by: str = LIN, **more: Any) -> str:
        """Write as a person; gives the message id."""
        sent = await self._post("send", {"chat_id": chat, "as": by, "text": text, **more})
        return str(sent["message_id"])

    async def press(self, message: Json, action: str, *, by: str = LIN) -> Json:
        """Press the first button of a card that does `action`."""
        values = [value for value in buttons_of(message["card"]) if value.get("do") == action]
        assert values, f"no button {action!r} on the card: {message['card']}"
        return await self._post("click", {"message_id": message["message_id"], "as": by, "value": values[0]})

    async def buttons(self, message: Json) -> list[str]:
        """Give what the buttons of a card do."""
        return [str(value.get("do")) for value in buttons_of(message["card"])]

    async def state(self) -> Json:
        """Give all that can be seen."""
        async with self._session.get(f"{self.url}/_sim/state") as response:
            return await response.json()

    async def answers(self, chat: str | None = None) -> list[Json]:
        """Give the bot's messages, oldest first."""
        messages = (await self.state())["messages"]
        return [
            each
            for each in messages
            if each["sender"]["type"] == "bot" and not each["recalled"] and chat in (None, each["chat_id"])
        ]

    async def answer_to(self, question: str) -> list[Json]:
        """Give the bot's messages that reply to one message."""
        return [each for each in await self.answers() if question in (each["parent_id"], each["root_id"])]

    async def until(self, ready: Any, *, within_s: float = 60.0, why: str = "") -> Any:
        """Ask again and again until `ready()` gives something true."""
        deadline = asyncio.get_running_loop().time() + within_s
        while True:
            found = await ready()
            if found:
                return found
            assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s: {why or ready}"
            await asyncio.sleep(0.05)

    async def finished(self, question: str, *, within_s: float = 90.0) -> Json:
        """Wait for the one finished answer to a message."""

        async def ready() -> Json | None:
            found = [each for each in await self.answer_to(question) if is_finished(each)]
            return found[0] if found else None

        return await self.until(ready, within_s=within_s, why=f"a finished answer to {question}")

    async def connected(self, count: int = 1, *, within_s: float = 60.0) -> None:
        """Wait until the bot has so many connections."""

        async def ready() -> bool:
            bots = (await self.state())["bots"]
            return bots[0]["connections"] == count

        await self.until(ready, within_s=within_s, why=f"{count} connections")

    async def advance(self, seconds: float) -> None:
        """Move the platform's clock."""
        await self._post("clock", {"advance_s": seconds})

    async def options(self, **options: Any) -> None:
        """Change limits and modes."""
        await self._post("options", options)

    async def faults(self, *rules: Json) -> None:
        """Set the faults."""
        await self._post("faults", {"rules": list(rules)})

    async def drop(self, how: str) -> None:
        """Cut or freeze the bot's connections."""
        await self._post("drop", {"app_id": "cli_demo", "how": how})

    async def timeline(self) -> list[Json]:
        """Give every request and frame so far."""
        async with self._session.get(f"{self.url}/_sim/timeline?since=0") as response:
            return await response.json()

    async def _post(self, verb: str, body: Json) -> Json:
        async with self._session.post(f"{self.url}/_sim/{verb}", json=body) as response:
            assert response.status < 300, (verb, response.status, await response.text())
            return await response.json()


def is_finished(message: Json) -> bool:
    """Tell whether a card is in a terminal state: nothing streams and a person can judge or retry."""
    state = message["card_state"]
    names = {str(value.get("do")) for value in buttons_of(message["card"])}
    streaming = bool(state and state["streaming"])
    return not streaming and "stop" not in names and bool(names & {"retry", "satisfied"})


def buttons_of(node: Any) -> list[Json]:
    """Find the values of all buttons of a card, in reading order."""
    if isinstance(node, list):
        return [value for each in node for value in buttons_of(each)]
    if not isinstance(node, dict):
        return []
    own = [each["value"] for each in node.get("behaviors", []) if each.get("type") == "callback"]
    return own + [value for key, each in node.items() if key != "behaviors" for value in buttons_of(each)]


@asynccontextmanager
async def feishu_world() -> AsyncIterator[FeishuWorld]:
    """Run a simulator process and give access to it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "channels.simulators.feishu", "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 20)).decode()
        assert line.startswith("listening "), line
        async with aiohttp.ClientSession() as session:
            yield FeishuWorld(line.split()[1], session)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
