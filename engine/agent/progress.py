"""What a running tool tells of itself."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

MAX_LINES = 50


class Progress:
    """Takes lines from any thread and shows the last ones on the loop it was made on, until it is ended."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._show = show
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self._ended = False

    def tell(self, line: str) -> None:
        """Show `line` soon; never blocks. A tool that was given up may go on in its thread: nobody listens then."""
        if not self._ended:
            self._loop.call_soon_threadsafe(self._add, line)

    def end(self) -> None:
        """Show nothing more; the result takes the place of the lines."""
        self._ended = True

    def _add(self, line: str) -> None:
        if not self._ended:
            self._lines.append(line)
            self._show("\n".join(self._lines))
