"""A model endpoint whose every answer a test writes. It speaks the chat-completions protocol and fails in any way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web

Json = dict[str, Any]


@dataclass
class Wire:
    """One answer on its way."""

    request: web.Request
    response: web.StreamResponse

    async def send(self, chunk: Json) -> None:
        """Send one event."""
        await self.response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    async def delta(self, delta: Json) -> None:
        """Send a piece of the message."""
        await self.send({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})

    def cut(self) -> None:
        """Break the connection.

        Raises:
            ConnectionResetError: always, to end the answer.
        """
        assert self.request.transport is not None
        self.request.transport.abort()
        raise ConnectionResetError


@dataclass(frozen=True)
class Say:
    """Text, in pieces of `piece` characters every `every_s` seconds; 0 sends it at once."""

    text: str
    piece: int = 0
    every_s: float = 0.0

    async def play(self, wire: Wire) -> None:
        """Send the pieces."""
        size, loop = self.piece or len(self.text) or 1, asyncio.get_running_loop()
        due_s = loop.time()
        for at in range(0, len(self.text), size):
            await wire.delta({"content": self.text[at : at + size]})
            due_s += self.every_s
            if due_s > loop.time():
                await asyncio.sleep(due_s - loop.time())


@dataclass(frozen=True)
class Think:
    """Reasoning."""

    text: str

    async def play(self, wire: Wire) -> None:
        """Send it."""
        await wire.delta({"reasoning_content": self.text})


@dataclass(frozen=True)
class Call:
    """A tool call; `arguments` is the text as the model writes it."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"
    index: int = 0

    async def play(self, wire: Wire) -> None:
        """Send it whole."""
        function = {"name": self.name, "arguments": self.arguments}
        call = {"index": self.index, "id": self.id, "type": "function", "function": function}
        await wire.delta({"tool_calls": [call]})


@dataclass(frozen=True)
class Raw:
    """Any chunk."""

    chunk: Json

    async def play(self, wire: Wire) -> None:
        """Send it."""
        await wire.send(self.chunk)


@dataclass(frozen=True)
class Until:
    """Silence until the test opens the gate."""

    gate: asyncio.Event

    async def play(self, wire: Wire) -> None:
        """Wait."""
        await self.gate.wait()


@dataclass(frozen=True)
class Refuse:
    """An HTTP error instead of an answer; only as the first act."""

    status: int
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict[str, str])

    async def play(self, wire: Wire) -> None:
        """Complain: it is too late."""
        raise AssertionError("a refusal comes first")


@dataclass(frozen=True)
class Stall:
    """Never another byte."""

    async def play(self, wire: Wire) -> None:
        """Wait for ever."""
        await asyncio.Event().wait()


@dataclass(frozen=True)
class Cut:
    """The connection breaks."""

    async def play(self, wire: Wire) -> None:
        """Break it."""
        wire.cut()


@dataclass(frozen=True)
class End:
    """The last chunk; `finish` None: the stream ends cleanly without a reason."""

    finish: str | None = "stop"

    async def play(self, wire: Wire) -> None:
        """Send it."""
        if self.finish is not None:
            await wire.send({"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish}]})


Act = Say | Think | Call | Raw | Until | Refuse | Stall | Cut | End
Reply = tuple[Act, ...]


@dataclass
class Asked:
    """One request. `over` is set when the connection is gone or the answer is complete; `closed`: it was cut short."""

    body: Json
    over: asyncio.Event = field(default_factory=asyncio.Event)
    whole: bool = False

    @property
    def question(self) -> str:
        """Give the last message of a person."""
        return next((_text(each) for each in reversed(self.body["messages"]) if each["role"] == "user"), "")

    def texts(self, role: str) -> list[str]:
        """Give the texts of all messages of a role."""
        return [_text(each) for each in self.body["messages"] if each["role"] == role]


@dataclass
class _Script:
    replies: list[Reply]
    when: str
    model: str
    for_ever: bool

    def fits(self, asked: Asked) -> bool:
        return bool(self.replies) and self.when in asked.question and self.model in ("", asked.body["model"])


class ScriptedModel:
    """Answers by script; without one it says `You said: <question>`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.complaints: list[str] = []
        """What a strict provider would refuse in the histories it was sent; it does refuse."""
        self.url = ""
        self._scripts: list[_Script] = []

    def script(self, *replies: Sequence[Act], when: str = "", model: str = "", for_ever: bool = False) -> None:
        """Set what comes for the next requests whose question holds `when`, each reply once or the last for ever."""
        self._scripts.append(_Script([tuple(reply) for reply in replies], when, model, for_ever))

    def about(self, word: str) -> list[Asked]:
        """Give the requests whose question holds a word."""
        return [asked for asked in self.asked if word in asked.question]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Serve one request."""
        asked = Asked(await request.json())
        self.asked.append(asked)
        wrong = _wrong(asked.body["messages"])
        self.complaints += [wrong] if wrong else []
        reply = (Refuse(400, wrong),) if wrong else self._reply(asked)
        try:
            if isinstance(reply[0], Refuse):
                body = {"error": {"message": reply[0].message}}
                return web.json_response(body, status=reply[0].status, headers=reply[0].headers)
            return await _stream(request, reply, asked)
        except ConnectionResetError:
            return web.Response()
        finally:
            asked.over.set()

    def _reply(self, asked: Asked) -> Reply:
        script = next((each for each in self._scripts if each.fits(asked)), None)
        if script is None:
            return (Say(f"You said: {asked.question}"),)
        if script.for_ever and len(script.replies) == 1:
            return script.replies[0]
        return script.replies.pop(0)


M = TypeVar("M", bound=ScriptedModel)


@asynccontextmanager
async def scripted_model() -> AsyncIterator[ScriptedModel]:
    """Run the endpoint on a loopback port."""
    async with served(ScriptedModel()) as model:
        yield model


@asynccontextmanager
async def served(model: M) -> AsyncIterator[M]:
    """Let a model answer on a loopback port; `url` says which."""
    app = web.Application()
    app.add_routes([web.post("/v1/chat/completions", model.answer)])
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    model.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield model
    finally:
        await runner.cleanup()


async def _stream(request: web.Request, reply: Reply, asked: Asked) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    wire = Wire(request, response)
    ended = isinstance(reply[-1], End | Cut | Stall)
    called = any(isinstance(act, Call) for act in reply)
    for act in reply if ended else (*reply, End("tool_calls" if called else "stop")):
        await act.play(wire)
    await response.write(b"data: [DONE]\n\n")
    asked.whole = True
    return response


def _wrong(messages: list[Json]) -> str:
    """Give what is wrong with a history: every call has readable arguments and, directly after, its one result."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return f"a result without its call: {message['tool_call_id']}"
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            return f"calls without results: {open_calls}"
        for call in message.get("tool_calls") or []:
            open_calls.append(call["id"])
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return f"arguments are no object: {call}"
        if message["role"] == "assistant" and not message.get("content") and not message.get("tool_calls"):
            return "an empty message"
    return f"calls without results: {open_calls}" if open_calls else ""


def _text(message: Json) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)
