from __future__ import annotations

import pytest

from channels.errors import (
    AuthFailed,
    ChannelError,
    DeliveryUnknown,
    InvalidCard,
    MissingScope,
    NotConnected,
    RateLimited,
    Rejected,
    StreamEnded,
    TooLong,
    TooManyUpdates,
)
from channels.feishu.errors import connect_error, error_of

BAD = 400


def error(code: int, message: str = "", status: int = BAD, **headers: str) -> ChannelError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return error_of(code, message, status=status, headers=named, call="PUT /x")


@pytest.mark.parametrize(
    ("code", "kind", "maybe_seen", "works_again"),
    [
        (99991663, AuthFailed, False, True),
        (10014, AuthFailed, False, True),
        (99991672, MissingScope, False, True),
        (200860, TooLong, False, False),
        (230025, TooLong, False, False),
        (300305, TooLong, False, False),
        (230072, TooManyUpdates, False, False),
        (230099, InvalidCard, False, False),
        (300313, InvalidCard, False, False),
        (300317, DeliveryUnknown, True, True),
        (300120, DeliveryUnknown, True, True),
        (230001, Rejected, False, False),
        (987654, Rejected, False, False),
    ],
)
def test_each_number_has_its_type(code, kind, maybe_seen, works_again):
    found = error(code)
    assert type(found) is kind
    assert (found.maybe_seen, found.works_again) == (maybe_seen, works_again)
    assert found.code.startswith(str(code))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (300309, "closed"),
        (200850, "lifetime"),
        (200510, "lifetime"),
        (230031, "lifetime"),
        (200750, "lifetime"),
        (230011, "gone"),
        (230110, "gone"),
        (232009, "gone"),
        (230002, "gone"),
    ],
)
def test_ends_are_told_apart_and_final(code, reason):
    found = error(code)
    assert isinstance(found, StreamEnded)
    assert (found.reason, found.works_again) == (reason, False)


def test_pace_is_scoped_and_says_how_long():
    app = error(99991400, status=429, x_ogw_ratelimit_reset="7")
    assert isinstance(app, RateLimited)
    assert (app.scope, app.retry_after_s) == ("app", 7)
    chat, pressed = error(230020), error(200810)
    assert isinstance(chat, RateLimited)
    assert isinstance(pressed, RateLimited)
    assert (chat.scope, pressed.scope) == ("chat", "card")
    assert pressed.retry_after_s <= 1
    locked = error(230099, "ext=ErrCode: 11310; ErrMsg: card action is lock; ErrorValue: ;")
    assert isinstance(locked, RateLimited)


def test_a_broken_gateway_leaves_it_open():
    assert isinstance(error(502, status=502), DeliveryUnknown)


def test_sub_codes_and_scopes_are_kept():
    assert error(230099, "Failed, ext=ErrCode: 11310; ErrMsg: x").code == "230099-11310"
    missing = error(99991672, "Access denied. One of [cardkit:card:write] is required")
    assert isinstance(missing, MissingScope)
    assert missing.scope == "cardkit:card:write"


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        (1, NotConnected, "platform_busy"),
        (1000040345, NotConnected, "platform_busy"),
        (1000040350, NotConnected, "too_many_connections"),
        (10014, AuthFailed, "10014"),
        (403, AuthFailed, "403"),
    ],
)
def test_refused_connections(code, kind, name):
    found = connect_error(code, "why")
    assert type(found) is kind
    assert found.code == name


def test_a_used_up_quota_works_again_and_is_not_asked_in_a_rush():
    error = error_of(99991403, "quota", status=400, headers={}, call="x")
    assert isinstance(error, RateLimited) and error.works_again
    assert (error.scope, error.retry_after_s, error.advice) == ("app", 300.0, "quota_used_up")
