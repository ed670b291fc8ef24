"""What the platform's numbers mean to us. The numbers stay numbers here; outside only types are seen.

Source: open.feishu.cn "通用错误码", "频控策略", the im-v1 and cardkit-v1 pages, read 2026-02.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from channels.errors import (
    AuthFailed,
    Busy,
    ChannelError,
    DeliveryUnknown,
    InvalidCard,
    MissingScope,
    NotConnected,
    RateLimited,
    Rejected,
    StreamEnd,
    StreamEnded,
    TooLong,
    TooManyUpdates,
)

TOKEN_REFUSED = frozenset({99991661, 99991663, 99991671})
"""The tenant token is missing, expired or not one: ask for a new one and repeat."""

APP_RATE = 99991400
QUOTA_USED_UP = 99991403
_LONGEST_WAIT_S = 300.0
CHAT_RATE = 230020
BEING_CLICKED = 200810
_CLICK_S = 0.3
"""A press is acked as soon as it is stored; the platform waits for that at most 3 s."""
SEQUENCE_TOO_LOW = 300317
MESSAGE_BEING_SENT = 230049
CARD_REFUSED = 230099

STREAM_ENDED: Mapping[int, StreamEnd] = {
    300309: "closed",  # streaming mode is off
    200850: "lifetime",  # streaming ran for ten minutes
    200510: "lifetime",
    230031: "lifetime",  # the message is older than 14 days
    200750: "lifetime",  # the card is older than 14 days
    230011: "gone",  # recalled
    230110: "gone",  # deleted
    200740: "gone",  # no such card
    232009: "gone",  # the chat was dissolved
    230002: "gone",  # the bot was put out of the chat
}
ANCHOR_REFUSED = frozenset({230001, 230011, 230019, 230071, 230110})
"""A reply is refused for what it answers: no such message, recalled, no such topic, no topics here, deleted."""
STREAMING_CLOSED = frozenset({300309, 200850, 200510})
"""The card still takes writes that need no streaming mode."""
CHAT_GONE = frozenset({232009, 230002})
"""Nothing can be shown in this conversation any more."""

_TOO_LONG = frozenset({200860, 230025, 234006, 300305})
_AUTH = frozenset({10003, 10014, 10015, 99991401, 99991543, 99991664})
_SCOPE = frozenset({99991672, 99991679, 230027})
_SCOPE_NAME = re.compile(r"\b(?:im|cardkit|contact|bot)(?::[\w.]+)+\b")
_INVALID_CARD = frozenset({200220, 200380, 200381, 300121, 300301, 300302, 300303, 300307, 300310, 300312})
_CARD_PARTS = frozenset({300313, 300314, 300315})
"""An element is not where we thought: the card must be written as a whole again."""
_SUB_CODE = re.compile(r"ErrCode:\s*(\d+)")

ADVICE: Mapping[int, str] = {
    10003: "app_unknown",
    10014: "secret_refused",
    10015: "secret_refused",
    99991543: "secret_refused",
    99991661: "token_refused",
    99991663: "token_refused",
    99991664: "token_refused",
    99991671: "token_refused",
    99991401: "address_not_allowed",
    99991403: "quota_used_up",
    1000040350: "too_many_connections",
}
"""What to do about a number where its type alone does not tell; see `ChannelError.advice`."""
_CLICKED_SUB_TEXT = "card action is lock"


def error_of(code: int, message: str, *, status: int, headers: Mapping[str, str], call: str) -> ChannelError:
    """Give the error for a refusal. `call` names the request for people; `message` is the platform's own text."""
    return _advised(_error_of(code, message, status, headers, f"{call}: {code} {message[:200]}"), code)


def _advised(error: ChannelError, code: int) -> ChannelError:
    error.advice = ADVICE.get(code, error.advice)
    return error


def _error_of(code: int, message: str, status: int, headers: Mapping[str, str], text: str) -> ChannelError:
    name = str(code)
    if code == APP_RATE or status == 429:
        return RateLimited(text, retry_after_s=_reset_s(headers), scope="app", code=name)
    if code == QUOTA_USED_UP:
        # It works again next month, or when somebody pays: nothing is given up, and nothing is asked in a rush.
        return RateLimited(text, retry_after_s=_LONGEST_WAIT_S, scope="app", code=name)
    if code == CHAT_RATE:
        return RateLimited(text, retry_after_s=_reset_s(headers, otherwise=0.5), scope="chat", code=name)
    if code == BEING_CLICKED or (code == CARD_REFUSED and _CLICKED_SUB_TEXT in message):
        return Busy(text, retry_after_s=_CLICK_S, code=name)
    if code in STREAM_ENDED:
        return StreamEnded(text, reason=STREAM_ENDED[code], code=name)
    if status >= 500 or code in (300120, SEQUENCE_TOO_LOW):
        return DeliveryUnknown(text, code=name)
    return _lasting(code, message, text)


def _lasting(code: int, message: str, text: str) -> ChannelError:
    """Give the error for a refusal that a repeat would meet again."""
    name = str(code)
    if code in TOKEN_REFUSED or code in _AUTH:
        return AuthFailed(text, code=name, hint="check app_id and app_secret, and that the app is published")
    if code in _SCOPE:
        found = tuple(dict.fromkeys(_SCOPE_NAME.findall(message)))
        scope = found[0] if found else ""
        return MissingScope(text, scope=scope, any_of=found, code=name, hint="grant it in the app's console")
    if code in _TOO_LONG:
        return TooLong(text, code=name)
    if code == 230072:
        return TooManyUpdates(text, code=name)
    if code == CARD_REFUSED:
        found = _SUB_CODE.search(message)
        return InvalidCard(text, code=f"{code}-{found.group(1)}" if found else name)
    if code in _INVALID_CARD or code in _CARD_PARTS:
        return InvalidCard(text, code=name)
    return Rejected(text, code=name)


def is_anchor_gone(error: ChannelError) -> bool:
    """Tell whether a reply was refused for the message it answers: a plain message may still be taken."""
    return error.code.isdigit() and int(error.code) in ANCHOR_REFUSED


def connect_error(code: int, message: str) -> ChannelError:
    """Give the error for a refused long connection (discovery or handshake).

    Source: lark-oapi 1.7.5 `ws/client.py`, `ws/const.py`, read 2026-11-30.
    """
    text = f"long connection refused: {code} {message[:200]}"
    if code in (1, 1000040343, 1000040345) or 500 <= code < 514 or code == 429:
        return _advised_as("platform_busy", NotConnected(text, code="platform_busy"))
    if code == 1000040350:
        hint = "at most 50 connections an app: stop old processes"
        return _advised(NotConnected(text, code="too_many_connections", hint=hint), code)
    hint = "check app_id and app_secret, and that long connections are chosen"
    return _advised(_advised_as("connection_refused", AuthFailed(text, code=str(code), hint=hint)), code)


def _advised_as(advice: str, error: ChannelError) -> ChannelError:
    error.advice = advice
    return error


def _reset_s(headers: Mapping[str, str], otherwise: float = 1.0) -> float:
    """Give the seconds the platform asks us to wait."""
    for name in ("x-ogw-ratelimit-reset", "retry-after"):
        try:
            return min(_LONGEST_WAIT_S, max(0.1, float(headers[name])))
        except (KeyError, ValueError):
            continue
    return otherwise
