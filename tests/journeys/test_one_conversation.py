"""One conversation, the same everywhere: a question, a verdict, a tool, a table, an approval, stop, retry, a file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from gateway.app import running
from gateway.settings import load_settings
from tests.journeys.scripted_model import Call, Say, ScriptedModel, scripted_model
from tests.journeys.towns.dingtalk import Dingtalk
from tests.journeys.towns.feishu import Feishu
from tests.journeys.towns.slack import Slack
from tests.journeys.towns.terminal import Terminal
from tests.journeys.towns.town import Look, Town

TOWNS: dict[str, Callable[[], Town]] = {"feishu": Feishu, "slack": Slack, "dingtalk": Dingtalk, "terminal": Terminal}
PLATFORMS = tuple(name for name in TOWNS if name != "terminal")
"""Where several people and a network are."""
TABLE = "| city | people |\n| --- | --- |\n| Oslo | 700 thousand |\n| Bergen | 290 thousand |\n"
NOTE = Call("send_note", json.dumps({"text": "see you at ten"}))
SCAN = Call("project_scan", "{}")


class Chat:
    """A person, the platform and the model they talk to through the gateway."""

    def __init__(self, town: Town, model: ScriptedModel, home: Path, settings: Mapping[str, str]) -> None:
        self.town = town
        self.model = model
        self.home = home
        self.settings = dict(settings)
        self._gateway = AsyncExitStack()

    async def sees(self, question: str, test: Callable[[Look], bool], *, within_s: float = 15.0) -> Look:
        """Wait until the answer looks as wanted."""
        deadline = asyncio.get_running_loop().time() + within_s
        while True:
            look = self.town.look(question)
            if look is not None and test(look):
                return look
            assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s, seen: {look}"
            await asyncio.sleep(0.02)

    async def finished(self, question: str) -> Look:
        """Wait for the end of an answer."""
        return await self.sees(question, lambda look: look.is_over)

    async def heard(self, words: str, *, where: str = "group", within_s: float = 15.0) -> str:
        """Wait until the bot says something in a place; gives all it said there."""
        await self.until(lambda: words in self.town.street.heard(where), words, within_s=within_s)
        return self.town.street.heard(where)

    async def until(self, ready: Callable[[], object], why: str = "", *, within_s: float = 15.0) -> None:
        """Wait for something to become true."""
        deadline = asyncio.get_running_loop().time() + within_s
        while not ready():
            said = [self.town.street.heard(where) for where in ("group", "direct")]
            assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s: {why}, heard {said}"
            await asyncio.sleep(0.02)

    async def start(self) -> None:
        """Start the gateway, and wait for its connection."""
        self._gateway = AsyncExitStack()
        if isinstance(self.town, Terminal):
            await asyncio.to_thread(self.town.sit, self.home, self.settings)
            return
        settings = load_settings(home=self.home, environ={}, overrides={**self.settings, "server.port": "0"})
        await self._gateway.enter_async_context(running(settings, ready=lambda _line: None))
        await self.until(self.town.is_connected, "connected")

    async def stop(self) -> None:
        """Stop the gateway as SIGTERM does."""
        gateway, self._gateway = self._gateway, AsyncExitStack()
        await gateway.aclose()


@asynccontextmanager
async def chat(name: str, home: Path, more: Mapping[str, str] | None = None) -> AsyncIterator[Chat]:
    """Build a town with the gateway in it; `more` are dotted settings."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(scripted_model())
        town = TOWNS[name]()
        await town.start()
        stack.push_async_callback(town.stop)
        given = {
            "agent.router_asks": "false",
            "models.default": "main",
            "models.main.model": "openai/main",
            "models.main.api_base": model.url,
            "models.main.api_key": "sk-key-of-the-scripted-model",
            **town.settings(),
            **(more or {}),
        }
        c = Chat(town, model, home, given)
        await c.start()
        stack.push_async_callback(c.stop)
        yield c


def notes(home: Path) -> list[str]:
    return [line for outbox in home.rglob("outbox.txt") for line in outbox.read_text().splitlines()]


@pytest.mark.parametrize("name", TOWNS)
async def test_the_same_conversation(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        await asks_and_judges(c)
        await watches_a_tool_and_reads_a_table(c)
        await approves(c)
        await stops_and_retries(c)
        if name != "terminal":
            await sends_a_file(c)


async def asks_and_judges(c: Chat) -> None:
    asked = await c.town.ask("how are you?")
    answer = await c.finished(asked)
    assert answer.text.count("You said: how are you?") == 1 and answer.messages == 1
    await c.town.press(asked, "satisfied")
    judged = await c.sees(asked, lambda look: "satisfied" not in look.buttons)
    assert judged.text.count("You said: how are you?") == 1


async def watches_a_tool_and_reads_a_table(c: Chat) -> None:
    c.model.script([Say("I look."), SCAN], [Say(f"Two cities:\n\n{TABLE}\nThat is all.")], when="cities")
    answer = await c.finished(await c.town.ask("which cities?"))
    assert "project_scan" in answer.text or "Project" in answer.text, answer.text
    for cell in ("city", "people", "Oslo", "700 thousand", "Bergen", "290 thousand", "That is all."):
        assert cell in answer.text, (cell, answer.text)


async def approves(c: Chat) -> None:
    c.model.script([Say("I will send it."), NOTE], [Say("It is sent.")], when="note")
    asked = await c.town.ask("send a note please")
    question = await c.sees(asked, lambda look: "approve" in look.buttons)
    assert "see you at ten" in question.text and notes(c.home) == []
    await c.town.press(asked, "approve")
    answer = await c.finished(asked)
    assert answer.text.count("It is sent.") == 1 and notes(c.home) == ["see you at ten"]
    c.model.script([NOTE], [Say("It is sent again.")], when="another")
    asked = await c.town.ask("send another note please")
    question = await c.sees(asked, lambda look: "approve_conversation" in look.buttons)
    assert "it covers send_note of outbox.txt" in question.text
    await c.town.press(asked, "approve_conversation")
    await c.finished(asked)
    c.model.script([NOTE], [Say("Sent without a question.")], when="third")
    answer = await c.finished(await c.town.ask("send a third note please"))
    assert "Sent without a question." in answer.text and len(notes(c.home)) == 3


async def stops_and_retries(c: Chat) -> None:
    c.model.script([Say("never ending " * 400, piece=13, every_s=0.05)], [Say("This time to the end.")], when="long")
    asked = await c.town.ask("tell me something long")
    await c.sees(asked, lambda look: "never ending" in look.text and "stop" in look.buttons)
    await c.town.press(asked, "stop")
    stopped = await c.finished(asked)
    assert "never ending" in stopped.text
    await c.town.press(asked, "retry")
    again = await c.sees(asked, lambda look: "This time to the end." in look.text and look.is_over)
    assert again.messages == stopped.messages + 1, "a card of its own"


async def sends_a_file(c: Chat) -> None:
    c.model.script([Say("It says hello.")], when="in this file")
    asked = await c.town.ask_with_file("what is in this file?", "note.txt", b"hello from a file")
    answer = await c.finished(asked)
    assert "It says hello." in answer.text
    assert "note.txt" in c.model.about("in this file")[-1].question
    assert [path.read_bytes() for path in c.home.rglob("received/note.txt")] == [b"hello from a file"]
