"""A line from the person at the terminal, without anything that waits for it when nobody asks any more."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable

MAX_LINE_BYTES = 4096


async def typed_line() -> str:
    """Give the next line as it was typed; empty at the end of the input (Ctrl-D).

    The reading thread is a daemon and cannot be called back: after a cancel it ends with the next line or the program.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def put(text: str) -> None:
        if not line.done():
            line.set_result(text)

    threading.Thread(target=lambda: _hand_over(loop, put), name="terminal", daemon=True).start()
    return await line


def _hand_over(loop: asyncio.AbstractEventLoop, put: Callable[[str], None]) -> None:
    text = _read()
    if not loop.is_closed():
        loop.call_soon_threadsafe(put, text)


def _read() -> str:
    # Not `input()`: it holds a lock of `sys.stdin` while it waits, which the interpreter wants at its end.
    try:
        return os.read(sys.stdin.fileno(), MAX_LINE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""  # the terminal was closed: the same as the end of its input
