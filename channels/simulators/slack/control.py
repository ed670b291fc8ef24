"""The control API: what the page and out-of-process tests call."""

from __future__ import annotations

import base64
from dataclasses import asdict
from typing import TYPE_CHECKING, cast, get_args

from aiohttp import web

from channels.simulators.faults import parse_rules
from channels.simulators.jsons import Json, as_object
from channels.simulators.orders import Order, page_routes, taking_json, telling
from channels.simulators.slack.errors import Refused
from channels.simulators.slack.sockets import DropHow, Reason

if TYPE_CHECKING:
    from channels.simulators.slack.simulator import SlackSimulator

PACKAGE = "channels.simulators.slack"


class Control:
    """Answers `/` and `/_sim`; every method of the simulator under the same name."""

    def __init__(self, simulator: SlackSimulator) -> None:
        self._sim = simulator

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        interactions = self._sim.interactions
        orders: dict[str, Order] = {
            "send": self._send,
            "edit": self._edit,
            "delete": self._delete,
            "react": self._react,
            "upload": self._upload,
            "click": interactions.click,
            "command": interactions.command,
            "shortcut": interactions.shortcut,
            "submit": interactions.submit,
            "stop": self._stop,
            "open_home": self._open_home,
            "join": self._join,
            "chats": self._chat,
            "redeliver": self._redeliver,
            "event": self._event,
            "uninstall": self._uninstall,
            "revoke_token": self._revoke,
            "faults": self._faults,
            "drop": self._drop,
            "half_open": lambda body: self._drop({**body, "how": "freeze"}),
            "disconnect": self._disconnect,
            "advance": self._advance,
            "options": self._options,
        }
        return [
            *page_routes(PACKAGE),
            web.get("/_sim/state", self._state),
            web.get("/_sim/events", telling(self._sim.feed)),
            web.get("/_sim/timeline", self._timeline),
            web.get("/_sim/history", self._history),
            web.get("/_sim/files", self._file),
            web.delete("/_sim/faults", taking_json(self._clear_faults)),
            *(web.post(f"/_sim/{name}", taking_json(order)) for name, order in orders.items()),
        ]

    async def _state(self, request: web.Request) -> web.Response:
        return web.json_response(self._sim.state(request.query.get("as")))

    async def _timeline(self, request: web.Request) -> web.Response:
        return web.json_response(self._sim.timeline.as_json(int(request.query.get("since", "0"))))

    async def _history(self, request: web.Request) -> web.Response:
        message_id = request.query.get("message", "")
        if message_id not in self._sim.world.messages:
            raise web.HTTPNotFound
        return web.json_response(self._sim.history(message_id))

    async def _file(self, request: web.Request) -> web.Response:
        """Show a file to the page: the platform's client signs its people in, the page has no token."""
        file_id = request.query.get("id", "")
        if file_id not in self._sim.world.contents:
            raise web.HTTPNotFound
        body, kind = self._sim.world.contents[file_id], self._sim.world.files[file_id].mimetype
        return web.Response(body=body, content_type=kind, headers={"Content-Security-Policy": "sandbox"})

    async def _send(self, body: Json) -> Json:
        return asdict(self._sim.people.write(body))

    async def _edit(self, body: Json) -> Json:
        return {"event_ids": self._sim.people.edit(str(body.get("message_id")), str(body.get("text", "")))}

    async def _delete(self, body: Json) -> Json:
        self._sim.people.delete(str(body.get("message_id")))
        return {}

    async def _react(self, body: Json) -> Json:
        removed = body.get("removed") is True
        message_id, user_id = str(body.get("message_id")), str(body.get("as"))
        self._sim.people.react(message_id, user_id, str(body.get("name")), removed=removed)
        return {}

    async def _upload(self, body: Json) -> Json:
        data = base64.b64decode(str(body.get("base64", "")), validate=True)
        return asdict(self._sim.people.upload(body, str(body.get("name", "file")), data))

    async def _stop(self, body: Json) -> Json:
        return self._sim.interactions.stop(body)

    async def _open_home(self, body: Json) -> Json:
        return {"event_ids": self._sim.open_home(str(body.get("as")), app_id=_app_id(body))}

    async def _join(self, body: Json) -> Json:
        self._sim.people.join(str(body.get("chat_id")), str(body.get("as")))
        return {}

    async def _chat(self, body: Json) -> Json:
        members = [str(each) for each in cast("list[object]", body.get("members") or [])]
        kind, announce = body.get("type", "channel"), body.get("announce") is True
        return {"chat_id": self._sim.add_chat(str(body.get("name", "")), members, type=kind, announce=announce)}

    async def _redeliver(self, body: Json) -> Json:
        return {"event_ids": self._sim.people.redeliver(str(body.get("message_id")))}

    async def _event(self, body: Json) -> Json:
        return {"event_id": self._sim.push_event(as_object(body.get("event")) or {}, app_id=_app_id(body))}

    async def _uninstall(self, body: Json) -> Json:
        self._sim.uninstall(_app_id(body))
        return {}

    async def _revoke(self, body: Json) -> Json:
        self._sim.revoke_token(_app_id(body))
        return {}

    async def _faults(self, body: Json) -> Json:
        self._sim.faults.add(*parse_rules(body))
        return {}

    async def _clear_faults(self, body: Json) -> Json:
        self._sim.faults.clear()
        return {}

    async def _drop(self, body: Json) -> Json:
        how = cast("DropHow", body.get("how", "close"))
        if how not in get_args(DropHow):
            raise Refused(f"how is one of {', '.join(get_args(DropHow))}")
        return {"connections": await self._sim.drop(_app_id(body), how)}

    async def _disconnect(self, body: Json) -> Json:
        reason = cast("Reason", body.get("reason", "warning"))
        if reason not in get_args(Reason):
            raise Refused(f"reason is one of {', '.join(get_args(Reason))}")
        return {"connections": await self._sim.disconnect(reason, _app_id(body))}

    async def _advance(self, body: Json) -> Json:
        self._sim.advance(float(body.get("seconds", 0)))
        return {"now_ms": self._sim.clock.now_ms()}

    async def _options(self, body: Json) -> Json:
        self._sim.options.change(body)
        return asdict(self._sim.options)


def _app_id(body: Json) -> str | None:
    return str(body["app_id"]) if body.get("app_id") else None
