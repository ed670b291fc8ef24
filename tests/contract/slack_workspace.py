"""A started simulator with the real slack-bolt app on it: what the tests of the simulator speak with."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from channels.simulators.slack.simulator import SlackSimulator


class Workspace:
    """A simulator, a web client without retries, and an HTTP session for everything else."""

    def __init__(self, simulator: SlackSimulator, session: aiohttp.ClientSession) -> None:
        self.simulator = simulator
        self.session = session
        self.web = self.client()
        self.events: list[dict[str, Any]] = []
        self.handler: AsyncSocketModeHandler | None = None

    def client(self, token: str | None = None) -> AsyncWebClient:
        """Give a client of the installed SDK that repeats nothing by itself."""
        return AsyncWebClient(
            token=token or self.simulator.bot_token,
            base_url=self.simulator.api_url,
            retry_handlers=[],
            session=self.session,
            timeout=5,
        )

    async def connect(self, register: Callable[[AsyncApp], None] | None = None, *, keep_all: bool = True) -> AsyncApp:
        """Connect a bolt app; every event it is not told to handle is kept in `events` and acknowledged."""
        app = AsyncApp(client=self.web, token=self.simulator.bot_token)
        if register is not None:
            register(app)

        async def keep(body: dict[str, Any]) -> None:
            self.events.append(body)

        if keep_all:
            app.event(re.compile(""))(keep)

        self.handler = AsyncSocketModeHandler(app, self.simulator.app_token, ping_interval=1)
        await asyncio.wait_for(self.handler.connect_async(), 5)
        return app

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        async with self.session.request(method, f"{self.simulator.url}/_sim/{path}", json=body) as response:
            return await response.json()

    def types(self) -> list[str]:
        """Give the types of the events kept, with subtypes."""
        events = [body["event"] for body in self.events]
        return [each["type"] + (f".{each['subtype']}" if each.get("subtype") else "") for each in events]

    async def until_event(self, kind: str, count: int = 1) -> None:
        await until(lambda: self.types().count(kind) >= count)

    async def stream(self, thread_ts: str, chat_id: str = "C0TEAM", **more: Any) -> str:
        """Start a stream for U0LIN; gives its ts."""
        to = {"recipient_team_id": "T0DEMO", "recipient_user_id": "U0LIN"}
        return (await self.web.chat_startStream(channel=chat_id, thread_ts=thread_ts, **to, **more))["ts"]


class Socket:
    """A bare socket that records envelopes and acknowledges when it is told to."""

    def __init__(self, workspace: Workspace, *, auto: bool = True) -> None:
        self._workspace = workspace
        self.auto = auto
        self.answer: dict[str, Any] | None = None
        self.hello: dict[str, Any] = {}
        self.envelopes: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.disconnects: list[str] = []
        self._task: asyncio.Task[None] | None = None

    async def connect(self, query: str = "") -> None:
        client = self._workspace.client(self._workspace.simulator.app_token)
        found = await client.apps_connections_open(app_token=self._workspace.simulator.app_token)
        await self.connect_to(found["url"] + query)

    async def connect_to(self, url: str) -> None:
        self.socket = await self._workspace.session.ws_connect(url)
        self._task = asyncio.create_task(self._read())

    async def close(self) -> None:
        await self.socket.close()
        if self._task is not None:
            await self._task

    async def next(self, within_s: float = 2) -> dict[str, Any]:
        return await asyncio.wait_for(self.envelopes.get(), within_s)

    async def ack(self, envelope: dict[str, Any]) -> None:
        body: dict[str, Any] = {"envelope_id": envelope["envelope_id"]}
        if self.answer is not None and envelope["accepts_response_payload"]:
            body["payload"] = self.answer
        await self.socket.send_json(body)

    async def _read(self) -> None:
        async for message in self.socket:
            body = json.loads(message.data)
            if body["type"] == "hello":
                self.hello = body
            elif body["type"] == "disconnect":
                self.disconnects.append(body["reason"])
            else:
                self.envelopes.put_nowait(body)
                if self.auto:
                    await self.ack(body)


@asynccontextmanager
async def open_workspace(**options: Any) -> AsyncGenerator[Workspace, None]:
    """Start everything and stop it again."""
    simulator = SlackSimulator(**options)
    await simulator.start()
    async with aiohttp.ClientSession() as session:
        workspace = Workspace(simulator, session)
        try:
            yield workspace
        finally:
            if workspace.handler is not None:
                await workspace.handler.close_async()
            await simulator.stop()


def button(action_id: str, value: str = "", text: str = "Stop") -> dict[str, Any]:
    """Give a block with one button."""
    label = {"type": "plain_text", "text": text}
    return {"type": "actions", "elements": [{"type": "button", "text": label, "action_id": action_id, "value": value}]}


async def until(is_true: Callable[[], bool], within_s: float = 3.0) -> None:
    """Wait for something that happens by itself."""
    for _ in range(round(within_s / 0.005)):
        if is_true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen")
