"""From an envelope to the handler and back: what is acked, with what, and when.

Bolt finds the listener and drops our own doings; it answers only after the listener returned, so that an event is
acked when it is stored. Whatever Bolt has no listener for is acked too: it would come four times for nothing.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar, cast

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from channels.events import CardAction, ConversationRef, Inbound, InboundHandler, Toast
from channels.in_flight import InFlight
from channels.readable import Json
from channels.slack.envelope import Reading
from channels.slack.escape import mrkdwn
from channels.slack.identity import BotIdentity
from channels.slack.inbound import parse_command, parse_event, parse_press
from channels.slack.socket import Ack

T = TypeVar("T")
_ALL = re.compile(r".*", re.DOTALL)
_ENVELOPE = "niuma_envelope_id"
_NOT_STORED = "niuma_not_stored"
"""Only what the handler refused comes again: Bolt stumbles over what it cannot read each time anew."""
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError)
_log = logging.getLogger(__name__)

Tell = Callable[[CardAction, Toast, Json], Awaitable[None]]
"""Shows a toast to the person who pressed; the last is the press as the platform told it."""
Keep = Callable[[ConversationRef, str], None]
"""Notes the address that came with a slash command."""


class Dispatcher:
    """Answers envelopes. Calls may overlap; an ack is due only after the handler returned."""

    def __init__(self, token: str, reading: Reading, handler: InboundHandler, tell: Tell, keep: Keep) -> None:
        self._reading = reading
        self._handler = handler
        self._tell = tell
        self._keep = keep
        self._telling = InFlight("slack")
        self._app = _app(token, reading.me)
        listens = cast("Any", self._app)
        listens.event(_ALL)(self._event)
        listens.command(_ALL)(self._command)
        listens.action(_ALL)(self._press)

    async def stop(self) -> None:
        """Say nothing more."""
        await self._telling.end(0)

    async def answer(self, envelope_id: str, payload: Json, takes_payload: bool) -> Ack:
        """Handle one envelope."""
        try:
            request = AsyncBoltRequest(mode="socket_mode", body=payload, context={_ENVELOPE: envelope_id})
            response = await self._app.async_dispatch(request)
        except _MALFORMED as error:
            _malformed("envelope", error)
            return Ack(True)
        if cast("Json", request.context).get(_NOT_STORED):
            return Ack(False)
        if response.status != 200:
            _log.info("slack_envelope_unknown", extra={"envelope_type": str(payload.get("type", ""))})
            return Ack(True)
        return Ack(True, _payload(response) if takes_payload else None)

    # Listeners. They return what Bolt answers; what the handler raises is not acked.

    async def _event(self, body: Json, context: Json) -> BoltResponse:
        inbound = self._read("event", lambda: parse_event(body, self._reading))
        if inbound is not None:
            await self._give(inbound, context)
        return BoltResponse(status=200)

    async def _command(self, body: Json, context: Json) -> BoltResponse:
        inbound = self._read("command", lambda: parse_command(body, str(context[_ENVELOPE]), self._reading))
        if inbound is None:
            return BoltResponse(status=200)
        self._keep(inbound.conversation, str(body.get("response_url") or ""))
        toast = await self._give(inbound, context)
        if toast is None:
            return BoltResponse(status=200)
        return BoltResponse(status=200, body={"response_type": "ephemeral", "text": mrkdwn(toast.text)})

    async def _press(self, body: Json, context: Json) -> BoltResponse:
        inbound = self._read("press", lambda: parse_press(body, str(context[_ENVELOPE]), self._reading))
        if inbound is not None and (toast := await self._give(inbound, context)) is not None:
            self._soon(self._tell(inbound, toast, body))
        return BoltResponse(status=200)

    def _read(self, what: str, parse: Callable[[], T | None]) -> T | None:
        """Read; what cannot be read would not be mended by a repeat, so it is acked."""
        try:
            return parse()
        except _MALFORMED as error:
            _malformed(what, error)
            return None

    async def _give(self, inbound: Inbound, context: Json) -> Toast | None:
        try:
            return await self._handler(inbound)
        except Exception:
            context[_NOT_STORED] = True
            _log.exception("slack_event_not_stored", extra={"key": inbound.dedupe.key})
            raise

    def _soon(self, work: Awaitable[None]) -> None:
        self._telling.begin(cast("Coroutine[Any, Any, None]", work))


def _malformed(what: str, error: Exception) -> None:
    _log.warning("slack_payload_malformed", extra={"kind": what, "reason": f"{type(error).__name__}: {error}"})


def _app(token: str, me: BotIdentity) -> AsyncApp:
    """Build the app. It knows who we are from one answer of `auth.test`, and calls nobody by itself."""

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=None,
            team_id=me.team_id,
            bot_id=me.bot_id,
            bot_user_id=me.user_id,
            bot_token=token,
        )

    return AsyncApp(
        name="channels.slack.bolt",  # also a logger, whose level it freezes: no one else's
        client=AsyncWebClient(),
        authorize=authorize,
        process_before_response=True,
        request_verification_enabled=False,
    )


def _payload(response: BoltResponse) -> Json | None:
    told: object = json.loads(response.body) if response.body else None
    return cast("Json", told) if isinstance(told, dict) else None
