"""Delivery of envelopes: one random connection, acknowledgement within 3 s, redelivery of events."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Any, Literal

from channels.simulators.background import Background
from channels.simulators.jsons import Json, as_object
from channels.simulators.slack.gate import Gate
from channels.simulators.slack.sockets import Connection, Sockets
from channels.simulators.slack.world import TEAM, App, new_id

REDELIVER_AFTER_S = (0, 60, 300)
"""Waits before the second to fourth attempt.

Source: docs.slack.dev "The Events API", section on retries, read 2026-08.
"""
AskKind = Literal["slash_commands", "interactive"]


@dataclass(frozen=True)
class Ack:
    """What a client answered; `payload` is None when it only acknowledged."""

    payload: Json | None


@dataclass(eq=False)
class Delivery:
    """One payload on its way to one app."""

    app: App
    kind: str
    payload: Json
    name: str
    attempts: int = 0
    acked: bool = False
    connection: Connection | None = None
    answer: asyncio.Future[Ack | None] | None = None
    retry_now: asyncio.Event = field(default_factory=asyncio.Event)


class Deliveries:
    """Sends envelopes; events are repeated until acknowledged or given up."""

    def __init__(self, gate: Gate, sockets: Sockets, background: Background) -> None:
        self._gate = gate
        self._sockets = sockets
        self._background = background
        self._waiting: dict[str, Delivery] = {}
        self._ignored: set[str] = set()
        self.pending: list[Delivery] = []
        self.ended: list[Delivery] = []
        """Those that were acknowledged or given up, oldest first."""
        sockets.on_ack = self._on_ack
        sockets.on_open = self._on_open
        sockets.on_close = self._on_close

    def send(self, app: App, event: Json, event_id: str | None = None, *, after_s: float = 0.0) -> str:
        """Deliver an event in the background, `after_s` from now; gives its event_id.

        Beyond `Options.events_per_hour` the event is dropped, and the app told once a minute.
        """
        payload = self._callback(app, event, event_id or new_id("Ev"))
        delivery = Delivery(app, "events_api", payload, str(event["type"]))
        if self._is_over(app):
            return str(payload["event_id"])
        self._begin(delivery, after_s)
        return str(payload["event_id"])

    async def ask(self, app: App, kind: AskKind, payload: Json) -> Ack | None:
        """Deliver a command or interaction once and wait for the answer; None when none came in time."""
        name = str(payload.get("type") or payload.get("command"))
        return await self._attempt(Delivery(app, kind, payload, name))

    def _begin(self, delivery: Delivery, after_s: float = 0.0) -> None:
        self.pending.append(delivery)
        self._background.start(self._keep_sending(delivery, after_s))

    def _is_over(self, app: App) -> bool:
        limits = self._gate.limits
        if limits.take(("events", app.app_id), (self._gate.options.events_per_hour, 3600)) is None:
            return False
        if limits.take(("limited", app.app_id), (1, 60)) is None:
            facts: Json = {"token": "verification", "type": "app_rate_limited", "team_id": TEAM}
            facts |= {"minute_rate_limited": self._gate.clock.now_ms() // 60_000 * 60, "api_app_id": app.app_id}
            self._begin(Delivery(app, "events_api", facts, "app_rate_limited"))
        return True

    async def _keep_sending(self, delivery: Delivery, after_s: float) -> None:
        try:
            if after_s:
                await self._gate.clock.sleep(after_s)
            for wait_s in (*REDELIVER_AFTER_S, None):
                if await self._attempt(delivery) is not None:
                    delivery.acked = True
                    return
                if wait_s is not None:
                    await self._until(self._gate.clock.steady_s() + wait_s, delivery.retry_now)
        finally:
            self.pending.remove(delivery)
            self.ended.append(delivery)

    async def _attempt(self, delivery: Delivery) -> Ack | None:
        delivery.attempts += 1
        action = self._gate.faults.find(event=delivery.name, app_id=delivery.app.app_id)
        if action.get("delay_s"):
            await self._gate.clock.sleep(float(action["delay_s"]))
        if action.get("duplicate"):
            self._background.start(self._repeat(delivery))
        connection = self._sockets.pick(delivery.app.app_id)
        if connection is None or action.get("drop"):
            self._record(delivery, "undelivered", "", action)
            return None
        return await self._push(connection, delivery, action)

    async def _repeat(self, delivery: Delivery) -> None:
        """Send once more: an event under another event_id, anything else as it is."""
        if "event" in delivery.payload:
            self.send(delivery.app, delivery.payload["event"])
        else:
            await self._attempt(Delivery(delivery.app, delivery.kind, delivery.payload, delivery.name))

    async def _push(self, connection: Connection, delivery: Delivery, action: dict[str, Any]) -> Ack | None:
        envelope = self._envelope(delivery)
        envelope_id = str(envelope["envelope_id"])
        delivery.answer = asyncio.get_running_loop().create_future()
        delivery.connection = connection
        self._waiting[envelope_id] = delivery
        if action.get("lost_ack"):
            self._ignored.add(envelope_id)
        self._record(delivery, delivery.kind, connection.id, action)
        timer = asyncio.ensure_future(self._gate.clock.sleep(self._gate.options.ack_within_s))
        try:
            await connection.send(envelope)
            await asyncio.wait((delivery.answer, timer), return_when=asyncio.FIRST_COMPLETED)
            return delivery.answer.result() if delivery.answer.done() else None
        finally:
            timer.cancel()
            self._waiting.pop(envelope_id, None)
            self._ignored.discard(envelope_id)

    def _on_ack(self, connection: Connection, body: Json) -> None:
        envelope_id = str(body["envelope_id"])
        delivery = self._waiting.get(envelope_id)
        if delivery is None or delivery.answer is None or delivery.answer.done() or envelope_id in self._ignored:
            return
        if delivery.connection is not connection and not self._gate.options.ack_on_any_socket:
            return
        delivery.answer.set_result(Ack(as_object(body.get("payload"))))

    def _on_open(self, app: App) -> None:
        if self._gate.options.replay_on_connect:
            self._background.start(self._replay(app))

    async def _replay(self, app: App) -> None:
        await self._gate.clock.sleep(self._gate.options.replay_delay_s)
        for delivery in self.pending:
            if delivery.app is app:
                delivery.retry_now.set()

    def _on_close(self, connection: Connection) -> None:
        """Whoever waits for an acknowledgement on this connection waits no longer."""
        for delivery in self._waiting.values():
            if delivery.connection is connection and delivery.answer is not None and not delivery.answer.done():
                delivery.answer.set_result(None)

    async def _until(self, steady_s: float, wake: asyncio.Event) -> None:
        wake.clear()
        waits = [asyncio.ensure_future(self._gate.clock.sleep_until(steady_s)), asyncio.ensure_future(wake.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _envelope(self, delivery: Delivery) -> Json:
        body: Json = {"envelope_id": str(uuid.uuid4()), "payload": delivery.payload, "type": delivery.kind}
        body["accepts_response_payload"] = delivery.kind != "events_api"
        if delivery.kind == "events_api":
            body["retry_attempt"] = delivery.attempts - 1
            body["retry_reason"] = "timeout" if delivery.attempts > 1 else ""
        return body

    def _callback(self, app: App, event: Json, event_id: str) -> Json:
        authorization = {
            "enterprise_id": None,
            "team_id": TEAM,
            "user_id": app.user_id,
            "is_bot": True,
            "is_enterprise_install": False,
        }
        return {
            "token": "verification",
            "team_id": TEAM,
            "context_team_id": TEAM,
            "context_enterprise_id": None,
            "api_app_id": app.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": event_id,
            "event_time": self._gate.clock.now_ms() // 1000,
            "authorizations": [authorization],
            "is_ext_shared_channel": False,
            "event_context": f"4-{event_id}",
        }

    def _record(self, delivery: Delivery, method: str, connection_id: str, action: dict[str, Any]) -> None:
        path = f"{delivery.name}#{delivery.attempts}"
        body = {"connection": connection_id, "payload": delivery.payload}
        self._gate.timeline.add("out", delivery.app.app_id, method, path, body).fault = ",".join(action)
