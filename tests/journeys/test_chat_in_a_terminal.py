"""A person at a real terminal: they ask, watch, stop, approve, resize and leave."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulator import Emulator

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]
STARTS_WITHIN_S = 60.0
READING_S = 0.8


class Person:
    """Sits at `niuma chat`: types, and looks at the screen."""

    def __init__(self, home: Path, *words: str, columns: int = 90, rows: int = 30, **env: str) -> None:
        self.emulator = Emulator(columns, rows)
        self.raw = ""
        self._terminal, theirs = pty.openpty()
        self._set_size(columns, rows)
        self._before = termios.tcgetattr(theirs)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NIUMA_", "OPENAI_", "LC_"))}
        clean |= {
            "NIUMA_HOME": str(home / "data"),
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        (home / "work").mkdir(exist_ok=True)
        command = [sys.executable, "-m", "gateway.cli", "chat", *words]
        self.process = subprocess.Popen(
            command,
            cwd=home / "work",
            env=clean | env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        self._theirs = theirs
        self._is_open = True

    def say(self, text: str) -> None:
        self.press(f"{text}\r")

    def press(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def sees(self, words: str, within_s: float = 30.0) -> str:
        """Wait until the words stand on the screen; give the screen."""
        return self.looks_until(lambda screen: words in screen, words, within_s)

    def looks_until(self, is_so, what: str, within_s: float = 30.0) -> str:
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            if is_so(self.emulator.screen):
                return self.emulator.screen
            self.look()
        raise AssertionError(f"{what!r} was not seen on:\n{self.emulator.screen}\n(exit code {self.process.poll()})")

    def look(self, seconds: float = 0.05) -> str:
        deadline = time.monotonic() + seconds
        os.set_blocking(self._terminal, False)
        while True:
            try:
                data = os.read(self._terminal, 65_536).decode("utf-8", "replace")
            except BlockingIOError:
                data = ""
            self.raw += data
            self.emulator.feed(data.replace("\r\r\n", "\r\n"))
            if not data and time.monotonic() >= deadline:
                return self.emulator.text
            time.sleep(0.01)

    def resizes(self, columns: int, rows: int) -> None:
        self.look()
        self.emulator.resize(columns, rows)
        self._set_size(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def leaves(self) -> int:
        """Wait for the end; give the exit code. The terminal must be as it was."""
        code = self.process.wait(30)
        self.look(0.2)
        assert termios.tcgetattr(self._theirs) == self._before
        assert self.raw.count("\x1b[?25h") >= self.raw.count("\x1b[?25l")
        return code

    def closes_the_window(self) -> None:
        for each in (self._theirs, self._terminal):
            os.close(each)
        self._is_open = False

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self._is_open:
            self.closes_the_window()

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


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
    assert "text=see you" in question
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
    person = sits(NO_COLOR="1")
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
