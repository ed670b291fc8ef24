"""Pushes: one random connection, acknowledgement by messageId, and what comes again without one."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from channels.simulators.dingtalk.frames import CARD, EVENTS, ROBOT, Ack, Frame, FrameType, event_headers
from channels.simulators.dingtalk.gate import Gate
from channels.simulators.dingtalk.sockets import Connection, Sockets
from channels.simulators.dingtalk.world import App
from channels.simulators.jsons import Json

KEPT = 10_000


@dataclass(eq=False)
class Delivery:
    """One push on its way to one app; the same data each time, under a new messageId."""

    app: App
    type: FrameType
    topic: str
    data: Json
    name: str
    event_headers: dict[str, str]
    attempts: int = 0
    acked: bool = False
    connection: Connection | None = None


class Deliveries:
    """Sends pushes, and again what the platform sends again."""

    def __init__(self, gate: Gate, sockets: Sockets) -> None:
        self._gate = gate
        self._sockets = sockets
        self._waiting: dict[str, tuple[Connection, asyncio.Future[Ack]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self.all: deque[Delivery] = deque(maxlen=KEPT)
        """The newest pushes, oldest first."""
        self.lost: Callable[[Delivery], None] = lambda delivery: None
        """Called for a robot message that nobody will get any more."""
        sockets.on_ack = self._on_ack

    def robot(self, app: App, data: Json) -> Delivery:
        """Push a robot message; unacknowledged it comes again after about a minute."""
        delivery = self._make(app, "CALLBACK", ROBOT, data, "robot")
        self._start(self._keep_sending(delivery, self._gate.options.robot_redeliveries))
        return delivery

    def event(self, app: App, event_type: str, data: Json) -> Delivery:
        """Push an event; without `SUCCESS` it comes again with the same eventId."""
        headers = event_headers(app.app_id, event_type, uuid.uuid4().hex, self._gate.clock.now_ms())
        delivery = self._make(app, "EVENT", EVENTS, data, event_type, headers)
        self._start(self._keep_sending(delivery, self._gate.options.event_redeliveries))
        return delivery

    async def press(self, app: App, data: Json) -> Ack | None:
        """Push a press on a card and wait for its answer; None when none came in time."""
        delivery = self._make(app, "CALLBACK", CARD, data, "card")
        sent_s = self._gate.clock.steady_s()
        ack = await self._attempt(delivery, self._gate.options.click_within_s)
        if ack is None:
            self._start(self._send_again(delivery, self._gate.options.card_redeliveries, sent_s))
        return ack

    async def stop(self) -> None:
        """Give up everything on its way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep_sending(self, delivery: Delivery, more: int) -> None:
        sent_s = self._gate.clock.steady_s()
        ack = await self._attempt(delivery, self._gate.options.redeliver_after_s)
        if not self._is_taken(delivery, ack):
            await self._send_again(delivery, more, sent_s)

    async def _send_again(self, delivery: Delivery, more: int, sent_s: float) -> None:
        """Push again at the times counted from the attempt before, until it is taken, lost or given up."""
        for _ in range(more):
            if self._is_nowhere(delivery):
                return
            await self._gate.clock.sleep_until(sent_s + self._gate.options.redeliver_after_s)
            if self._went_down(delivery):
                self._tell_lost(delivery)
                return
            sent_s = self._gate.clock.steady_s()
            ack = await self._attempt(delivery, self._gate.options.redeliver_after_s)
            if self._is_taken(delivery, ack):
                return

    def _is_nowhere(self, delivery: Delivery) -> bool:
        """Tell whether no connection took it, which only an event survives."""
        return delivery.type == "CALLBACK" and delivery.connection is None

    def _went_down(self, delivery: Delivery) -> bool:
        """Tell whether it is lost with the connection it was pushed to; an event never is."""
        if delivery.type == "EVENT" or delivery.connection is None:
            return False
        return delivery.connection.ended and self._gate.options.lost_with_socket

    def _tell_lost(self, delivery: Delivery) -> None:
        if delivery.topic == ROBOT:
            self.lost(delivery)

    def _is_taken(self, delivery: Delivery, ack: Ack | None) -> bool:
        """Tell whether nothing comes again: code 200, and for an event the status SUCCESS."""
        is_right = ack is not None and ack.code == 200
        if ack is not None and is_right and delivery.type == "EVENT" and self._gate.options.event_status_needed:
            is_right = (ack.data or {}).get("status") == "SUCCESS"
        delivery.acked = is_right
        return is_right

    async def _attempt(self, delivery: Delivery, within_s: float) -> Ack | None:
        delivery.attempts += 1
        action = self._gate.faults.find(event=delivery.name, app_id=delivery.app.app_id)
        if action.get("delay_s"):
            await self._gate.clock.sleep(float(action["delay_s"]))
        delivery.connection = self._sockets.pick(delivery.app.app_id, (delivery.type, delivery.topic))
        if delivery.connection is None or action.get("drop"):
            self._record(delivery, "undelivered", "", action)
            if delivery.connection is None:
                self._tell_lost(delivery)
            return None
        ack = await self._push(delivery.connection, delivery, within_s, action)
        if action.get("duplicate"):
            await self._push(delivery.connection, delivery, within_s, {})
        return ack

    async def _push(
        self, connection: Connection, delivery: Delivery, within_s: float, action: dict[str, Any]
    ) -> Ack | None:
        frame = Frame(delivery.type, delivery.topic, delivery.data, delivery.event_headers)
        answer: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
        if not action.get("lost_ack"):
            self._waiting[frame.message_id] = (connection, answer)
        self._record(delivery, "push", frame.message_id, action)
        timer = asyncio.ensure_future(self._gate.clock.sleep(within_s))
        try:
            await connection.send(frame, self._gate.clock.now_ms())
            await asyncio.wait((answer, timer), return_when=asyncio.FIRST_COMPLETED)
            return answer.result() if answer.done() else None
        finally:
            timer.cancel()
            self._waiting.pop(frame.message_id, None)

    def _on_ack(self, connection: Connection, ack: Ack) -> None:
        pushed_on, answer = self._waiting.get(ack.message_id, (None, None))
        if answer is None or answer.done():
            return
        if pushed_on is not connection and not self._gate.options.ack_any_socket:
            self._sockets.problems.append(f"an ack on another connection than its push: {ack.message_id}")
            return
        answer.set_result(ack)

    def _make(
        self, app: App, kind: FrameType, topic: str, data: Json, name: str, headers: dict[str, str] | None = None
    ) -> Delivery:
        delivery = Delivery(app, kind, topic, data, name, headers or {})
        self.all.append(delivery)
        return delivery

    def _record(self, delivery: Delivery, method: str, message_id: str, action: dict[str, Any]) -> None:
        path = f"{delivery.name}#{delivery.attempts}"
        body = {"messageId": message_id, "data": delivery.data}
        self._gate.timeline.add("out", delivery.app.app_id, method, path, body).fault = ",".join(action)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
