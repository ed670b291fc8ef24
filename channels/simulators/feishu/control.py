"""The control API: what the page and out-of-process tests call."""

from __future__ import annotations

import base64
from dataclasses import asdict
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from aiohttp import web

from channels.simulators.faults import parse_rules
from channels.simulators.feishu.people import Refused
from channels.simulators.jsons import Json, as_object
from channels.simulators.orders import page_routes, taking_json, telling

if TYPE_CHECKING:
    from channels.simulators.feishu.simulator import FeishuSimulator

_PICTURES = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
PACKAGE = "channels.simulators.feishu"


class Control:
    """Answers `/` and `/_sim`; every method of the simulator under the same name."""

    def __init__(self, simulator: FeishuSimulator) -> None:
        self._sim = simulator

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        return [
            *page_routes(PACKAGE),
            web.get("/_sim/state", self._state),
            web.get("/_sim/events", telling(self._sim.feed)),
            web.get("/_sim/timeline", self._timeline),
            web.get("/_sim/cards/{card_id}/history", self._history),
            web.get("/_sim/files/{key}", self._bytes),
            web.post("/_sim/send", taking_json(self._send)),
            web.post("/_sim/click", taking_json(lambda body: self._sim.people.click(body))),
            web.post("/_sim/recall", taking_json(self._recall)),
            web.post("/_sim/react", taking_json(self._react)),
            web.post("/_sim/redeliver", taking_json(self._redeliver)),
            web.post("/_sim/event", taking_json(self._event)),
            web.post("/_sim/chats", taking_json(self._chat)),
            web.post("/_sim/upload", taking_json(self._upload)),
            web.post("/_sim/faults", taking_json(self._faults)),
            web.delete("/_sim/faults", taking_json(self._clear_faults)),
            web.post("/_sim/drop", taking_json(self._drop)),
            web.post("/_sim/clock", taking_json(self._clock)),
            web.post("/_sim/options", taking_json(self._options)),
            web.post("/_sim/revoke_token", taking_json(self._revoke)),
        ]

    async def _state(self, request: web.Request) -> web.Response:
        return web.json_response(self._sim.state())

    async def _timeline(self, request: web.Request) -> web.Response:
        return web.json_response(self._sim.timeline.as_json(int(request.query.get("since", "0"))))

    async def _history(self, request: web.Request) -> web.Response:
        card_id = request.match_info["card_id"]
        if card_id not in self._sim.cards.by_id:
            raise web.HTTPNotFound
        return web.json_response(self._sim.card_history(card_id))

    async def _bytes(self, request: web.Request) -> web.Response:
        found = self._sim.world.files.get(request.match_info["key"])
        if found is None:
            raise web.HTTPNotFound
        name, data = found
        return _download(name, data)

    async def _send(self, body: Json) -> Json:
        return asdict(self._sim.people.write(body))

    async def _recall(self, body: Json) -> Json:
        self._sim.people.recall(str(body.get("message_id")))
        return {}

    async def _react(self, body: Json) -> Json:
        self._sim.people.react(str(body.get("message_id")), str(body.get("as")), str(body.get("emoji_type")))
        return {}

    async def _redeliver(self, body: Json) -> Json:
        is_new = body.get("new_event_id", True) is not False
        return {"event_id": self._sim.people.redeliver(str(body.get("message_id")), new_event_id=is_new)}

    async def _chat(self, body: Json) -> Json:
        members = [str(each) for each in cast("list[object]", body.get("members") or [])]
        kind, announce = body.get("type", "group"), body.get("announce") is True
        return {"chat_id": self._sim.add_chat(str(body.get("name", "")), members, type=kind, announce=announce)}

    async def _upload(self, body: Json) -> Json:
        data = base64.b64decode(str(body.get("base64", "")), validate=True)
        prefix = "img_v3" if body.get("kind") == "image" else "file_v3"
        return {"key": self._sim.files.keep(prefix, str(body.get("name", "file")), data)}

    async def _event(self, body: Json) -> Json:
        app_id, event = str(body.get("app_id") or self._sim.app_id), as_object(body.get("event")) or {}
        return {"event_id": self._sim.push_event(str(body["event_type"]), event, app_id=app_id)}

    async def _faults(self, body: Json) -> Json:
        self._sim.faults.add(*parse_rules(body))
        return {}

    async def _clear_faults(self, body: Json) -> Json:
        self._sim.faults.clear()
        return {}

    async def _drop(self, body: Json) -> Json:
        how, app_id = body.get("how", "close"), str(body.get("app_id") or self._sim.app_id)
        if how not in ("close", "abort", "freeze"):
            raise Refused("how is close, abort or freeze")
        return {"connections": await self._sim.drop(app_id, how)}

    async def _clock(self, body: Json) -> Json:
        self._sim.advance(float(body.get("advance_s", 0)))
        return {"now_ms": self._sim.clock.now_ms()}

    async def _options(self, body: Json) -> Json:
        self._sim.options.change(body)
        return asdict(self._sim.options)

    async def _revoke(self, body: Json) -> Json:
        app_id = body.get("app_id")
        self._sim.revoke_token(str(app_id) if app_id else None)
        return {}


def _download(name: str, data: bytes) -> web.Response:
    """Give what somebody sent: a picture to look at, anything else only to keep, so that no page of theirs runs."""
    kind = next((kind for magic, kind in _PICTURES if data.startswith(magic)), "application/octet-stream")
    headers = {"X-Content-Type-Options": "nosniff"}
    if kind == "application/octet-stream":
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return web.Response(body=data, content_type=kind, headers=headers)
