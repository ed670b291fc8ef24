"""Delivery of events: one random connection, acknowledgement within 3 s, redelivery."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass, field
from typing import Any

from channels.simulators.feishu.frames import DATA, Frame
from channels.simulators.feishu.gate import Gate
from channels.simulators.feishu.sockets import Connection, Sockets
from channels.simulators.feishu.world import TENANT, App, new_id
from channels.simulators.jsons import Json, as_object, dumps, parse_object

REDELIVER_AFTER_S = (15, 300, 3600, 21600)
"""Waits before the second to fifth attempt.

Source: open.feishu.cn "Event overview" (15 s, 5 min, 1 h, 6 h; at most 4 times), read 2026-02.
"""


@dataclass
class Ack:
    """What a client answered: 200 or 500, and the handler's result when it gave one."""

    code: int
    data: Json | None = None
    is_readable: bool = True


@dataclass(eq=False)
class Delivery:
    """One event on its way to one app."""

    app: App
    event: Json
    attempts: int = 0
    acked: bool = False
    answer: asyncio.Future[Ack] | None = None
    retry_now: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def event_type(self) -> str:
        """The event's name."""
        return str(self.event["header"]["event_type"])


class Deliveries:
    """Sends events and keeps at it until they are acknowledged or given up."""

    def __init__(self, gate: Gate, sockets: Sockets) -> None:
        self._gate = gate
        self._sockets = sockets
        self._waiting: dict[str, Delivery] = {}
        self._ignored: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._seq = 0
        self.pending: list[Delivery] = []
        self.ended: list[Delivery] = []
        """Those that were acknowledged or given up, oldest first."""
        sockets.on_ack = self._on_ack
        sockets.on_open = self._on_open

    def send(self, app: App, event_type: str, event: Json, event_id: str | None = None) -> str:
        """Deliver an event in the background; gives its event_id."""
        envelope = self._envelope(app, event_type, event, event_id or new_id("evt"))
        delivery = Delivery(app, envelope)
        self.pending.append(delivery)
        self._start(self._keep_sending(delivery))
        return str(envelope["header"]["event_id"])

    async def ask(self, app: App, event_type: str, event: Json, *, event_id: str = "") -> Ack | None:
        """Deliver a callback once and wait for its answer; None when none came in time. A known id is a redelivery."""
        delivery = Delivery(app, self._envelope(app, event_type, event, event_id or new_id("evt"), micro=True))
        return await self._attempt(delivery)

    async def stop(self) -> None:
        """Give up everything on its way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep_sending(self, delivery: Delivery) -> None:
        for wait_s in (*REDELIVER_AFTER_S, None):
            sent_s = self._gate.clock.steady_s()
            ack = await self._attempt(delivery)
            if ack is not None and ack.code == 200:
                delivery.acked = True
                break
            if wait_s is not None:
                await self._until(sent_s + wait_s, delivery.retry_now)
        self.pending.remove(delivery)
        self.ended.append(delivery)

    async def _attempt(self, delivery: Delivery) -> Ack | None:
        delivery.attempts += 1
        action = self._gate.faults.find(event=delivery.event_type, app_id=delivery.app.app_id)
        if action.get("delay_s"):
            await self._gate.clock.sleep(float(action["delay_s"]))
        if action.get("duplicate"):
            header = delivery.event["header"]
            self.send(delivery.app, header["event_type"], delivery.event["event"])
        connection = self._sockets.pick(delivery.app.app_id)
        if connection is None or action.get("drop"):
            self._record(delivery, "undelivered", action)
            return None
        return await self._push(connection, delivery, action)

    async def _push(self, connection: Connection, delivery: Delivery, action: dict[str, Any]) -> Ack | None:
        frame_id = new_id("msg")
        delivery.answer = asyncio.get_running_loop().create_future()
        self._waiting[frame_id] = delivery
        if action.get("lost_ack"):
            self._ignored.add(frame_id)
        self._record(delivery, "event", action)
        timer = asyncio.ensure_future(self._gate.clock.sleep(self._gate.options.ack_within_s))
        try:
            for frame in self._frames(connection.app, frame_id, dumps(delivery.event).encode()):
                await connection.send(frame)
            await asyncio.wait((delivery.answer, timer), return_when=asyncio.FIRST_COMPLETED)
            return delivery.answer.result() if delivery.answer.done() else None
        finally:
            timer.cancel()
            self._waiting.pop(frame_id, None)
            self._ignored.discard(frame_id)

    def _frames(self, app: App, frame_id: str, payload: bytes) -> list[Frame]:
        size = self._gate.options.part_bytes or max(1, len(payload))
        parts = [payload[at : at + size] for at in range(0, len(payload), size)]
        trace = new_id("trace")
        frames: list[Frame] = []
        for seq, part in enumerate(parts):
            self._seq += 1
            headers = {"type": "event", "message_id": frame_id, "trace_id": trace}
            headers |= {"sum": str(len(parts)), "seq": str(seq)}
            frames.append(Frame(self._seq, self._seq, app.service_id, DATA, headers, payload=part))
        return frames

    def _on_ack(self, connection: Connection, frame: Frame) -> None:
        frame_id = frame.headers.get("message_id", "")
        delivery = self._waiting.get(frame_id)
        if delivery is None or delivery.answer is None or delivery.answer.done() or frame_id in self._ignored:
            return
        delivery.answer.set_result(_parse_ack(frame.payload))

    def _on_open(self, app: App) -> None:
        if self._gate.options.replay_on_connect:
            for delivery in self.pending:
                if delivery.app is app:
                    delivery.retry_now.set()

    async def _until(self, steady_s: float, wake: asyncio.Event) -> None:
        wake.clear()
        waits = [asyncio.ensure_future(self._gate.clock.sleep_until(steady_s)), asyncio.ensure_future(wake.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _envelope(self, app: App, event_type: str, event: Json, event_id: str, *, micro: bool = False) -> Json:
        created = self._gate.clock.now_ms() * (1000 if micro else 1)
        header = {"event_id": event_id, "event_type": event_type, "create_time": str(created), "token": ""}
        return {"schema": "2.0", "header": {**header, "app_id": app.app_id, "tenant_key": TENANT}, "event": event}

    def _record(self, delivery: Delivery, method: str, action: dict[str, Any]) -> None:
        path = f"{delivery.event_type}#{delivery.attempts}"
        entry = self._gate.timeline.add("out", delivery.app.app_id, method, path, delivery.event)
        entry.fault = ",".join(action)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _parse_ack(payload: bytes) -> Ack:
    body = parse_object(payload)
    if body is None:
        return Ack(500, is_readable=False)
    code, data = int(body.get("code") or 0), body.get("data")
    if not data:
        return Ack(code)
    try:
        return Ack(code, as_object(json.loads(base64.b64decode(str(data)))))
    except ValueError:
        return Ack(code, is_readable=False)
