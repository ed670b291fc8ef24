"""What a program writes: kept up to a limit, and told line by line while it comes."""

from __future__ import annotations

import os
import re
import subprocess
import time
from typing import IO

from engine.tools.sandbox.order import Tell

_CHUNK_BYTES = 65_536
_TOLD_EVERY_S = 0.2
_MOST_LINES = 5
_LINE_CHARS = 300
_CONTROL = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]|[\x00-\x08\x0b-\x1f\x7f]"
)


def plain(output: bytes) -> str:
    """Give output as text: no colours, no moves of a cursor, and of a line that was written over the last state."""
    text = _CONTROL.sub(lambda found: "\r" if found[0] == "\r" else "", output.decode("utf-8", "replace"))
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


class Gathered:
    """Both outputs of a process, `most_bytes` together. Not safe for several threads."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int, tell: Tell) -> None:
        self._most_bytes = most_bytes
        self._tell = tell
        self._told_at_s = 0.0
        self._untold = b""
        self._kept = {"stdout": bytearray(), "stderr": bytearray()}
        self.pipes: dict[str, IO[bytes]] = {}
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr)):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self.pipes[name] = pipe
        self.is_full = False

    def take(self, name: str) -> bool:
        """Take in what one pipe has; False when it has ended."""
        pipe = self.pipes[name]
        try:
            piece = os.read(pipe.fileno(), _CHUNK_BYTES)
        except BlockingIOError:
            return True
        if not piece:
            pipe.close()
            del self.pipes[name]
            return False
        room = self._most_bytes - sum(map(len, self._kept.values()))
        self.is_full = self.is_full or len(piece) > room
        self._kept[name] += piece[:room]
        self._untold = (self._untold + piece)[-_CHUNK_BYTES:]
        return True

    def tell_lines(self, *, now: bool = False) -> None:
        """Tell the last whole lines that came, not more often than people read."""
        at_s = time.monotonic()
        whole, newline, rest = self._untold.rpartition(b"\n")
        if not newline or not (now or at_s - self._told_at_s >= _TOLD_EVERY_S):
            return
        self._told_at_s, self._untold = at_s, rest
        for line in plain(whole).split("\n")[-_MOST_LINES:]:
            self._tell(line[:_LINE_CHARS])

    def drain(self) -> None:
        """Take in what is left in the pipes once nothing writes any more, and close them."""
        for name in list(self.pipes):
            left = self._most_bytes // _CHUNK_BYTES + 1
            while left and not self.is_full and self._had_more(name):
                left -= 1
            if name in self.pipes:
                self.pipes.pop(name).close()

    def _had_more(self, name: str) -> bool:
        before = sum(map(len, self._kept.values()))
        return self.take(name) and sum(map(len, self._kept.values())) > before

    @property
    def stdout(self) -> bytes:
        """Give what was kept of it."""
        return bytes(self._kept["stdout"])

    @property
    def stderr(self) -> bytes:
        """Give what was kept of it."""
        return bytes(self._kept["stderr"])
