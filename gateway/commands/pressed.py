"""What a person is told of a press, whether they used a button or a command."""

from __future__ import annotations

from typing import Literal

from engine.pressed import PressedCode
from gateway.commands.order import Reply

_TONES: dict[PressedCode, Literal["info", "success", "error"]] = {
    "stopping": "info",
    "retrying": "info",
    "approved": "success",
    "approved_conversation": "success",
    "approved_always": "success",
    "denied": "success",
    "revising": "success",
    "verdict": "success",
    "chosen": "success",
    "answered": "success",
    "not_yours": "error",
    "rank_too_low": "error",
    "stale": "error",
}
"""Everything else changed nothing, and warns."""
_NOT_OF_BUTTONS = ("not_yours", "stale")
"""What is said of a button ("this button is ...") would puzzle whoever wrote a command."""
_NAMING = frozenset({"toast.already_stopping", "toast.already_approved", "toast.already_denied", "reply.not_yours"})
"""Texts that tell who decided, or whose it is; where no name is known there is one without."""


def told_of(code: PressedCode, name: str, *, by_command: bool = False) -> Reply:
    """Give what to tell; `name` is who decided before, or whose the run is, empty when nobody knows."""
    key = f"reply.{code}" if by_command and code in _NOT_OF_BUTTONS else f"toast.{code}"
    is_unnamed = key in _NAMING and not name
    return Reply(f"{key}_unnamed" if is_unnamed else key, {"name": name}, tone=_TONES.get(code, "warning"))
