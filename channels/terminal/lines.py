"""Standard input line by line: of a pipe, or of a terminal that cannot redraw."""

from __future__ import annotations

import asyncio
import codecs
import os
import threading

from channels.terminal.desk import Desk

_CHUNK_BYTES = 65_536


class Lines:
    """Gives each line to the desk. `waits`: one question after the other. `once`: all of the input is one question."""

    def __init__(self, descriptor: int = 0, *, waits: bool, once: bool = False) -> None:
        self._descriptor = descriptor
        self._waits = waits
        self._once = once
        self._task: asyncio.Task[None] | None = None
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()

    def open(self, desk: Desk) -> None:
        """Begin to read. A thread reads, since a file cannot be watched; it ends with the input or the program."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="standard input", daemon=True).start()
        self._task = loop.create_task(self._work(desk), name="lines")

    def close(self) -> None:
        """Read no more."""
        if self._task is not None:
            self._task.cancel()

    async def _work(self, desk: Desk) -> None:
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        left = ""
        while data := await self._chunks.get():
            left += decode(data)
            while not self._once and "\n" in left:
                text, left = left.split("\n", 1)
                await self._give(text, desk)
        await self._give(left + decode(b"", final=True), desk)
        desk.leave()

    async def _give(self, text: str, desk: Desk) -> None:
        if not text.strip() or desk.closed.is_set():
            return
        if not self._waits:
            desk.submit(text)
            return
        await desk.answered(desk.ask(text.strip("\r\n")))

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        data = b"-"
        while data:
            try:
                data = os.read(self._descriptor, _CHUNK_BYTES)
            except OSError:
                data = b""  # closed: the same as its end
            if loop.is_closed():
                return
            loop.call_soon_threadsafe(self._chunks.put_nowait, data)
