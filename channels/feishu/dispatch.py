"""From a data frame to the handler and back: what is acked, with what, and when."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, cast

from channels.clock import Clock
from channels.events import CardAction, InboundHandler, Toast
from channels.feishu.frames import Frame, MalformedFrame, render_answer
from channels.feishu.inbound import parse_event
from channels.feishu.mentions import BotIdentity
from channels.feishu.parts import PartJoiner
from channels.feishu.recalls import Recalls

Json = dict[str, Any]
RECALLED = "im.message.recalled_v1"
_log = logging.getLogger(__name__)


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


class _Unreadable(ValueError):
    """The payload is no event that we can read."""


def render_toast(toast: Toast | None) -> Json:
    """Give the answer to a press. Never a card: some clients refuse one here; CardKit writes follow instead."""
    return {"toast": {"type": toast.tone, "content": toast.text}} if toast is not None else {}


def _read(payload: bytes) -> Json:
    try:
        value: object = json.loads(payload)
    except ValueError as error:
        raise _Unreadable("no JSON") from error
    if not isinstance(value, dict):
        raise _Unreadable("no JSON object")
    return cast("Json", value)


def _kind(event: Mapping[str, Any]) -> str:
    header: object = event.get("header")
    return str(cast("Json", header).get("event_type", "")) if isinstance(header, dict) else ""
