"""Starts, tells and kills a child that owns a runtime."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.contract.conftest import Place
from tests.contract.processes.house import until

ROOT = Path(__file__).parents[3]


class Child:
    """One process. Use as an asynchronous context; it is killed at the end if it still lives."""

    def __init__(self, place: Place, work: str, environment: dict[str, str] | None = None, **told: Any) -> None:
        self._told = {"url": place.url, "home": str(place.home), "work": work, **told}
        self._environment = {**os.environ, **(environment or {})}
        self.ready: dict[str, Any] = {}

    async def __aenter__(self) -> Child:
        log = os.open(Path(self._told["home"]) / "child.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.contract.processes.serve",
            json.dumps(self._told),
            cwd=ROOT,
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
        os.close(log)
        self.ready = await self._read() or {}
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await asyncio.sleep(0)

    async def do(self, **command: Any) -> dict[str, Any] | None:
        """Send a command and give the answer; `None` when the child died of it."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        await self.process.stdin.drain()
        return await self._read()

    async def say(self, text: str = "hello", **more: Any) -> str:
        answer = await self.do(do="say", text=text, **more)
        assert answer is not None
        return answer["run"]

    async def dies(self, timeout_s: float = 40) -> int:
        async with asyncio.timeout(timeout_s):
            return await self.process.wait()

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def drain(self, timeout_s: float = 40) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.dies(timeout_s)

    async def _read(self) -> dict[str, Any] | None:
        assert self.process.stdout is not None
        async with asyncio.timeout(40):
            line = await self.process.stdout.readline()
        return json.loads(line) if line else None


__all__ = ["Child", "until"]
