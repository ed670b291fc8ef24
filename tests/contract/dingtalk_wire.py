"""A bare client of the simulated DingTalk: what the tests of the simulator speak with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import aiohttp

from channels.simulators.dingtalk.frames import CARD, ROBOT
from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.simulators.dingtalk.world import LIN_DIRECT, TEAM

LIN, CHEN = "0147lin", "0258chen"
OPEN = "/v1.0/gateway/connections/open"
SUBSCRIPTIONS = [
    {"type": "CALLBACK", "topic": ROBOT},
    {"type": "CALLBACK", "topic": CARD},
    {"type": "EVENT", "topic": "*"},
]
__all__ = ["CHEN", "LIN", "LIN_DIRECT", "OPEN", "SUBSCRIPTIONS", "TEAM", "Org", "Stream", "open_org", "until"]

Frame = dict[str, Any]


class Stream:
    """One connection; `auto` acks every robot message, event and ping, but no press."""

    def __init__(self, org: Org, *, auto: bool = True, subscriptions: list[dict[str, str]] | None = None) -> None:
        self.org = org
        self.auto = auto
        self.subscriptions = SUBSCRIPTIONS if subscriptions is None else subscriptions
        self.pushes: asyncio.Queue[Frame] = asyncio.Queue()
        self.system: list[Frame] = []
        self._task: asyncio.Task[None] | None = None

    async def connect(self) -> Stream:
        status, found = await self.org.open_connection(self.subscriptions)
        assert status == 200
        self.socket = await self.org.session.ws_connect(f"{found['endpoint']}?ticket={quote(found['ticket'])}")
        self._task = asyncio.create_task(self._read())
        return self

    async def next(self, within_s: float = 2) -> Frame:
        """Give the next robot message, press or event; its `data` decoded under `body`."""
        return await asyncio.wait_for(self.pushes.get(), within_s)

    async def nothing(self, for_s: float = 0.05) -> bool:
        """Tell whether nothing comes."""
        await asyncio.sleep(for_s)
        return self.pushes.empty()

    async def ack(self, frame: Frame, data: object, code: int = 200) -> None:
        headers = {"contentType": "application/json", "messageId": frame["headers"]["messageId"]}
        body = {"code": code, "message": "OK", "headers": headers, "data": json.dumps(data)}
        await self.socket.send_str(json.dumps(body))

    async def close(self) -> None:
        await self.socket.close()
        if self._task is not None:
            await self._task

    @property
    def topics(self) -> list[str]:
        """The topics of the SYSTEM frames so far."""
        return [each["headers"]["topic"] for each in self.system]

    @property
    def ended(self) -> bool:
        return self._task is not None and self._task.done()

    async def _read(self) -> None:
        async for message in self.socket:
            frame = json.loads(message.data)
            frame["body"] = json.loads(frame["data"])
            if frame["type"] == "SYSTEM":
                self.system.append(frame)
                if frame["headers"]["topic"] == "ping" and self.auto:
                    await self.ack(frame, frame["body"])
                continue
            self.pushes.put_nowait(frame)
            if self.auto and frame["headers"]["topic"] != CARD:
                await self.ack(frame, {"status": "SUCCESS"} if frame["type"] == "EVENT" else {"response": None})


class Org:
    """The simulator with a session, a token and, once opened, a stream."""

    def __init__(self, simulator: DingTalkSimulator, session: aiohttp.ClientSession) -> None:
        self.simulator = simulator
        self.session = session
        self.token = ""
        self.stream = Stream(self)
        self._guid = 0

    async def login(self) -> dict[str, Any]:
        body = {"appKey": self.simulator.app_id, "appSecret": self.simulator.app_secret}
        _, found = await self.call("POST", "/v1.0/oauth2/accessToken", body)
        self.token = found["accessToken"]
        return found

    async def call(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        headers = {"Accept": "application/json", "x-acs-dingtalk-access-token": self.token}
        async with self.session.request(method, self.simulator.url + path, json=body, headers=headers) as response:
            return response.status, await response.json()

    async def open_connection(self, subscriptions: list[dict[str, str]]) -> tuple[int, dict[str, Any]]:
        ids = {"clientId": self.simulator.app_id, "clientSecret": self.simulator.app_secret}
        return await self.call("POST", OPEN, {**ids, "subscriptions": subscriptions})

    async def reply(self, webhook: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self.session.post(webhook, json=body) as response:
            assert response.status == 200
            return await response.json()

    async def create(
        self, out_track_id: str, params: dict[str, Any] | None = None, **more: Any
    ) -> tuple[int, dict[str, Any]]:
        """Create a card for the team and deliver it."""
        body = {
            "cardTemplateId": self.simulator.template_id,
            "outTrackId": out_track_id,
            "callbackType": "STREAM",
            "cardData": {"cardParamMap": {"content": "…", **(params or {})}},
            "openSpaceId": f"dtv1.card//IM_GROUP.{TEAM}",
            "imGroupOpenDeliverModel": {"robotCode": self.simulator.app_id},
        }
        return await self.call("POST", "/v1.0/card/instances/createAndDeliver", {**body, **more})

    async def frame(self, out_track_id: str, content: str, /, **more: Any) -> tuple[int, dict[str, Any]]:
        """Stream one frame under a new guid."""
        self._guid += 1
        body = {"outTrackId": out_track_id, "guid": f"g{self._guid}", "key": "content", "content": content}
        return await self.call("PUT", "/v1.0/card/streaming", {**body, "isFull": True, **more})

    async def update(self, out_track_id: str, params: dict[str, Any], **more: Any) -> tuple[int, dict[str, Any]]:
        body = {"outTrackId": out_track_id, "cardData": {"cardParamMap": params}}
        return await self.call("PUT", "/v1.0/card/instances", {**body, **more})


@asynccontextmanager
async def open_org(*, connect: bool = True, **options: Any) -> AsyncGenerator[Org, None]:
    """Start everything and stop it again."""
    simulator = DingTalkSimulator(**options)
    await simulator.start()
    async with aiohttp.ClientSession() as session:
        org = Org(simulator, session)
        await org.login()
        if connect:
            await org.stream.connect()
        try:
            yield org
        finally:
            await simulator.stop()
            if connect:
                await org.stream.close()


async def until(is_true: Callable[[], bool], within_s: float = 3.0) -> None:
    """Wait for something that happens by itself."""
    for _ in range(round(within_s / 0.005)):
        if is_true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen")
