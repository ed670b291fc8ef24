"""A simulated platform with many chats, as a process of its own: what a measurement asks and sees, whichever it is."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot: the question it answers, the name of its history, and whether it has ended."""

    question: str
    history: str
    is_finished: bool


class Place(ABC):
    """One platform, reached by its control API alone; `python -m tests.bench.tenant <name>` runs it."""

    name = ""
    """Of the channel."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self._session = session

    @abstractmethod
    def account(self) -> Mapping[str, str]:
        """Give the settings of the bot's account here."""

    @abstractmethod
    async def ask(self, text: str, *, chat: int) -> str:
        """Write in the chat of this number, mentioning the bot; gives what names the question."""

    @abstractmethod
    async def shown(self) -> list[Shown]:
        """Give the bot's messages that answer questions, oldest first."""

    @abstractmethod
    async def states(self, shown: Shown) -> list[Json]:
        """Give what a message was, oldest first: `{mono_s, kind, text, streaming}`."""

    def frame_word(self, question: str) -> str:
        """Give what of a question's name stands in the frame that brings it to the bot."""
        return question

    def up_s(self, question: str, timeline: list[Json], states: list[Json]) -> float:
        """Give when an answer came up in the chat; without end while it did not."""
        return states[0]["mono_s"] if states else float("inf")

    def environment(self) -> dict[str, str]:
        """Give the account as a gateway's environment."""
        return {f"NIUMA_CHANNELS__{self.name.upper()}__MAIN__{key.upper()}": v for key, v in self.account().items()}

    async def connected(self, count: int = 1, *, within_s: float = 60.0) -> None:
        """Wait until the bot has so many connections."""

        async def ready() -> bool:
            bots = (await self.state())["bots"]
            return bots[0]["connections"] == count

        await until(ready, within_s=within_s, why=f"{count} connections")

    async def state(self) -> Json:
        """Give all that can be seen."""
        return await self.get("state")

    async def timeline(self) -> list[Json]:
        """Give every request and frame so far."""
        return await self.get("timeline?since=0")

    async def options(self, **options: Any) -> None:
        """Change limits and modes."""
        await self.post("options", options)

    async def get(self, what: str) -> Any:
        """Ask the control API."""
        async with self._session.get(f"{self.url}/_sim/{what}") as response:
            response.raise_for_status()
            return await response.json()

    async def post(self, verb: str, body: Json) -> Json:
        """Order something of the control API."""
        async with self._session.post(f"{self.url}/_sim/{verb}", json=body) as response:
            assert response.status < 300, (verb, response.status, await response.text())
            return await response.json()


async def until(ready: Callable[[], Awaitable[Any]], *, within_s: float = 60.0, why: str = "") -> Any:
    """Ask again and again until `ready()` gives something true."""
    deadline = asyncio.get_running_loop().time() + within_s
    while not (found := await ready()):
        assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s: {why or ready}"
        await asyncio.sleep(0.05)
    return found
