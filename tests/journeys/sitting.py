"""A person at a real terminal: a pseudo-terminal with `niuma chat` in it, and an emulator to look at."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from tests.emulator import Emulator

ROOT = Path(__file__).parents[2]


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
