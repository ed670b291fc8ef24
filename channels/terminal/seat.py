"""Finds out what kind of terminal this process has, if any, and builds the channel for it."""

from __future__ import annotations

import sys

from channels.clock import Clock
from channels.terminal.adapter import Adapter, Seat
from channels.terminal.client import Client, has_colour, is_live, reflows
from channels.terminal.history import History
from channels.terminal.keyboard import Keyboard
from channels.terminal.line import Editor
from channels.terminal.lines import Lines
from channels.terminal.plain import PlainView
from channels.terminal.settings import TerminalSettings
from channels.terminal.window import Window, Words


def build_adapter(settings: TerminalSettings, clock: Clock, *, refresh_s: float, once: bool) -> Adapter:
    """Give the channel of standard input and output; `once`: all of the input is one question."""
    seat = _live(settings, clock) if is_live() and not once else _plain(once=once)
    return Adapter(settings, clock, seat, refresh_s=refresh_s)


def _live(settings: TerminalSettings, clock: Clock) -> Seat:
    client, history = Client(), History(settings.history)
    window = Window(client, Editor(history.lines()), Words(settings.say, clock), colour=has_colour(), reflows=reflows())
    return Seat(window, Keyboard(client, window, history), is_live=True, asks=True)


def _plain(*, once: bool) -> Seat:
    """Somebody is there to be asked where both ends are a terminal, if one that cannot redraw."""
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not once
    return Seat(PlainView(talks=asks), Lines(waits=not asks, once=once), is_live=False, asks=asks)
