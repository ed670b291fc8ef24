"""A model endpoint whose every answer a test writes: it speaks the chat-completions protocol and can fail in any way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Json = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """Text, in pieces of `piece` characters every `every_s` seconds; 0 sends it at once."""

    text: str
    piece: int = 0
    every_s: float = 0.0


@dataclass(frozen=True)
class Think:
    """Reasoning."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call; `arguments` is the text as the model writes it."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"
    index: int = 0


@dataclass(frozen=True)
class Raw:
    """Any chunk."""

    chunk: Json


@dataclass(frozen=True)
class Until:
    """Silence until the test opens the gate."""

    gate: asyncio.Event


@dataclass(frozen=True)
class Refuse:
    """An HTTP error instead of an answer; only as the first act."""

    status: int
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Stall:
    """Never another byte."""


@dataclass(frozen=True)
class Cut:
    """The connection breaks."""


@dataclass(frozen=True)
class End:
    """The last chunk; `finish` None: the stream ends cleanly without a reason."""

    finish: str | None = "stop"


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
        reply = self._reply(asked)
        try:
            if isinstance(reply[0], Refuse):
                body = {"error": {"message": reply[0].message}}
                return web.json_response(body, status=reply[0].status, headers=reply[0].headers)
            return await _stream(request, reply, asked)
        finally:
            asked.over.set()

    def _reply(self, asked: Asked) -> Reply:
        script = next((each for each in self._scripts if each.fits(asked)), None)
        if script is None:
            return (Say(f"You said: {asked.question}"),)
        if script.for_ever and len(script.replies) == 1:
            return script.replies[0]
        return script.replies.pop(0)


@asynccontextmanager
async def scripted_model() -> AsyncIterator[ScriptedModel]:
    """Run the endpoint on a loopback port."""
    model = ScriptedModel()
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
    ended = isinstance(reply[-1], End | Cut | Stall)
    called = any(isinstance(act, Call) for act in reply)
    for act in reply if ended else (*reply, End("tool_calls" if called else "stop")):
        await _act(request, response, act)
    await response.write(b"data: [DONE]\n\n")
    asked.whole = True
    return response


async def _act(request: web.Request, response: web.StreamResponse, act: Act) -> None:
    match act:
        case Say():
            for piece in _pieces(act):
                await _send(response, _delta({"content": piece}))
                if act.every_s:
                    await asyncio.sleep(act.every_s)
        case Think():
            await _send(response, _delta({"reasoning_content": act.text}))
        case Call():
            function = {"name": act.name, "arguments": act.arguments}
            call = {"index": act.index, "id": act.id, "type": "function", "function": function}
            await _send(response, _delta({"tool_calls": [call]}))
        case Raw():
            await _send(response, act.chunk)
        case Until():
            await act.gate.wait()
        case Stall():
            await asyncio.Event().wait()
        case Cut():
            assert request.transport is not None
            request.transport.abort()
            raise ConnectionResetError
        case End():
            if act.finish is not None:
                await _send(response, {"choices": [{"index": 0, "delta": {}, "finish_reason": act.finish}]})
        case Refuse():
            raise AssertionError("a refusal comes first")


async def _send(response: web.StreamResponse, chunk: Json) -> None:
    await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")


def _delta(delta: Json) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def _pieces(act: Say) -> list[str]:
    size = act.piece or len(act.text) or 1
    return [act.text[at : at + size] for at in range(0, len(act.text), size)]


def _text(message: Json) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)
