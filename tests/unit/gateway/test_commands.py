from __future__ import annotations

import pytest

from gateway.commands import Command, parse_command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/new", Command("new")),
        ("  ／New ", Command("new")),
        ("/new what is next?", Command("new", "what is next?")),
        ("/new\nfirst line\nsecond line", Command("new", "first line\nsecond line")),
        ("/news", None),
        ("/", None),
        ("", None),
        ("new", None),
        ("/ new", None),
        ("say /new", None),
        ("/new/thing", None),
    ],
)
def test_only_a_known_first_word_is_a_command(text: str, command: Command | None) -> None:
    assert parse_command(text) == command
