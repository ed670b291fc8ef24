"""What a person who pressed is told, and nobody else sees.

Source: docs.slack.dev chat.postEphemeral; response_url answers where we are no member; read 2026-08.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import cast

from channels.errors import ChannelError, RateLimited
from channels.events import CardAction, Toast
from channels.pacing import Pacer
from channels.readable import Json
from channels.slack.client import Client
from channels.slack.escape import mrkdwn
from channels.slack.identity import ts_of
from channels.slack.responses import Responses

POST_EPHEMERAL = "chat.postEphemeral"
_MARKS: Mapping[str, str] = {"info": "", "success": "✅ ", "warning": "⚠️ ", "error": "❌ "}
_log = logging.getLogger(__name__)


class Toasts:
    """Tells one account's people what came of a press. A refusal is logged: the card tells too, a moment later."""

    def __init__(self, client: Client, pacer: Pacer, responses: Responses) -> None:
        self._client = client
        self._pacer = pacer
        self._responses = responses

    async def tell(self, action: CardAction, toast: Toast, press: Json) -> None:
        """Show `toast` beside the card; by the press's own address where the platform refuses that."""
        container, message = cast("Json", press.get("container") or {}), cast("Json", press.get("message") or {})
        thread = container.get("thread_ts") or message.get("thread_ts")
        body: Json = {"channel": action.conversation.chat, "user": action.sender.id, "thread_ts": thread}
        body["text"] = _MARKS[toast.tone] + mrkdwn(toast.text)
        try:
            await self._pacer.acquire(POST_EPHEMERAL)
            await self._client.call(POST_EPHEMERAL, body)
            return
        except RateLimited as error:
            self._pacer.refused(POST_EPHEMERAL, error)
        except ChannelError as error:
            _log.info("slack_toast_refused", extra={"code": error.code, "ts": ts_of(action.message_id)})
        if press.get("response_url"):
            await self._by_address(str(press["response_url"]), body)

    async def _by_address(self, url: str, body: Json) -> None:
        answer: Json = {"response_type": "ephemeral", "replace_original": False, "text": body["text"]}
        if body["thread_ts"]:
            answer["thread_ts"] = body["thread_ts"]
        try:
            await self._responses.send(url, answer)
        except ChannelError as error:
            _log.info("slack_toast_lost", extra={"code": error.code})
