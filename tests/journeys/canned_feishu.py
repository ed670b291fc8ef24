"""A tiny fake of the simulator's control API with canned chats: the page's tests run without any bot."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web

from channels.simulators.static import page_file

NOW_MS = 1_772_500_000_000
PEOPLE = [{"open_id": "ou_lin", "name": "Lin Wei"}, {"open_id": "ou_chen", "name": "Chen Yu"}]
BOT = {"app_id": "cli_demo", "open_id": "ou_bot", "name": "niuma", "connections": 1}
CHATS = [
    {
        "chat_id": "oc_team",
        "name": "Product team",
        "type": "group",
        "members": ["ou_lin", "ou_chen"],
        "bots": ["cli_demo"],
    },
    {"chat_id": "oc_topics", "name": "Topics", "type": "topic", "members": ["ou_lin", "ou_chen"], "bots": ["cli_demo"]},
    {"chat_id": "oc_lin", "name": "niuma", "type": "p2p", "members": ["ou_lin"], "bots": ["cli_demo"]},
    {"chat_id": "oc_chen", "name": "niuma", "type": "p2p", "members": ["ou_chen"], "bots": ["cli_demo"]},
]

Json = dict[str, Any]


class CannedFeishu:
    """Serves the page; tests put messages in, change them, and read what the page asked for."""

    def __init__(self) -> None:
        self.messages: dict[str, Json] = {}
        self.sent: list[Json] = []
        self.clicks: list[Json] = []
        self.click_answer: Json = {"code": 0, "toast": {"type": "success", "content": "Thanks!"}}
        self.click_gate = asyncio.Event()
        self.click_gate.set()
        self._listeners: set[asyncio.Queue[Json | None]] = set()
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self) -> None:
        app = web.Application()
        app.add_routes(
            [
                web.get("/", self._page),
                web.get("/_sim/static/{name}", self._page),
                web.get("/_sim/state", self._state),
                web.get("/_sim/events", self._events),
                web.post("/_sim/send", self._send),
                web.post("/_sim/click", self._click),
                web.post("/_sim/recall", self._recall),
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

    def add(self, chat_id: str = "oc_team", sender: str = "ou_lin", text: str = "", **more: Any) -> str:
        message_id = f"om_{len(self.messages) + 1}"
        who = next((person["name"] for person in PEOPLE if person["open_id"] == sender), "niuma")
        self.messages[message_id] = {
            "message_id": message_id,
            "chat_id": chat_id,
            "thread_id": None,
            "root_id": None,
            "parent_id": None,
            "create_time_ms": NOW_MS + 20_000 * len(self.messages),
            "sender": {"type": "bot" if sender == "ou_bot" else "user", "id": sender, "name": who},
            "msg_type": "text",
            "text": text,
            "content": json.dumps({"text": text}),
            "card": None,
            "card_state": None,
            "reactions": [],
            "recalled": False,
            "edited": False,
            **more,
        }
        self._tell({"kind": "message", "message": self.messages[message_id]})
        return message_id

    def add_card(self, card: Json, **more: Any) -> str:
        state = card_state(card)
        return self.add(sender="ou_bot", msg_type="interactive", card=card, card_state=state, **more)

    def change(self, message_id: str, **changes: Any) -> None:
        if "card" in changes:
            changes["card_state"] = card_state(changes["card"])
        self.messages[message_id] = {**self.messages[message_id], **changes}
        self._tell({"kind": "message", "message": self.messages[message_id]})

    def hang_up(self) -> None:
        """End every event stream, as a restart would; pages connect again by themselves."""
        for queue in self._listeners:
            queue.put_nowait(None)

    def connection(self, connections: int) -> None:
        self._tell({"kind": "connection", "app_id": "cli_demo", "connections": connections})

    def toast(self, open_id: str, tone: str, text: str) -> None:
        self._tell({"kind": "toast", "open_id": open_id, "tone": tone, "text": text})

    def _tell(self, event: Json) -> None:
        for queue in self._listeners:
            queue.put_nowait(json.loads(json.dumps(event)))

    async def _page(self, request: web.Request) -> web.Response:
        return page_file("channels.simulators.feishu", request.match_info.get("name", "index.html"))

    async def _state(self, _: web.Request) -> web.Response:
        now_ms = NOW_MS + 20_000 * len(self.messages)
        messages = list(self.messages.values())
        return web.json_response(
            {"now_ms": now_ms, "people": PEOPLE, "bots": [BOT], "chats": CHATS, "messages": messages}
        )

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

    async def _send(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.sent.append(body)
        parent = self.messages.get(body.get("reply_to", ""))
        more = {"parent_id": parent["message_id"], "root_id": parent["message_id"]} if parent else {}
        if body.get("thread_id"):
            more["thread_id"] = body["thread_id"]
        return web.json_response({"message_id": self.add(body["chat_id"], body["as"], body["text"], **more)})

    async def _click(self, request: web.Request) -> web.Response:
        self.clicks.append(await request.json())
        await self.click_gate.wait()
        return web.json_response(self.click_answer)

    async def _recall(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.change(body["message_id"], recalled=True)
        return web.json_response({})


def card_state(card: Json) -> Json:
    config = card.get("config", {})
    summary = config.get("summary", {}).get("content", "")
    streaming = bool(config.get("streaming_mode"))
    return {"card_id": "c1", "streaming": streaming, "sequence": 1, "summary": summary, "updated_at_ms": NOW_MS}
