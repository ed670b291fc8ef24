"""The terminal itself: its size, its raw mode, bytes in and bytes out. Nothing else in this package touches it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import termios
import tty
from collections.abc import Callable, Mapping
from typing import Any, Protocol

logger = logging.getLogger(__name__)

_PASTE_ON, _PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"
_NO_REFLOW = ("rxvt", "st-", "linux", "vt", "putty")
_CHUNK_BYTES = 65_536


class Screen(Protocol):
    """What a window needs of a terminal."""

    @property
    def size(self) -> tuple[int, int]:
        """Give columns and rows."""
        ...

    def write(self, text: str) -> None:
        """Write after all that is not written yet; what the terminal does not take is kept and written first.

        Raises:
            OSError: not all of it was taken.
        """
        ...


class Output:
    """Bytes to a file descriptor that is never waited for."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._left = bytearray()

    def write(self, text: str) -> None:
        """See `Screen.write`."""
        self._left += text.encode("utf-8", "replace")
        while self._left:
            taken = os.write(self._descriptor, self._left[:_CHUNK_BYTES])
            del self._left[:taken]


class Client:
    """The person's terminal in raw mode, between `open` and `close`."""

    def __init__(self, read: int = 0, write: int = 1) -> None:
        self._read = read
        self._write = _opened_anew(write)
        self._is_own = self._write != write
        self._output = Output(self._write)
        self._before: list[Any] | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Give columns and rows; 80 x 24 where the terminal does not tell."""
        try:
            size = os.get_terminal_size(self._write)
        except OSError:
            return 80, 24
        return max(10, size.columns or 80), max(4, size.lines or 24)

    def write(self, text: str) -> None:
        """See `Screen.write`."""
        self._output.write(text)

    def open(self, typed: Callable[[bytes], None], resized: Callable[[], None]) -> None:
        """Take the terminal over: `typed` gets what is typed, empty when the terminal is closed."""
        loop = asyncio.get_running_loop()
        self._before = termios.tcgetattr(self._read)
        tty.setraw(self._read, termios.TCSADRAIN)
        self._output.write(_PASTE_ON)
        loop.add_reader(self._read, lambda: typed(self._typed()))
        loop.add_signal_handler(signal.SIGWINCH, resized)

    def close(self) -> None:
        """Give the terminal back as it was. Safe to call twice."""
        if self._before is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._read)
        loop.remove_signal_handler(signal.SIGWINCH)
        before, self._before = self._before, None
        try:
            os.set_blocking(self._write, True)
            self._output.write(_PASTE_OFF)
        except OSError as error:
            logger.info("terminal_gone", extra={"code": error.errno})
        try:
            termios.tcsetattr(self._read, termios.TCSADRAIN, before)
        except termios.error:
            logger.info("terminal_not_restored")
        if self._is_own:
            os.close(self._write)

    def _typed(self) -> bytes:
        """Give what was typed; a closed terminal is the end of it, said once."""
        try:
            data = os.read(self._read, _CHUNK_BYTES)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._read)
        return data


def _opened_anew(descriptor: int) -> int:
    """Open the terminal once more: not waiting for it must change nothing for the shell that shares `descriptor`."""
    try:
        return os.open(os.ttyname(descriptor), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return descriptor


def is_live(environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether a person sits at both ends and the terminal can redraw."""
    return sys.stdin.isatty() and sys.stdout.isatty() and environ.get("TERM", "") not in ("", "dumb")


def has_colour(environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether colours are wanted. Source: no-color.org, read 2026-11-30: set and not empty means no."""
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def reflows(environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether a narrower window breaks old lines anew, as most terminals do that are not the oldest."""
    if "TMUX" in environ:
        return True
    return not environ.get("TERM", "").startswith(_NO_REFLOW) and "XTERM_VERSION" not in environ
