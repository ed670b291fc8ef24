"""A tiny fake of a simulator's control API with canned chats: a page's tests run without any bot."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web

from channels.simulators.static import page_file

NOW_MS = 1_772_500_000_000
ACTS = ("send", "click", "command", "stop", "upload", "recall", "link", "edit", "delete", "react")

Json = dict[str, Any]


class CannedPage:
    """Serves a platform's page; tests put messages in, change them, and read what the page asked for.

    `gate` holds the answers to what the page does; `answers` are added to them, by the act's name.
    """

    id_name = "id"

    def __init__(self, package: str, state: Json) -> None:
        self._package = package
        self._state = state
        self.messages: dict[str, Json] = {}
        self.acts: list[tuple[str, Json]] = []
        self.answers: dict[str, Json] = {}
        self.gate = asyncio.Event()
        self.gate.set()
        self._listeners: set[asyncio.Queue[Json | None]] = set()
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self) -> None:
        app = web.Application()
        app.add_routes(
            [
                web.get("/", self._page),
                web.get("/_sim/static/{name}", self._page),
                web.get("/_sim/state", self._whole),
                web.get("/_sim/events", self._events),
                *(web.post(f"/_sim/{act}", self._act) for act in ACTS),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/"

    async def stop(self) -> None:
        self.hang_up()
        if self._runner is not None:
            await self._runner.cleanup()

    def next_ms(self) -> int:
        """When the next message is written."""
        return NOW_MS + 20_000 * len(self.messages)

    def put(self, message: Json) -> str:
        message_id: str = message[self.id_name]
        self.messages[message_id] = message
        self.tell({"kind": "message", "message": message})
        return message_id

    def change(self, message_id: str, **changes: Any) -> None:
        self.put({**self.messages[message_id], **changes})

    def change_state(self, **changes: Any) -> None:
        """Change what stands beside the messages; pages see it when they connect again."""
        self._state = {**self._state, **changes}

    def tell(self, event: Json) -> None:
        for queue in self._listeners:
            queue.put_nowait(json.loads(json.dumps(event)))

    def hang_up(self) -> None:
        """End every event stream, as a restart would; pages connect again by themselves."""
        for queue in self._listeners:
            queue.put_nowait(None)

    def did(self, name: str) -> list[Json]:
        """Give the bodies of one kind of act."""
        return [body for act, body in self.acts if act == name]

    async def once_did(self, name: str, count: int = 1) -> list[Json]:
        """Wait until the page did something so often; gives the bodies."""
        async with asyncio.timeout(5):
            while len(self.did(name)) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return self.did(name)

    async def _page(self, request: web.Request) -> web.Response:
        return page_file(self._package, request.match_info.get("name", "index.html"))

    async def _whole(self, _: web.Request) -> web.Response:
        return web.json_response({"now_ms": self.next_ms(), **self._state, "messages": list(self.messages.values())})

    async def _events(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"retry: 300\n\n")
        queue: asyncio.Queue[Json | None] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            while (event := await queue.get()) is not None:
                await response.write(f"data: {json.dumps(event)}\n\n".encode())
        except ConnectionError:
            pass  # the page was closed
        finally:
            self._listeners.discard(queue)
        return response

    async def _act(self, request: web.Request) -> web.Response:
        name, body = request.path.rpartition("/")[2], await request.json()
        self.acts.append((name, body))
        await self.gate.wait()
        return web.json_response({**self.answers.get(name, {}), **self.acted(name, body)})

    def acted(self, name: str, body: Json) -> Json:
        """What the platform does and answers; a platform's own fake says more."""
        return {}
