"""What is decided about a message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.messages import Principal

Refusal = Literal[
    "bot",
    "bot_turns",
    "empty",
    "group_off",
    "not_listed",
    "not_mentioned",
    "not_paired",
    "other_tenant",
    "person_too_fast",
    "conversation_too_fast",
]
"""Stored with the message as the reason why it starts nothing."""
SILENT: Final[frozenset[Refusal]] = frozenset({"bot", "not_mentioned", "other_tenant"})
"""Nothing is said: it was not meant for us, would talk to a bot, or would tell a stranger that we are here."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What to tell the writer: a key of `texts` and what to fill in."""

    key: str
    params: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Admission:
    """Who writes, and why it starts nothing; `refusal` is `None` when it does."""

    by: Principal
    refusal: Refusal | None = None
