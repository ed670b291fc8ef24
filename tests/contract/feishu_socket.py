"""A bare client of the simulated long connection: what the tests of the simulator speak with."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from channels.simulators.feishu.frames import CONTROL, Frame, decode, encode
from channels.simulators.feishu.simulator import FeishuSimulator


class SocketClient:
    """Connects as an app; `auto` acks every event with 200."""

    def __init__(self, simulator: FeishuSimulator, session: aiohttp.ClientSession, *, auto: bool = True) -> None:
        self.simulator = simulator
        self.session = session
        self.auto = auto
        self.answer: dict[str, Any] | None = None
        self.code = 200
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.frames: list[Frame] = []
        self.config: dict[str, Any] = {}
        self._parts: dict[str, dict[int, bytes]] = {}
        self._task: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        body = {"AppID": self.simulator.app_id, "AppSecret": self.simulator.app_secret}
        async with self.session.post(f"{self.simulator.url}/callback/ws/endpoint", json=body) as response:
            found = await response.json()
        self.config = found["data"]["ClientConfig"]
        self.socket = await self.session.ws_connect(found["data"]["URL"])
        self._task = asyncio.create_task(self._read())

    async def close(self) -> None:
        await self.socket.close()
        if self._task is not None:
            await self._task

    @property
    def ended(self) -> bool:
        return self._task is not None and self._task.done()

    async def next(self, within_s: float = 2) -> dict[str, Any]:
        return await asyncio.wait_for(self.events.get(), within_s)

    async def ping(self) -> None:
        await self.socket.send_bytes(encode(Frame(service=1, method=CONTROL, headers={"type": "ping"})))

    async def ack(self, frame: Frame) -> None:
        body: dict[str, Any] = {"code": self.code}
        if self.answer is not None:
            body["data"] = base64.b64encode(json.dumps(self.answer).encode()).decode()
        frame.headers["biz_rt"] = "1"
        frame.payload = json.dumps(body).encode()
        await self.socket.send_bytes(encode(frame))

    async def _read(self) -> None:
        async for message in self.socket:
            if message.type is not aiohttp.WSMsgType.BINARY:
                break
            frame = decode(message.data)
            self.frames.append(frame)
            if frame.headers["type"] != "event":
                continue
            parts = self._parts.setdefault(frame.headers["message_id"], {})
            parts[int(frame.headers["seq"])] = frame.payload
            if len(parts) == int(frame.headers["sum"]):
                self.events.put_nowait(json.loads(b"".join(parts[at] for at in sorted(parts))))
                if self.auto:
                    await self.ack(frame)


class RestClient:
    """Calls the simulated REST interface with a token of its own."""

    def __init__(self, simulator: FeishuSimulator, session: aiohttp.ClientSession) -> None:
        self.simulator = simulator
        self.session = session
        self.token = ""
        self.status = 0
        self.headers: Any = {}
        self.sequence = 0

    async def login(self) -> None:
        body = {"app_id": self.simulator.app_id, "app_secret": self.simulator.app_secret}
        found = await self.call("POST", "auth/v3/tenant_access_token/internal", body)
        self.token = found["tenant_access_token"]

    async def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        url = f"{self.simulator.url}/open-apis/{path}"
        async with self.session.request(method, url, json=body, headers=headers) as response:
            self.status, self.headers = response.status, response.headers
            return await response.json()

    async def send(self, chat_id: str, msg_type: str, content: Any, **more: Any) -> dict[str, Any]:
        body = {"receive_id": chat_id, "msg_type": msg_type, "content": json.dumps(content), **more}
        return await self.call("POST", "im/v1/messages?receive_id_type=chat_id", body)

    async def create_card(self, tree: dict[str, Any]) -> str:
        found = await self.call("POST", "cardkit/v1/cards", {"type": "card_json", "data": json.dumps(tree)})
        assert found["code"] == 0, found
        return found["data"]["card_id"]

    async def card(self, method: str, path: str, body: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """Write to a card with the next sequence."""
        self.sequence += 1
        return await self.call(method, f"cardkit/v1/cards/{path}", {"sequence": self.sequence, **(body or {}), **more})


class Tenant:
    """A started simulator with an app that is logged in and connected."""

    def __init__(self, simulator: FeishuSimulator, session: aiohttp.ClientSession) -> None:
        self.simulator = simulator
        self.session = session
        self.rest = RestClient(simulator, session)
        self.socket = SocketClient(simulator, session)

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        async with self.session.request(method, f"{self.simulator.url}/_sim/{path}", json=body) as response:
            return await response.json()

    async def sent_card(self, tree: dict[str, Any], chat_id: str = "oc_team") -> tuple[str, str]:
        """Create and send an entity; gives card and message id."""
        card_id = await self.rest.create_card(tree)
        found = await self.rest.send(chat_id, "interactive", {"type": "card", "data": {"card_id": card_id}})
        return card_id, found["data"]["message_id"]


@asynccontextmanager
async def open_tenant(**options: Any) -> AsyncGenerator[Tenant, None]:
    """Start everything and stop it again."""
    simulator = FeishuSimulator(**options)
    await simulator.start()
    async with aiohttp.ClientSession() as session:
        tenant = Tenant(simulator, session)
        await tenant.rest.login()
        await tenant.socket.connect()
        try:
            yield tenant
        finally:
            await simulator.stop()
            await tenant.socket.close()


def card(*elements: dict[str, Any], streaming: bool = True) -> dict[str, Any]:
    """Give a small right card: a title, an `answer` text and what is added."""
    return {
        "schema": "2.0",
        "config": {"streaming_mode": streaming, "update_multi": True},
        "header": {"title": {"tag": "plain_text", "content": "Working"}},
        "body": {"elements": [{"tag": "markdown", "element_id": "answer", "content": ""}, *elements]},
    }


def button(value: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Give a button that calls back with `value`."""
    text = {"tag": "plain_text", "content": "Stop"}
    return {"tag": "button", "text": text, "behaviors": [{"type": "callback", "value": value}], **more}


async def until(is_true: Callable[[], bool], within_s: float = 3.0) -> None:
    """Wait for something that happens by itself."""
    for _ in range(round(within_s / 0.005)):
        if is_true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen")
