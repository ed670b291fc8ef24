"""A person at a real terminal: they ask, watch, stop, approve, resize and leave."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.sitting import Person

pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]
STARTS_WITHIN_S = 60.0
READING_S = 0.8


@pytest.fixture
def sits(tmp_path: Path) -> Iterator:
    made: list[Person] = []

    def sit(*words: str, **more) -> Person:
        person = Person(tmp_path, *words, **more)
        made.append(person)
        person.sees("›", STARTS_WITHIN_S)
        return person

    yield sit
    for each in made:
        each.close()


def test_a_person_asks_stops_approves_and_leaves(sits, tmp_path: Path) -> None:
    person = sits()
    person.sees("Enter sends")

    person.say("something slow")
    person.sees("● Working")
    first = person.sees("[s] Stop")
    person.say("s")
    person.sees("■ Stopped")
    assert "[s] Stop" in first
    person.sees("[r] Retry")

    person.say('send a note "see you"')
    question = person.sees("[y] Approve")
    assert "May I run send_note?" in question
    assert "text: see you" in question
    person.look(READING_S)
    person.say("y")
    person.sees("✓ Done")
    assert (tmp_path / "work" / "outbox.txt").read_text().endswith("see you\n")

    person.say("g")
    person.sees("is satisfied.")
    person.say("/quit")
    assert person.leaves() == 0
    text = person.emulator.text
    assert text.count("› something slow") == 1
    assert text.count("May I run") == 0
    assert "[r] Retry" not in text, "the buttons go with the window"
    assert (tmp_path / "data" / "chat" / "history").stat().st_mode & 0o777 == 0o600


def test_a_long_answer_grows_in_place_and_stands_once_in_the_scrollback(sits) -> None:
    person = sits(columns=60, rows=14)
    person.say("tell me something")
    person.sees("more lines above")
    assert len(person.sees("Connect a real model").split("\n")) <= 14
    person.say("再说 queued")
    person.sees("› 再说 queued (queued)")
    person.press("half a line")
    person.looks_until(lambda screen: "(queued)" not in screen, "the queued one is taken up")
    person.sees("› half a line")
    person.press("\x15")
    person.sees("[r] 重试")
    text = person.look()
    heads = ["What you are looking at", "Connect a real model", "› tell me something", "› 再说 queued", "✓ Done"]
    assert {head: text.count(head) for head in heads} == dict.fromkeys(heads, 1)
    assert text.index("Nothing was sent anywhere") < text.index("› 再说 queued")
    assert "more lines above" not in text
    person.press("\x04")
    assert person.leaves() == 0


def test_the_window_may_change_its_size_while_an_answer_grows(sits) -> None:
    person = sits(columns=90, rows=24)
    person.say("tell me something")
    person.sees("What you are looking at")
    person.resizes(60, 24)
    person.look(0.6)
    person.resizes(90, 30)
    person.sees("[r] Retry", 60)
    text = person.look(0.3)
    assert text.count("› tell me something") == 1
    assert text.count("What you are looking at") == 1
    assert text.count("● Working") == 0
    person.press("\x04")
    assert person.leaves() == 0


def test_ctrl_c_stops_then_leaves_and_what_was_typed_comes_back(sits) -> None:
    person = sits()
    person.say("something slow")
    person.sees("● Working")
    person.press("\x03")
    person.sees("■ Stopped")
    person.press("\x1b[A")
    person.looks_until(lambda screen: screen.rstrip().endswith("› something slow"), "the line typed before")
    person.press("\x03")
    person.press("\x1b[200~two\r\nlines\x1b[201~")
    screen = person.sees("  lines")
    assert "› two" in screen
    person.press("\x03\x03")
    person.sees("Ctrl-C again quits")
    person.press("\x03")
    assert person.leaves() == 0


def test_new_stops_what_runs_and_begins_a_conversation(sits) -> None:
    person = sits()
    person.say("something slow")
    person.sees("● Working")
    person.say("/new")
    person.sees("› /new")
    person.sees("A new conversation begins")
    person.sees("■ Stopped")
    person.say("/help")
    person.sees("Ctrl-T unfolds")
    person.press("\x04")
    assert person.leaves() == 0


def test_a_terminal_that_is_closed_ends_the_chat_and_its_run(sits, tmp_path: Path) -> None:
    person = sits()
    person.say("something slow")
    person.sees("● Working")
    person.closes_the_window()
    assert person.process.wait(20) == 1, "the question was not answered"
    log = (tmp_path / "data" / "logs" / "chat.log").read_text()
    assert "Traceback" not in log
    assert "never retrieved" not in log
    with sqlite3.connect(tmp_path / "data" / "chat" / "niuma.db") as database:
        assert database.execute("SELECT status FROM nm_run").fetchall() == [("interrupted",)]


def test_no_colour_and_a_dumb_terminal(sits) -> None:
    person = sits(rows=40, NO_COLOR="1")
    person.say("hello")
    person.sees("✓ Done")
    person.press("\x04")
    assert person.leaves() == 0
    assert not re.search(r"\x1b\[[\d;]*m", person.raw)


def test_a_terminal_that_cannot_redraw_gets_lines(tmp_path: Path) -> None:
    person = Person(tmp_path, TERM="dumb")
    try:
        person.sees("Write a question", STARTS_WITHIN_S)
        person.press('send a note "x"\n')
        person.sees("[y] Approve")
        person.look(READING_S)
        person.press("y\n")
        person.sees("✓ Done")
        person.press("\x04")
        assert person.leaves() == 0
        assert "\x1b" not in person.raw
    finally:
        person.close()
