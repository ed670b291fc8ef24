"""A model endpoint that speaks the chat-completions protocol at a given pace; a process of its own.

The question says what to stream: `key=K n=400 r=50` is 400 pieces at 50 a second, `tools=3` begins with three rounds
of n pieces that end in a call of `project_scan`. Piece i of a key is `w<i> `, so that a reader's last piece tells how
far they can see. `GET /sent` tells when each piece left (CLOCK_MONOTONIC, which all processes share).
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import signal
import sys
import time
from typing import Any

from aiohttp import web

WORDS = ("alpha ", "the ", "of release ", "**bold** ", "in `code` ", "with ", "numbers ", "and ")
_ASKED = re.compile(r"(\w+)=([\w.-]+)")


def piece(number: int) -> str:
    """Give the text of a piece: prose with some markdown and paragraphs."""
    end = "\n\n" if number % 40 == 0 else ""
    return f"w{number} {WORDS[number % len(WORDS)]}{end}"


class PacedModel:
    """Answers requests and remembers when it said what."""

    def __init__(self) -> None:
        self.sent: dict[str, list[float]] = {}

    def app(self) -> web.Application:
        """Give the routes."""
        app = web.Application()
        app.add_routes([web.post("/v1/chat/completions", self._complete), web.get("/sent", self._tell)])
        return app

    async def _tell(self, request: web.Request) -> web.Response:
        return web.json_response(self.sent)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        asked, rounds_done = _order(body["messages"])
        sent = self.sent.setdefault(asked["key"], [])
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        started, pace_s, first = time.monotonic(), 1 / float(asked["r"]), len(sent)
        for n in range(int(asked["n"])):
            await asyncio.sleep(max(0.0, started + n * pace_s - time.monotonic()))
            if request.transport is None or request.transport.is_closing():
                return response  # the gateway was killed
            # Ten thousand pieces a second: chunks go out without the detour of the response's own writer.
            sent.append(time.monotonic())
            request.transport.write(_chunk(piece(first + n + 1)))
        await response.write(_end(calls=rounds_done < int(asked.get("tools", 0)), n=len(sent)))
        await response.write_eof()
        return response


def _order(messages: list[dict[str, Any]]) -> tuple[dict[str, str], int]:
    """Give what the last question orders, and how many tools have answered since."""
    last = max(
        place for place, each in enumerate(messages) if each["role"] == "user" and "key=" in str(each["content"])
    )
    done = sum(each["role"] == "tool" for each in messages[last:])
    return dict(_ASKED.findall(str(messages[last]["content"]))), done


def _end(*, calls: bool, n: int) -> bytes:
    chunks: list[dict[str, Any]] = []
    if calls:
        call = {"index": 0, "id": f"call_{n}", "type": "function"}
        call["function"] = {"name": "project_scan", "arguments": "{}"}
        chunks.append({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": n, "total_tokens": n + 10}})
    return b"".join(map(_event, chunks)) + b"data: [DONE]\n\n"


def _chunk(text: str) -> bytes:
    event = b'data: {"choices":[{"index":0,"delta":{"content":%s}}]}\n\n' % json.dumps(text).encode()
    return b"%x\r\n%s\r\n" % (len(event), event)


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"


async def _run() -> None:
    runner = web.AppRunner(PacedModel().app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    sys.stdout.write(f"listening http://127.0.0.1:{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    gc.disable()
    await ended.wait()
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_run())
