"""What the platform's refusals mean."""

from __future__ import annotations

import pytest

from channels.dingtalk.errors import connect_error, error_of, webhook_error
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

FORBIDDEN = "Forbidden.AccessDenied."


def refused(code: str, status: int = 400, call: str = "call", **body: object) -> ChannelError:
    return error_of(code, "words", status=status, body=body, call=call, now_ms=1_796_000_000_000)


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        (f"{FORBIDDEN}QpsLimitForAppkeyAndApi", 403, RateLimited),
        (f"{FORBIDDEN}QpsLimitForApi", 403, RateLimited),
        (f"{FORBIDDEN}QpmLimitForAppkeyAndApi", 403, RateLimited),
        (f"{FORBIDDEN}ApiCountLimitForOrg", 403, QuotaUsedUp),
        (f"{FORBIDDEN}AccessTokenPermissionDenied", 403, MissingScope),
        (f"{FORBIDDEN}IpNotInWhiteList", 403, Rejected),
        ("InvalidAuthentication", 400, AuthFailed),
        ("InvalidAuthentication", 401, AuthFailed),
        ("invalidClientIdOrSecret", 400, AuthFailed),
        ("param.cardNotExist", 400, StreamEnded),
        ("param.stream.outTrackId", 400, StreamEnded),
        ("param.stream.content", 400, TooLong),
        ("invalidParameter.msgParam.tooLong", 400, TooLong),
        ("param.templateUnpublished", 400, InvalidCard),
        ("param.cardAlreadyExist", 400, Rejected),
        ("staffId.notExisted", 400, Rejected),
        ("system.busy", 500, RateLimited),
        ("system.error", 500, DeliveryUnknown),
        ("anything.else", 503, DeliveryUnknown),
        ("blocked", 403, RateLimited),
    ],
)
def test_a_code_has_a_type(code: str, status: int, kind: type[ChannelError]) -> None:
    assert type(refused(code, status)) is kind


def test_a_missing_scope_is_named() -> None:
    detail = {"requiredScopes": ["Card.Streaming.Write"]}
    error = refused(f"{FORBIDDEN}AccessTokenPermissionDenied", 403, accessdenieddetail=detail)
    assert isinstance(error, MissingScope) and error.scope == "Card.Streaming.Write"


def test_an_unknown_error_of_streaming_says_that_this_card_takes_no_frames() -> None:
    error = refused("unknownError", 500, call="PUT /card/streaming")
    assert isinstance(error, StreamEnded) and error.reason == "closed"
    assert isinstance(refused("unknownError", 500), DeliveryUnknown)


@pytest.mark.parametrize(("code", "kind"), [(300001, Rejected), (460101, TooLong), (130101, RateLimited)])
def test_a_sessions_address_says_no_with_a_number(code: int, kind: type[ChannelError]) -> None:
    assert type(webhook_error(code, "words")) is kind


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [("authFailed", 401, AuthFailed), ("systemError", 400, NotConnected), ("ServiceUnavailable", 503, NotConnected)],
)
def test_a_refused_connection(code: str, status: int, kind: type[ChannelError]) -> None:
    assert type(connect_error(code, "", status)) is kind
