"""From a pushed frame to the handler and back: what is acknowledged, with what, and when."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from channels.clock import Clock
from channels.dingtalk.address import NAME
from channels.dingtalk.frames import MESSAGES, PRESSES, Frame, render_ack
from channels.dingtalk.inbound import OverQuota, parse_message
from channels.dingtalk.presses import parse_press, render_answer
from channels.dingtalk.sessions import Sessions
from channels.dingtalk.shown import ShownCards
from channels.dingtalk.template import Template
from channels.events import InboundHandler
from channels.readable import Json, read_object

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Desk:
    """What is remembered of an account. `on_quota` is told the platform's words, or none when messages come again."""

    account: str
    template: Template
    sessions: Sessions
    shown: ShownCards
    on_quota: Callable[[str], None]


class Dispatcher:
    """Answers pushed frames. Calls may overlap; an acknowledgement leaves only after the handler returned."""

    def __init__(self, desk: Desk, clock: Clock, handler: InboundHandler) -> None:
        self._account = desk.account
        self._template = desk.template
        self._sessions = desk.sessions
        self._shown = desk.shown
        self._desk = desk
        self._clock = clock
        self._handler = handler

    async def answer(self, frame: Frame) -> str | None:
        """Handle one frame and give its acknowledgement.

        `None` when the handler raised: what is not acknowledged is pushed again after about a minute, and what is
        refused is not. What nobody can read is acknowledged: a repeat would not mend it.
        """
        if frame.kind == "EVENT":
            return render_ack(frame, {"status": "SUCCESS", "message": ""})
        if frame.topic not in (MESSAGES, PRESSES):
            return render_ack(frame, {}, code=404)
        try:
            return render_ack(frame, await self._handle(frame))
        except _Unreadable as error:
            _log.warning("dingtalk_push_malformed", extra={"reason": str(error), "topic": frame.topic})
            return render_ack(frame, {"response": None})
        except Exception:
            _log.exception("dingtalk_push_not_stored", extra={"channel": NAME, "account": self._account})
            return None

    async def _handle(self, frame: Frame) -> Json:
        return await (self._message(frame) if frame.topic == MESSAGES else self._press(frame))

    async def _message(self, frame: Frame) -> Json:
        try:
            heard = parse_message(self._account, read_object(frame.data), self._clock.now_ms())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _Unreadable(f"{type(error).__name__} {error}") from error
        if isinstance(heard, OverQuota):
            self._desk.on_quota(heard.words)
            return {"response": None}
        self._desk.on_quota("")
        self._sessions.note(heard.session)
        if heard.quote is not None:
            self._sessions.note_quote(heard.quote.message_id, [heard.quote])
        await self._handler(heard.message)
        return {"response": None}

    async def _press(self, frame: Frame) -> Json:
        try:
            body = read_object(frame.data)
            action = parse_press(self._account, self._template, self._shown, body, self._clock.now_ms())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _Unreadable(f"{type(error).__name__} {error}") from error
        return render_answer(self._template, self._shown, action, await self._handler(action))


class _Unreadable(ValueError):
    """The push is none that we can read."""
