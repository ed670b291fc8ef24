"""The calls that look things up: who am I, people, chats, what was written."""

from __future__ import annotations

from typing import TypeVar, cast

from channels.simulators.jsons import Json
from channels.simulators.slack.access import Access
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Gate, Handler
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.world import TEAM, TEAM_NAME, Message, World

Item = TypeVar("Item")

COMMERCIAL_MESSAGES = 15
"""What one call of a new app outside the Marketplace gives. Source: docs.slack.dev rate limits, read 2026-08."""


class Directory:
    """Answers the reading calls."""

    def __init__(self, gate: Gate, world: World, access: Access, shapes: Shapes) -> None:
        self._gate = gate
        self._world = world
        self._access = access
        self._shapes = shapes

    def methods(self) -> dict[str, Handler]:
        """Give the calls by name."""
        return {
            "api.test": lambda call: {"args": call.args},
            "auth.test": self._auth,
            "users.info": self._user,
            "bots.info": self._bot,
            "conversations.info": self._info,
            "conversations.members": self._members,
            "conversations.open": self._open,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
        }

    def _auth(self, call: Call) -> Json:
        app = call.app
        facts: Json = {"url": f"{self._shapes.base_url}/", "team": TEAM_NAME, "team_id": TEAM, "user": app.name}
        facts |= {"user_id": app.user_id, "bot_id": app.bot_id, "app_id": app.app_id}
        return {**facts, "is_enterprise_install": False}

    def _user(self, call: Call) -> Json:
        user_id = call.need("user")
        for app in self._world.apps.values():
            if app.user_id == user_id:
                return {"user": self._shapes.bot_user(app)}
        if user_id not in self._world.people:
            raise ApiError("user_not_found")
        return {"user": self._shapes.person(self._world.people[user_id])}

    def _bot(self, call: Call) -> Json:
        for app in self._world.apps.values():
            if app.bot_id == call.text("bot"):
                return {"bot": {"id": app.bot_id, "name": app.name, "app_id": app.app_id, "user_id": app.user_id}}
        raise ApiError("bot_not_found")

    def _info(self, call: Call) -> Json:
        return {"channel": self._shapes.chat(self._access.chat(call.app, call.need("channel")), call.app)}

    def _members(self, call: Call) -> Json:
        chat = self._access.chat(call.app, call.need("channel"))
        bots = [self._world.apps[app_id].user_id for app_id in chat.bots]
        page, cursor = _page([*chat.members, *bots], call, most=1000)
        return {"members": page, "response_metadata": {"next_cursor": cursor}}

    def _open(self, call: Call) -> Json:
        if call.text("channel"):
            return {"channel": {"id": self._access.member_chat(call.app, call.text("channel")).id}}
        raw = call.args.get("users")
        given = cast("list[object]", raw) if isinstance(raw, list) else call.need("users").split(",")
        users = [str(each) for each in given]
        if len(users) != 1:
            raise ApiError("invalid_arguments", "only direct chats of one person are made here")
        if users[0] not in self._world.people:
            raise ApiError("user_not_found")
        return {"channel": {"id": self._world.direct_chat(call.app.app_id, users[0]).id}}

    def _history(self, call: Call) -> Json:
        chat = self._access.member_chat(call.app, call.need("channel"))
        found = [each for each in self._world.messages.values() if each.chat_id == chat.id and _is_top(each)]
        found = [each for each in found if _is_between(each, call)]
        return self._listed(sorted(found, key=lambda each: each.ts, reverse=True), call)

    def _replies(self, call: Call) -> Json:
        chat = self._access.member_chat(call.app, call.need("channel"))
        ts = call.need("ts")
        asked = self._world.messages.get(f"{chat.id}/{ts}")
        if asked is None or asked.deleted:
            raise ApiError("thread_not_found")
        thread = sorted(self._world.thread(chat.id, asked.thread_ts or asked.ts), key=lambda each: each.ts)
        return self._listed([each for each in thread if _is_between(each, call) or each.ts == ts], call)

    def _listed(self, messages: list[Message], call: Call) -> Json:
        most = COMMERCIAL_MESSAGES if self._gate.options.commercial else 999
        page, cursor = _page(messages, call, most=most)
        with_metadata = call.flag("include_all_metadata")
        shown = [self._shapes.message(each, with_metadata=with_metadata) for each in page]
        return {"messages": shown, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


def _is_top(message: Message) -> bool:
    in_thread = message.thread_ts not in (None, message.ts) and message.subtype != "thread_broadcast"
    return not in_thread and not message.deleted and message.ephemeral_to is None


def _is_between(message: Message, call: Call) -> bool:
    oldest, latest = call.text("oldest"), call.text("latest")
    at, inclusive = float(message.ts), call.flag("inclusive")
    if oldest and not (at > (bound := _number(oldest, "invalid_ts_oldest")) or (inclusive and at == bound)):
        return False
    return not latest or at < (bound := _number(latest, "invalid_ts_latest")) or (inclusive and at == bound)


def _number(text: str, error: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ApiError(error) from None


def _page(items: list[Item], call: Call, *, most: int) -> tuple[list[Item], str]:
    limit = max(1, min(int(_number(call.text("limit") or "100", "invalid_limit")), most))
    start = int(_number(call.text("cursor") or "0", "invalid_cursor"))
    end = start + limit
    return items[start:end], str(end) if end < len(items) else ""
