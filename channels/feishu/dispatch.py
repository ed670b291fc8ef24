"""From a data frame to the handler and back: what is acked, with what, and when."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, cast

from channels.clock import Clock
from channels.errors import NotConnected
from channels.events import CardAction, InboundHandler, Toast
from channels.feishu.frames import Frame, MalformedFrame, render_answer
from channels.feishu.inbound import parse_event
from channels.feishu.mentions import BotIdentity
from channels.feishu.parts import PartJoiner
from channels.feishu.recalls import Recalls
from channels.readable import Json, read_json

RECALLED = "im.message.recalled_v1"
_log = logging.getLogger(__name__)

_IDENTITY_WAIT_S = 2.0
"""How long a group message may wait for our own id; below the 3 s after which the platform delivers again."""
_IDENTITY_PAUSE_S = 0.02


class Dispatcher:
    """Answers data frames. Calls may overlap; an ack leaves only after the handler returned."""

    def __init__(self, identity: BotIdentity, recalls: Recalls, clock: Clock, handler: InboundHandler) -> None:
        self._identity = identity
        self._recalls = recalls
        self._clock = clock
        self._handler = handler
        self._joiner = PartJoiner(clock)

    async def answer(self, frame: Frame) -> bytes | None:
        """Handle one frame and give its acknowledgement; `None` while parts are missing.

        200: stored (or nothing for us, or unreadable, which a repeat would not mend). 500: the handler raised, so the
        platform delivers again.
        """
        began_ms = self._clock.now_ms()
        code, data = 200, None
        try:
            payload = self._joiner.add(frame)
            if payload is None:
                return None
            data = await self._handle(_read(payload))
        except (MalformedFrame, _Unreadable) as error:
            _log.warning("feishu_event_malformed", extra={"reason": str(error)})
        except Exception:
            _log.exception("feishu_event_not_stored", extra={"frame": frame.headers.get("message_id", "")})
            code = 500
        return render_answer(frame, code=code, data=data, took_ms=self._clock.now_ms() - began_ms)

    async def _handle(self, event: Json) -> Json | None:
        """Give the handler what is for it; the result is what the platform shows to a person who pressed."""
        try:
            needs_identity = not self._identity.open_id and _needs_identity(event)
        except (TypeError, AttributeError) as error:
            raise _Unreadable(f"{_kind(event)}: {type(error).__name__}") from error
        if needs_identity:
            await self._wait_for_identity()
        try:
            if _kind(event) == RECALLED:
                self._recalls.note(str(event["event"]["message_id"]))
            inbound = parse_event(event, self._identity)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _Unreadable(f"{_kind(event)}: {type(error).__name__}") from error
        if inbound is None:
            _log.debug("feishu_event_ignored", extra={"event_type": _kind(event)})
            return None
        toast = await self._handler(inbound)
        return render_toast(toast) if isinstance(inbound, CardAction) else None

    async def _wait_for_identity(self) -> None:
        """Right after a start the own id is a moment away; a mention must not be taken for somebody else's.

        Raises:
            NotConnected: the platform has not told it in time; not acked, the message is delivered again.
        """
        deadline_s = self._clock.steady_s() + _IDENTITY_WAIT_S
        while not self._identity.open_id:
            if self._clock.steady_s() >= deadline_s:
                raise NotConnected("our own id is not known yet", code="identity_unknown")
            await self._clock.sleep(_IDENTITY_PAUSE_S)


class _Unreadable(ValueError):
    """The payload is no event that we can read."""


def render_toast(toast: Toast | None) -> Json:
    """Give the answer to a press. Never a card: some clients refuse one here; CardKit writes follow instead."""
    return {"toast": {"type": toast.tone, "content": toast.text}} if toast is not None else {}


def _read(payload: bytes) -> Json:
    try:
        value = read_json(payload)
    except ValueError as error:
        raise _Unreadable("no JSON") from error
    if not isinstance(value, dict):
        raise _Unreadable("no JSON object")
    return cast("Json", value)


def _needs_identity(event: Mapping[str, Any]) -> bool:
    """Tell whether the event is a message that may mention us."""
    if _kind(event) != "im.message.receive_v1":
        return False
    body = cast("Json", event.get("event") or {})
    message = cast("Json", body.get("message") or {})
    return message.get("chat_type") != "p2p" and bool(message.get("mentions"))


def _kind(event: Mapping[str, Any]) -> str:
    header: object = event.get("header")
    return str(cast("Json", header).get("event_type", "")) if isinstance(header, dict) else ""
