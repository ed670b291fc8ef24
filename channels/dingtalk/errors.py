"""What the platform's refusals mean to us. Its codes stay text here; outside only types are seen.

Source: open.dingtalk.com "how-to-process-api-throttling", "create-and-deliver-cards", "robot-message-type", snapshot of
2026-08-22, read 2026-11-30; codes the pages do not list as users reported them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from channels.capabilities import month_end_ms
from channels.errors import (
    AuthFailed,
    ChannelError,
    DeliveryUnknown,
    InvalidCard,
    MissingScope,
    NotConnected,
    QuotaUsedUp,
    RateLimited,
    Rejected,
    StreamEnded,
    TooLong,
)

TOKEN_REFUSED = frozenset({"invalidauthentication", "invalidaccesstoken", "40014", "42001"})
"""HTTP 400 or 401, reports differ, or a number of the old host: ask for a new token and repeat."""
CARD_EXISTS = "param.cardAlreadyExist"
"""A card with this outTrackId was created before; what it shows stays."""
NOT_DELIVERED = "not_delivered"
"""Ours, for a card that was created and put nowhere: the call succeeds all the same."""
NO_SUCH_USER = "param.userIdNotExist"
BLOCKED = "blocked"
"""Ours, for an answer that is no JSON: the gateway in front bars the address for five minutes."""

_RETRY_S = 1.0
_BLOCKED_S = 300.0
_TOO_FAST_S = 2.0

_AUTH = frozenset({"invalidclientidorsecret", "authfailed", "invalidclientid", "invalidclientsecret"})
_GONE = frozenset({"param.stream.outtrackid", "param.cardnotexist"})
_TOO_LONG = frozenset({"param.stream.content", "invalidparameter.msgparam.toolong", "460101"})
_TEMPLATE = frozenset({"param.templatenotexist", "param.templateunpublished", "param.cardtemplateidempty"})
_INVALID_CARD = frozenset({"param.contentunsafe", "param.cardpublicdataempty"})
_BUSY = frozenset({"system.busy", "serviceunavailable", "-1"})
"""It says that it did nothing."""
_WEBHOOK_FAST = "130101"
_OLD_HOST_FAST = frozenset(str(number) for number in range(90001, 90019))
"""Source: open.dingtalk.com "server API error codes", the numbers for too many calls, read 2026-12-01."""
_ROBOT_GONE = frozenset({"robot.oto.notexist", "bot.stopped"})
_STREAM_UNKNOWN = "unknownError"

ADVICE: Mapping[str, str] = {
    "invalidclientidorsecret": "client_secret_refused",
    "authfailed": "client_secret_refused",
    "systemerror": "stream_not_set_up",
    "param.templatenotexist": "template_missing",
    "param.cardtemplateidempty": "template_missing",
    "param.templateunpublished": "template_unpublished",
    "unknownerror": "template_variable",
    "bot.stopped": "robot_stopped",
    "robot.oto.notexist": "robot_stopped",
}
"""What to do about a code where its type alone does not tell; see `ChannelError.advice`."""


def error_of(code: str, message: str, *, status: int, body: Mapping[str, Any], call: str, now_ms: int) -> ChannelError:
    """Give the error for a refusal. `call` names the request for people; `message` is the platform's own text."""
    error = _error_of(code, f"{call}: {code} {message[:200]}", status, body, now_ms)
    error.advice = ADVICE.get(code.lower(), error.advice)
    return error


def _error_of(code: str, text: str, status: int, body: Mapping[str, Any], now_ms: int) -> ChannelError:
    """Throttling comes first: its codes hold "Forbidden" and "AccessDenied" as those of rights do."""
    low = code.lower()
    if "apicountlimit" in low:
        return QuotaUsedUp(text, until_ms=month_end_ms(now_ms), code=code)
    if "qpslimit" in low or "qpmlimit" in low or status == 429 or low in _OLD_HOST_FAST:
        return RateLimited(text, retry_after_s=_RETRY_S, scope="app", code=code)
    if low == BLOCKED:
        return RateLimited(text, retry_after_s=_BLOCKED_S, scope="app", code=code)
    if low in ("send.too.fast", _WEBHOOK_FAST):
        return RateLimited(text, retry_after_s=_TOO_FAST_S, scope="chat", code=code)
    if low in TOKEN_REFUSED or low in _AUTH:
        return AuthFailed(text, code=code, hint="check client_id and client_secret, also for a blank at their end")
    if "permissiondenied" in low:
        scopes = _scopes(body)
        return MissingScope(text, scope=scopes[0] if scopes else "", any_of=scopes[:1], code=code)
    return _lasting(code, text, status)


def _lasting(code: str, text: str, status: int) -> ChannelError:
    """Give the error for a refusal that a repeat would meet again, or for a stumble of the platform."""
    low = code.lower()
    if low in _GONE:
        return StreamEnded(text, reason="gone", code=code)
    if low in _TOO_LONG:
        return TooLong(text, code=code)
    if low in _TEMPLATE or low in _INVALID_CARD:
        return InvalidCard(text, code=code)
    if code == _STREAM_UNKNOWN and "streaming" in text:
        return StreamEnded(text, reason="closed", code=code)
    if low in _BUSY:
        return RateLimited(text, retry_after_s=_RETRY_S, scope="chat", code=code)
    if status >= 500:
        return DeliveryUnknown(text, code=code)
    return Rejected(text, code=code)


def webhook_error(code: int, message: str) -> ChannelError:
    """Give the error for a refused message to a session's own address: HTTP 200 with a number."""
    return error_of(str(code), message, status=200, body={}, call="sessionWebhook", now_ms=0)


def connect_error(code: str, message: str, status: int) -> ChannelError:
    """Give the error for a refused long connection.

    Source: developerpedia "stream/protocol", read 2026-11-30; users met 401 `authFailed`, 400 `systemError`, 503.
    """
    text = f"long connection refused: {code} {message[:200]}"
    low = code.lower()
    if low in _AUTH or status in (401, 403):
        error: ChannelError = AuthFailed(text, code=code, hint="check client_id and client_secret")
        error.advice = ADVICE.get(low, "client_secret_refused")
    else:
        error = NotConnected(text, code=code)
        error.advice = ADVICE.get(low, error.advice)
    return error


def _scopes(body: Mapping[str, Any]) -> tuple[str, ...]:
    detail = body.get("accessdenieddetail") or body.get("accessDeniedDetail")
    found: object = cast("Mapping[str, object]", detail).get("requiredScopes") if isinstance(detail, dict) else None
    return tuple(str(each) for each in cast("Sequence[object]", found)) if isinstance(found, list) else ()
