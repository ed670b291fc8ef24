"""The address that comes with each message and takes answers for 90 minutes, without a token.

Source: open.dingtalk.com "Robot reply to messages" and its samples, read 2026-08.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from aiohttp import web

from channels.simulators.dingtalk.errors import OapiError
from channels.simulators.dingtalk.gate import SPEAKER, Gate
from channels.simulators.dingtalk.messages import BadContent, Messages, from_webhook
from channels.simulators.dingtalk.world import App, Chat, Message, World
from channels.simulators.jsons import Json, as_object

PATH = "/robot/sendBySession"


@dataclass
class Session:
    """One webhook; it belongs to a chat and cannot be renewed."""

    app: App
    chat: Chat
    ends_ms: int


class Webhooks:
    """Gives webhooks and takes what is sent to them."""

    def __init__(self, gate: Gate, world: World, messages: Messages, base_url: Callable[[], str]) -> None:
        self._gate = gate
        self._world = world
        self._messages = messages
        self._base_url = base_url
        self._sessions: dict[str, Session] = {}

    def routes(self) -> list[web.RouteDef]:
        """Give the route."""
        return [web.post(PATH, self._gate.open(self._send))]

    def make(self, app: App, chat: Chat, message: Message) -> Json:
        """Give the webhook of a message: its address and the millisecond of its end."""
        ends_ms = message.create_time_ms + self._gate.options.webhook_life_s * 1000
        token = uuid.uuid4().hex
        self._sessions[token] = Session(app, chat, ends_ms)
        return {"sessionWebhook": f"{self._base_url()}{PATH}?session={token}", "sessionWebhookExpiredTime": ends_ms}

    async def _send(self, request: web.Request, body: Json) -> Json:
        session = self._sessions.get(request.query.get("session", ""))
        if session is None or session.ends_ms <= self._gate.clock.now_ms():
            raise OapiError(300001)
        request[SPEAKER] = session.app.app_id
        if len(await request.read()) > self._gate.options.webhook_bytes:
            raise OapiError(460101)
        self._pace(session)
        try:
            made = from_webhook(body)
        except BadContent as error:
            raise OapiError(40035, f"不合法的参数: {error}") from error
        if made is not None:
            message = self._messages.put(session.app, session.chat, made)
            message.at_users = self._mentioned(session.chat, body, message)
        return {"errcode": 0, "errmsg": "ok"}

    def _pace(self, session: Session) -> None:
        most = self._gate.options.webhook_per_minute
        key = ("webhook", session.app.app_id, session.chat.chat_id)
        if most is not None and self._gate.limits.take(key, (most, 60)):
            raise OapiError(130101)

    def _mentioned(self, chat: Chat, body: Json, message: Message) -> list[str]:
        """Give who is really mentioned: in markdown the text itself must hold `@` and the id too."""
        at = as_object(body.get("at")) or {}
        ids = [str(each) for each in cast("list[object]", at.get("atUserIds") or [])]
        if at.get("isAtAll") is True:
            return list(chat.members)
        written = str(message.content.get("markdown", ""))
        return [each for each in ids if each in chat.members and (message.msg_type == "text" or f"@{each}" in written)]
