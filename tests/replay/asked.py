"""A question to a gateway on a simulator in this process, and what a person sees of its answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

from channels.simulators.feishu.simulator import FeishuSimulator
from tests.processes.feishu import GROUP, LIN, buttons_of, is_finished

Json = dict[str, Any]
HELLO, NOTE = "@niuma hello", "@niuma send a note"


class Asked:
    """One question; `question` is the message's id."""

    def __init__(self, sim: FeishuSimulator, question: str) -> None:
        self.question = question
        self._sim = sim

    @classmethod
    async def ask(cls, sim: FeishuSimulator, words: str) -> Asked:
        """Write as Lin, as soon as the bot is connected."""
        await until(lambda: connections(sim) > 0, "connected")
        return cls(sim, sim.send(GROUP, LIN, words).message_id)

    def messages(self) -> list[Json]:
        """Give the bot's messages that answer it."""
        return [
            each
            for each in self._sim.state()["messages"]
            if each["sender"]["type"] == "bot"
            and not each["recalled"]
            and self.question in (each["parent_id"], each["root_id"])
        ]

    async def asks(self, *, instead_of: str = "") -> str:
        """Wait until the card asks a person, something else than the question `instead_of`; gives its nonce."""
        await until(lambda: self._nonce() not in ("", instead_of), "a card that asks")
        return self._nonce()

    async def press(self, action: str) -> None:
        """Press a button of the card as Lin."""
        card = self.messages()[0]
        value = next(each for each in buttons_of(card["card"]) if each.get("do") == action)
        await self._sim.click(card["message_id"], LIN, value)

    async def answered(self) -> str:
        """Wait for the end, and give what a reader sees."""
        await until(lambda: any(is_finished(each) for each in self.messages()), "a finished answer")
        return self.read()

    def read(self) -> str:
        """Give what stands on all messages, without figures that differ between two runs of the same question."""
        return without_figures("\n".join(str(each["text"]) for each in self.messages()))

    def _nonce(self) -> str:
        values = [value for each in self.messages() for value in buttons_of(each["card"])]
        return next((str(value["nonce"]) for value in values if value.get("do") == "approve"), "")


def without_figures(text: str) -> str:
    """Leave out the footer's seconds and tokens."""
    return re.sub(r"\d+ tokens\b", "_ tokens", re.sub(r"\d+(\.\d+)? s\b", "_ s", text))


def connections(sim: FeishuSimulator) -> int:
    """Give how many connections the bot has."""
    return int(sim.state()["bots"][0]["connections"])


async def until(ready: Callable[[], bool], why: str, within_s: float = 60.0) -> None:
    """Ask again and again until `ready()` is true."""
    deadline = asyncio.get_running_loop().time() + within_s
    while not ready():
        assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s: {why}"
        await asyncio.sleep(0.02)
