"""The platform's words, sorted."""

from __future__ import annotations

import pytest

from channels.errors import (
    AuthFailed,
    ChannelError,
    DeliveryUnknown,
    InvalidCard,
    MissingScope,
    RateLimited,
    Rejected,
    StreamEnded,
    TooLong,
)
from channels.slack.errors import error_of


def made(word: str, status: int = 200, **body: object) -> ChannelError:
    return error_of(word, status=status, headers={"Retry-After": "7"}, body={"error": word, **body}, call="chat.update")


@pytest.mark.parametrize(
    ("word", "status", "kind"),
    [
        ("ratelimited", 429, RateLimited),
        ("rate_limited", 200, RateLimited),
        ("", 429, RateLimited),
        ("", 503, DeliveryUnknown),
        ("", 200, DeliveryUnknown),
        ("internal_error", 200, DeliveryUnknown),
        ("fatal_error", 200, DeliveryUnknown),
        ("invalid_auth", 200, AuthFailed),
        ("missing_scope", 200, MissingScope),
        ("msg_blocks_too_long", 200, TooLong),
        ("invalid_blocks", 200, InvalidCard),
        ("message_not_found", 200, StreamEnded),
        ("message_not_in_streaming_state", 200, StreamEnded),
        ("a_word_nobody_knows", 200, Rejected),
    ],
)
def test_f19_words_have_types(word: str, status: int, kind: type[ChannelError]) -> None:
    assert type(made(word, status)) is kind


def test_details_are_kept() -> None:
    limited, scope = made("ratelimited", 429), made("missing_scope", needed="files:read,files:write")
    assert isinstance(limited, RateLimited) and limited.retry_after_s == 7
    assert isinstance(scope, MissingScope) and scope.any_of == ("files:read", "files:write")
    told = made("invalid_blocks", response_metadata={"messages": ["[ERROR] no more than 50 items"]})
    assert "no more than 50" in str(told) and told.code == "invalid_blocks"
    assert made("link_disabled").advice == "socket_mode_off"
