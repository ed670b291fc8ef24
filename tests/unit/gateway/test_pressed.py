"""What is told of a press, by button and by command."""

from __future__ import annotations

from typing import get_args

import pytest

from engine.pressed import PressedCode
from gateway.commands import told_of
from gateway.texts import LANGUAGES


@pytest.mark.parametrize("by_command", [False, True])
@pytest.mark.parametrize("name", ["", "Lin"])
@pytest.mark.parametrize("code", get_args(PressedCode))
def test_every_outcome_has_words(code: PressedCode, name: str, *, by_command: bool) -> None:
    reply = told_of(code, name, by_command=by_command)
    assert all(reply.key in texts for texts in LANGUAGES.values())
    assert not name or "{name}" not in LANGUAGES["en"][reply.key] or name in reply.words("en")
    assert "  " not in reply.words("en")


def test_a_command_is_not_told_of_a_button() -> None:
    assert "button" in told_of("stale", "").words("en")
    assert "button" not in told_of("stale", "", by_command=True).words("en")


def test_a_button_and_a_command_have_one_tone() -> None:
    for code in get_args(PressedCode):
        assert told_of(code, "").tone == told_of(code, "", by_command=True).tone
    assert told_of("already_ended", "").tone == "warning"
