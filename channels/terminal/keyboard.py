"""The keyboard of a live window: edits the line, presses buttons, sends messages."""

from __future__ import annotations

import asyncio

from channels.terminal.client import Client
from channels.terminal.desk import Desk
from channels.terminal.history import History
from channels.terminal.keys import Key, Keys
from channels.terminal.window import Window

TICK_S = 1.0
ESCAPE_S = 0.1
"""How long after an escape its sequence may arrive; a slow line splits them."""


class Keyboard:
    """Reads keys from the terminal, between `open` and `close`."""

    def __init__(self, client: Client, window: Window, history: History) -> None:
        self._client = client
        self._window = window
        self._history = history
        self._keys = Keys()
        self._desk: Desk | None = None
        self._settling: asyncio.TimerHandle | None = None
        self._ticking: asyncio.TimerHandle | None = None

    def open(self, desk: Desk) -> None:
        """Take the terminal over and show the input line."""
        self._desk = desk
        self._client.open(self.typed, self._window.redraw)
        self._tick()

    def close(self) -> None:
        """Give the terminal back as it was."""
        for timer in (self._settling, self._ticking):
            if timer is not None:
                timer.cancel()
        self._window.leave()
        self._client.close()

    def _tick(self) -> None:
        """Draw once a second: how long a run takes changes although nothing else does."""
        self._window.redraw()
        self._ticking = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def typed(self, data: bytes) -> None:
        """Take what was typed; empty: the terminal is closed."""
        desk = self._desk
        if desk is None:
            return
        if not data:
            desk.leave()
            return
        if self._settling is not None:
            self._settling.cancel()
        for key in self._keys.feed(data):
            self._window.typed()
            self._take(key, desk)
        if self._keys.waits:
            self._settling = asyncio.get_running_loop().call_later(ESCAPE_S, self._keys.settle)
        if not desk.closed.is_set():
            self._window.redraw()

    def _take(self, key: Key, desk: Desk) -> None:
        if key.kind == "named" and key.value == "interrupt":
            self._interrupt(desk)
            return
        desk.stay()
        match key.kind:
            case "text" | "paste":
                self._window.editor.insert(key.value)
            case "alt":
                self._alt(key.value, desk)
            case "named":
                self._named(key.value, desk)

    def _named(self, name: str, desk: Desk) -> None:
        editor = self._window.editor
        if name == "enter":
            text = editor.take()
            self._history.add(text)
            desk.submit(text)
        elif name == "end_of_input" and not editor.text:
            desk.leave()
        elif name == "unfold":
            self._window.unfolded = not self._window.unfolded
        elif name == "redraw":
            self._window.repaint()
        else:
            editor.press("delete" if name == "end_of_input" else name)

    def _alt(self, char: str, desk: Desk) -> None:
        names = {"enter": "newline", "b": "word_left", "f": "word_right", "\x7f": "kill_word"}
        if not desk.press(char):
            self._window.editor.press(names.get(char, ""))

    def _interrupt(self, desk: Desk) -> None:
        editor = self._window.editor
        if editor.text:
            editor.take()
            desk.stay()
        else:
            desk.interrupt()
