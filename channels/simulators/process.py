"""A simulator as its own process."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from typing import Protocol

SAVE_EVERY_S = 2.0


class Simulator(Protocol):
    """What is run."""

    @property
    def url(self) -> str:
        """The address, known after `start`."""
        ...

    async def start(self) -> None:
        """Listen."""
        ...

    async def stop(self) -> None:
        """Stop listening."""
        ...

    def save(self) -> None:
        """Write the state file, when one was named."""
        ...


async def run_until_told(simulator: Simulator) -> None:
    """Run until SIGTERM or SIGINT; the only line on stdout is `listening http://127.0.0.1:PORT`."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await simulator.start()
    sys.stdout.write(f"listening {simulator.url}\n")
    sys.stdout.flush()
    while not ended.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), SAVE_EVERY_S)
        simulator.save()
    await simulator.stop()
