"""From a provider's error (HTTP status, JSON body, error object in a stream) to our error kinds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from engine.errors import AuthFailed, ContextTooLong, ModelError, RateLimited, Refused, TimedOut, Unavailable

_TOO_LONG = re.compile(
    r"context_length_exceeded|maximum context|context (window|length)|prompt is too long|too many (input )?tokens"
    r"|reduce the length|input is too long",
    re.I,
)
_POLICY = re.compile(r"content_(filter|policy)|content management policy|safety|moderation|inappropriate", re.I)
_RATE = re.compile(r"rate_?limit|too many requests|insufficient_quota|quota", re.I)
_AUTH = re.compile(r"invalid_api_key|authentication|unauthorized|permission_denied", re.I)
_STATUS_IN_CODE = re.compile(r"^[45]\d\d$")


def error_from(status: int | None, body: bytes | Mapping[str, Any], headers: Mapping[str, str]) -> ModelError:
    """Give the error that an answer of this status and body means; `status` is `None` inside a stream."""
    facts = _facts(body)
    message, code = facts
    status = status if status is not None else _status_in(code)
    words = f"{code} {message}"
    shown = message[:300] or f"HTTP {status}"
    known = _by_words(status, words, shown)
    return known or _by_status(status, words, shown, headers)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Give the wait a provider asks for, in seconds; `None` when it does not say.

    Source: RFC 9110 section 10.2.3 (seconds or a date); `retry-after-ms` is what OpenAI-compatible gateways add.
    """
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after")
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return _until(headers.get("retry-after", ""))


def _until(date: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _by_words(status: int | None, words: str, shown: str) -> ModelError | None:
    if status in (None, 400, 413, 422) and _TOO_LONG.search(words):
        return ContextTooLong(shown)
    if status in (None, 400, 403, 422) and _POLICY.search(words):
        return Refused(shown)
    return None


def _by_status(status: int | None, words: str, shown: str, headers: Mapping[str, str]) -> ModelError:
    if status == 429 or (status is None and _RATE.search(words)):
        return RateLimited(shown, retry_after_s=retry_after_s(headers))
    if status in (401, 403) or (status is None and _AUTH.search(words)):
        return AuthFailed(shown)
    if status in (408, 504):
        return TimedOut(shown)
    if status == 413:
        return ContextTooLong(shown)
    error = Unavailable(shown)
    # A request that is wrong in itself (unknown model, bad parameter) will be wrong the next time too.
    error.retryable = status is None or status >= 500 or status == 409
    return error


def _facts(body: bytes | Mapping[str, Any]) -> tuple[str, str]:
    value: Any = body
    if isinstance(body, bytes):
        try:
            value = json.loads(body)
        except ValueError:
            return body[:300].decode("utf-8", "replace").strip(), ""
    inner: Any = cast("dict[str, Any]", value).get("error", value) if isinstance(value, Mapping) else value
    if not isinstance(inner, Mapping):
        return str(inner), ""
    error = cast("Mapping[str, Any]", inner)
    code = f"{error.get('code') or ''} {error.get('type') or ''}".strip()
    return str(error.get("message") or error.get("detail") or ""), code


def _status_in(code: str) -> int | None:
    first = code.split(" ", 1)[0]
    return int(first) if _STATUS_IN_CODE.match(first) else None
