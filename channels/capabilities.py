"""What an account on a platform can do, as data: core code asks this and never a channel's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal


@dataclass(frozen=True, slots=True)
class MethodLimit:
    """The platform's limit on one API method for the whole account. `None` means not limited in that window."""

    per_s: float | None = None
    per_minute: float | None = None
    per_chat_s: float | None = None
    """Requests a second to one chat; all methods with such a limit count together there."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many previews may be written where a platform counts calls for a month; first and last words are not counted.

    An answer's previews come further and further apart, so that `per_answer` of them reach over `spread_s` seconds.
    """

    per_answer: int | None = None
    per_month: int | None = None
    """A month is one of China's (UTC+8): the only platform that counts by the month counts so."""
    spread_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Facts of one account. A flag may be true only where the contract suite proves it."""

    can_update_cards: bool
    """A card that was sent can be changed: the contract's checks of a growing card pass."""
    can_press_buttons: bool
    """A person can press a button of a card, and we are told."""
    can_send_files: bool = False
    """Files and pictures can be sent, each once whatever record was lost: the contract's checks of files pass."""
    card_floor_s: float = 0.2
    """Shortest time between two ticks of one card."""
    card_writes_per_s: float = 10.0
    """All writes to one card, whatever the method."""
    stream_life_s: float | None = None
    """Streaming ends this long after it was opened; `None`: never."""
    renew_after_s: float | None = None
    """When to renew the stream, by a timer; below `stream_life_s`."""
    app_limit: Literal["exempt", "counted", "auto"] = "counted"
    """Whether streaming writes count against `methods`: never, always, or from the platform's first refusal on."""
    streaming_methods: frozenset[str] = frozenset()
    """The methods that `app_limit` speaks of; all others always count."""
    methods: Mapping[str, MethodLimit] = field(default_factory=dict[str, MethodLimit])
    """Account-wide limits by method name, the names a `CardSink` uses in its writes."""
    previews: Allowance | None = None
    """`None`: previews are limited by `methods` only."""


_CHINA = timezone(timedelta(hours=8))


def month_end_ms(now_ms: int) -> int:
    """Give when the allowances of a month begin anew, in China's time (UTC ms)."""
    now = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(_CHINA)
    year, month = (now.year + 1, 1) if now.month == 12 else (now.year, now.month + 1)
    return round(datetime(year, month, 1, tzinfo=_CHINA).timestamp() * 1000)
