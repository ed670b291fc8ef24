"""The terminal under the channel contract: one window that outlives our adapters, and an emulator to look at it."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from channels.base import Channel
from channels.cards.model import Action
from channels.events import CardAction, ConversationRef, Inbound, Toast
from channels.terminal.adapter import Adapter, Seat
from channels.terminal.board import Said
from channels.terminal.cards import KEYS
from channels.terminal.desk import Desk
from channels.terminal.line import Editor
from channels.terminal.settings import TerminalSettings
from channels.terminal.window import Window, Words
from channels.testing.contract import FaultName
from gateway.clock import FakeClock
from tests.emulator import Emulator

T = TypeVar("T")
SETTINGS = TerminalSettings(chat="chat1", words={"file": "file: {path}"})
_ERRNO: dict[FaultName, int] = {
    "rate_limited": errno.EAGAIN,
    "connection_lost": errno.EIO,
    "preview_refused": errno.EINVAL,
}


class EmulatedScreen:
    """A `Screen` over an emulator; `faults` are the errors of the next writes. What was refused is written later."""

    def __init__(self, columns: int, rows: int) -> None:
        self.emulator = Emulator(columns, rows)
        self.faults: list[int] = []
        self.refused = 0
        self._left = ""

    @property
    def size(self) -> tuple[int, int]:
        return self.emulator.columns, self.emulator.rows

    def write(self, text: str) -> None:
        self._left += text
        if text and self.faults:
            self.refused += 1
            raise OSError(self.faults.pop(0), "injected")
        self.emulator.feed(self._left)
        self._left = ""


class Nobody:
    """A person who types nothing."""

    def open(self, desk: Desk) -> None:
        pass

    def close(self) -> None:
        pass


class TerminalHarness:
    """A wide window, so that no sentence of the contract is broken into two rows."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self._folder = folder
        self.screen = EmulatedScreen(400, 50)
        self.window = Window(self.screen, Editor(), Words(SETTINGS.say, self.clock), colour=True)
        self._channels: list[Adapter] = []
        self._presses: list[CardAction] = []

    async def make_channel(self) -> Channel:
        seat = Seat(self.window, Nobody(), is_live=True, asks=True)
        channel = Adapter(SETTINGS.model_copy(update={"files": self._folder}), self.clock, seat)
        self._channels.append(channel)
        await channel.start(self._handle)
        return channel

    def conversation(self) -> ConversationRef:
        return ConversationRef("terminal", "local", "", "chat1")

    async def visible_text(self, conversation: ConversationRef) -> str:
        return self.screen.emulator.text

    async def messages(self, conversation: ConversationRef) -> int:
        """Cards, and the notices among them: both begin with an empty row above."""
        return len(self.window.board.entries) or int("just so you know" in self.screen.emulator.text)

    async def refusals(self) -> int:
        return self.screen.refused

    async def fault(self, name: FaultName) -> None:
        """A terminal answers nothing, so no answer is lost; it has no streams to end."""
        if name in _ERRNO:
            self.screen.faults.append(_ERRNO[name])

    async def later(self, seconds: float) -> Channel:
        await self.clock.advance(seconds)
        return await self.make_channel()

    async def ask(self) -> str:
        said = Said(f"m{self.clock.now_ms()}", "a word of theirs")
        self.window.hear(said)
        return said.id

    async def press(self, action: Action) -> CardAction:
        assert self._channels[-1].desk.press(KEYS[action.name]), "no such button"
        await self.clock.advance(0.1)
        return self._presses[-1]

    async def take_back(self, message_id: str) -> None:
        """Nobody takes back what they typed."""

    async def pass_time(self, seconds: float) -> None:
        await self.clock.advance(seconds)

    async def finish(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        for _ in range(1200):
            await self.clock.settle()
            if task.done():
                break
            await self.clock.advance(0.05)
        assert task.done(), "not finished within a minute"
        return await task

    async def stop(self) -> None:
        for channel in self._channels:
            await channel.stop()

    async def _handle(self, inbound: Inbound) -> Toast | None:
        assert isinstance(inbound, CardAction), f"nobody wrote: {inbound}"
        self._presses.append(inbound)
        return Toast("info", "ok")
