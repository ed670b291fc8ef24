"""What the platform's words for refusals mean to us. Outside only types are seen; the word stays in `code`.

Source: docs.slack.dev, error tables of chat.*, conversations.*, files.*, auth.test and apps.connections.open, read
2026-08.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from channels.errors import (
    AuthFailed,
    ChannelError,
    DeliveryUnknown,
    InvalidCard,
    MissingScope,
    RateLimited,
    Rejected,
    StreamEnd,
    StreamEnded,
    TooLong,
)

NOT_STREAMING = "message_not_in_streaming_state"
STOPPED_BY_USER = "stopped_by_user"
STILL_STREAMING = "streaming_state_conflict"
STREAMING_CLOSED = frozenset({NOT_STREAMING, STOPPED_BY_USER})
"""The message is there and takes edits."""
USER_NOT_FOUND = "user_not_found"
NOT_A_MEMBER = frozenset({"not_in_channel", "channel_not_found"})

STREAM_ENDED: Mapping[str, StreamEnd] = {
    NOT_STREAMING: "lifetime",
    STOPPED_BY_USER: "closed",
    "message_not_found": "gone",
    "cant_update_message": "gone",
    "message_not_owned_by_app": "gone",
    "edit_window_closed": "lifetime",
    "channel_not_found": "gone",
    "not_in_channel": "gone",
    "is_archived": "gone",
    "is_inactive": "gone",
}
CHAT_GONE = frozenset({"channel_not_found", "not_in_channel", "is_archived", "is_inactive"})
"""Nothing can be shown in this conversation now."""
ANCHOR_GONE = frozenset({"thread_not_found", "message_not_found", "cannot_reply_to_message", "invalid_thread_ts"})
"""A reply is refused for what it answers."""
FOR_GOOD = frozenset({"link_disabled", "invalid_auth", "account_inactive", "token_revoked", "not_allowed_token_type"})
"""Opening the socket again would be refused until an operator acts."""

_RATE = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
_AUTH = frozenset(
    {
        "invalid_auth",
        "not_authed",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "not_allowed_token_type",
        "link_disabled",
        "forbidden_team",
        "team_access_not_granted",
        "two_factor_setup_required",
        "access_denied",
    }
)
_TOO_LONG = frozenset({"msg_too_long", "msg_blocks_too_long", "msg_blocks_too_many", "metadata_too_large"})
_INVALID = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "invalid_chunks",
        "no_text",
        "block_mismatch",
        "markdown_text_conflict",
        "invalid_attachments",
        "duplicate_message_not_allowed",
    }
)
_STUMBLES = frozenset(
    {"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org", STILL_STREAMING}
)
_USUAL_WAIT_S = 1.0
_LONGEST_WAIT_S = 300.0

ADVICE: Mapping[str, str] = {
    "invalid_auth": "token_invalid",
    "not_authed": "token_invalid",
    "token_expired": "token_invalid",
    "token_revoked": "app_removed",
    "account_inactive": "app_removed",
    "not_allowed_token_type": "token_kind_wrong",
    "link_disabled": "socket_mode_off",
    "not_in_channel": "bot_not_invited",
    "channel_not_found": "bot_not_invited",
    "file_sign_in_page": "file_scope_missing",
}
"""What to do about a word where its type alone does not tell; see `ChannelError.advice`."""


def error_of(word: str, *, status: int, headers: Mapping[str, str], body: Mapping[str, Any], call: str) -> ChannelError:
    """Give the error for a refusal. `call` names the request for people; `body` is the platform's whole answer."""
    details = _details(body)
    text = f"{call}: {word or status}" + (f" ({details})" if details else "")
    error = _error_of(word, status, headers, body, text)
    error.advice = ADVICE.get(word, error.advice)
    return error


def _error_of(word: str, status: int, headers: Mapping[str, str], body: Mapping[str, Any], text: str) -> ChannelError:
    if word in _RATE or status == 429:
        return RateLimited(text, retry_after_s=retry_after_s(headers), scope="app", code=word or "ratelimited")
    if word in STREAM_ENDED:
        return StreamEnded(text, reason=STREAM_ENDED[word], code=word)
    if status >= 500 or word in _STUMBLES or not word:
        return DeliveryUnknown(text, code=word or f"http_{status}")
    if word == "missing_scope":
        needed = tuple(part.strip() for part in str(body.get("needed") or "").split(",") if part.strip())
        return MissingScope(text, scope=needed[0] if needed else "", any_of=needed, code=word)
    if word in _AUTH:
        return AuthFailed(text, code=word)
    if word in _TOO_LONG:
        return TooLong(text, code=word)
    return InvalidCard(text, code=word) if word in _INVALID else Rejected(text, code=word)


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Read how long to wait, in seconds; a second where the platform does not say."""
    told = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    try:
        return min(_LONGEST_WAIT_S, max(0.1, float(told)))
    except ValueError:
        return _USUAL_WAIT_S


def _details(body: Mapping[str, Any]) -> str:
    metadata: object = body.get("response_metadata")
    messages: object = cast("dict[str, object]", metadata).get("messages") if isinstance(metadata, dict) else None
    told = cast("list[object]", messages) if isinstance(messages, list) else []
    return "; ".join(str(each)[:200] for each in told[:3])
