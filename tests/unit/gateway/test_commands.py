from __future__ import annotations

import pytest

from gateway.commands import Command, Reply, Unknown, parse_command
from gateway.commands.table import NAMES, TABLE
from gateway.texts import LANGUAGES


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/new", Command("new")),
        ("  ／New ", Command("new")),
        ("/new what is next?", Command("new", "what is next?")),
        ("/new\nfirst line\nsecond line", Command("new", "first line\nsecond line")),
        ("/stop 1A2B3C4D", Command("stop", "1A2B3C4D")),
        ("/停止", Command("stop")),
        ("/approve 1A2B3C4D", Command("approve", "1A2B3C4D")),
        ("/approve 1A2B3C4D conversation", Command("approve", "1A2B3C4D conversation")),
        ("/approve always", Command("approve", "always")),
        ("/批准 始终", Command("approve", "始终")),
        ("/grants revoke 1A2B3C4D", Command("grants", "revoke 1A2B3C4D")),
        ("／模型 main", Command("model", "main")),
        ("/queue mode steer", Command("queue", "mode steer")),
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


@pytest.mark.parametrize("text", ["/sttaus", "/Stauts", "／statsu"])
def test_a_misspelt_word_alone_names_the_nearest(text: str) -> None:
    assert parse_command(text) == Unknown(text, "status")


@pytest.mark.parametrize("text", ["/etc/hosts", "/sttaus please", "/tmp", "/home", "/a", "//", "/etc", "/stop.sh"])
def test_f28_other_text_that_begins_with_a_slash_is_a_message(text: str) -> None:
    assert parse_command(text) is None


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("", Command("help")),
        ("stop", Command("stop")),
        ("STOP 1a2b3c4d", Command("stop", "1a2b3c4d")),
        ("/stop", Command("stop")),
        ("new what now?", Command("new", "what now?")),
        ("queue mode", Command("queue", "mode")),
        ("stop worrying about the release", None),
        ("status of the release?", None),
        ("what is new", None),
        ("sttaus", None),
    ],
)
def test_after_the_platforms_own_command_the_first_word_needs_no_slash(text: str, command: Command | None) -> None:
    assert parse_command(text, is_native=True) == command


def test_every_row_has_words_and_no_word_stands_for_two() -> None:
    assert [row.name for row in TABLE if f"command.{row.name}" not in LANGUAGES["en"]] == []
    assert len(NAMES) == sum(1 + len(row.aliases) for row in TABLE)
    assert all(word == word.casefold() for word in NAMES)


def test_a_reply_fills_in_others_and_goes_on_line_by_line() -> None:
    mode = Reply("reply.queue_mode", {"mode": Reply("reply.mode_steer")})
    said = Reply("reply.queue", {"count": 2}, [mode])
    assert said.words("en").splitlines() == [
        "Waiting: 2",
        "While I work on something of yours, a further message reaches that work (steer).",
    ]
    assert said.words("zh").startswith("排队中：2 条\n处理你的任务期间")
