"""The control API: what the page and out-of-process tests call."""

from __future__ import annotations

import base64
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from aiohttp import web

from channels.simulators.dingtalk.people import Refused
from channels.simulators.faults import parse_rules
from channels.simulators.jsons import Json
from channels.simulators.orders import page_routes, taking_json, telling

if TYPE_CHECKING:
    from channels.simulators.dingtalk.simulator import DingTalkSimulator

PACKAGE = "channels.simulators.dingtalk"


class Control:
    """Answers `/` and `/_sim`; every method of the simulator under the same name."""

    def __init__(self, simulator: DingTalkSimulator) -> None:
        self._sim = simulator

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        return [
            *page_routes(PACKAGE),
            web.get("/_sim/state", self._state),
            web.get("/_sim/events", telling(self._sim.feed)),
            web.get("/_sim/timeline", self._timeline),
            web.get("/_sim/usage", self._usage),
            web.get("/_sim/files", self._file),
            web.get("/_sim/cards/{out_track_id}/history", self._history),
            web.post("/_sim/send", taking_json(self._send)),
            web.post("/_sim/click", taking_json(lambda body: self._sim.presses.click(body))),
            web.post("/_sim/link", taking_json(self._link)),
            web.post("/_sim/recall", taking_json(self._recall)),
            web.post("/_sim/redeliver", taking_json(self._redeliver)),
            web.post("/_sim/event", taking_json(self._event)),
            web.post("/_sim/chats", taking_json(self._chat)),
            web.post("/_sim/upload", taking_json(self._upload)),
            web.post("/_sim/templates", taking_json(self._template)),
            web.post("/_sim/faults", taking_json(self._faults)),
            web.delete("/_sim/faults", taking_json(self._clear_faults)),
            web.post("/_sim/drop", taking_json(self._drop)),
            web.post("/_sim/advance", taking_json(self._advance)),
            web.post("/_sim/options", taking_json(self._options)),
            web.post("/_sim/revoke_token", taking_json(self._revoke)),
        ]

    async def _state(self, request: web.Request) -> web.Response:
        return web.json_response(self._sim.state())

    async def _timeline(self, request: web.Request) -> web.Response:
        return web.json_response(self._sim.timeline.as_json(int(request.query.get("since", "0"))))

    async def _usage(self, request: web.Request) -> web.Response:
        return web.json_response(self._sim.gate.quota.used())

    async def _file(self, request: web.Request) -> web.Response:
        stored = self._sim.world.files.get(request.query.get("id", ""))
        if stored is None:
            raise web.HTTPNotFound
        kind = "image/png" if stored.kind == "image" else "application/octet-stream"
        return web.Response(body=stored.data, content_type=kind)

    async def _history(self, request: web.Request) -> web.Response:
        out_track_id = request.match_info["out_track_id"]
        if out_track_id not in self._sim.cards.by_id:
            raise web.HTTPNotFound
        return web.json_response(self._sim.card_history(out_track_id))

    async def _send(self, body: Json) -> Json:
        return asdict(self._sim.people.write(body))

    async def _link(self, body: Json) -> Json:
        return asdict(self._sim.press_link(str(body.get("chat_id")), str(body.get("as")), str(body.get("url"))))

    async def _recall(self, body: Json) -> Json:
        self._sim.recall(str(body.get("message_id")))
        return {}

    async def _redeliver(self, body: Json) -> Json:
        self._sim.redeliver(str(body.get("message_id")))
        return {}

    async def _chat(self, body: Json) -> Json:
        members = [str(each) for each in cast("list[object]", body.get("members") or [])]
        return {"chat_id": self._sim.add_chat(str(body.get("name", "")), members, type=body.get("type", "group"))}

    async def _upload(self, body: Json) -> Json:
        data = base64.b64decode(str(body.get("base64", "")), validate=True)
        return {"id": self._sim.upload(str(body.get("name", "file")), data, str(body.get("kind", "file")))}

    async def _template(self, body: Json) -> Json:
        parts = {name: value for name, value in body.items() if name != "id"}
        return {"id": self._sim.add_template(str(body.get("id", "")), **parts).id}

    async def _event(self, body: Json) -> Json:
        app_id = str(body.get("app_id") or self._sim.app_id)
        self._sim.push_event(str(body["event_type"]), cast("Json", body.get("event") or {}), app_id=app_id)
        return {}

    async def _faults(self, body: Json) -> Json:
        self._sim.faults.add(*parse_rules(body))
        return {}

    async def _clear_faults(self, body: Json) -> Json:
        self._sim.faults.clear()
        return {}

    async def _drop(self, body: Json) -> Json:
        how, app_id = body.get("how", "close"), str(body.get("app_id") or self._sim.app_id)
        if how not in ("close", "abort", "freeze", "disconnect"):
            raise Refused("how is close, abort, freeze or disconnect")
        return {"connections": await self._sim.drop(app_id, how)}

    async def _advance(self, body: Json) -> Json:
        self._sim.advance(float(body.get("seconds", 0)))
        return {"now_ms": self._sim.clock.now_ms()}

    async def _options(self, body: Json) -> Json:
        self._sim.options.change(body)
        return asdict(self._sim.options)

    async def _revoke(self, body: Json) -> Json:
        app_id = body.get("app_id")
        self._sim.revoke_token(str(app_id) if app_id else None)
        return {}
