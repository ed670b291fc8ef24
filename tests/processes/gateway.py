"""The gateway as a process of its own, started like a user starts it, so that kills are real."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class GatewayProcess:
    """One `niuma serve`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """Give the process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Tell whether it runs."""
        return self._process.returncode is None

    def kill(self) -> None:
        """End it the hard way."""
        if self.is_alive:
            self._process.send_signal(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop it where it stands, as a machine does that sleeps."""
        self._process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    async def ended(self, within_s: float = 90.0) -> int:
        """Wait for its end and give the exit code (-9: killed)."""
        return await asyncio.wait_for(self._process.wait(), within_s)

    def log(self) -> str:
        """Give what it wrote to stderr."""
        return self._log.read_text(encoding="utf-8", errors="replace")


@asynccontextmanager
async def gateway(
    home: Path,
    platform_url: str = "",
    *,
    arguments: tuple[str, ...] = (),
    under: tuple[str, ...] = (),
    **environment: str,
) -> AsyncIterator[GatewayProcess]:
    """Run a gateway on `home` against a Feishu tenant, if one is given; killed at the end if it still runs.

    `arguments` follow `serve`; `under` stands between the interpreter and the gateway, as `-m cProfile -o file` does.
    """
    env = {
        **{key: value for key, value in os.environ.items() if not key.startswith("NIUMA_") or "TEST" in key},
        "NIUMA_HOME": str(home),
        "NIUMA_SERVER__PORT": "0",
        "NIUMA_TOKEN": "test-token-of-this-process",
        **_as_scripted(environment),
        **(_feishu(platform_url) if platform_url else {}),
        **environment,
    }
    home.mkdir(parents=True, exist_ok=True)
    log = home / "stderr.log"
    with log.open("ab") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *under, "-m", "gateway.cli", "serve", *arguments, env=env, stdout=stderr, stderr=stderr
        )
        try:
            yield GatewayProcess(process, log)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


def _feishu(url: str) -> dict[str, str]:
    account = {"APP_ID": "cli_demo", "APP_SECRET": "secret_demo", "DOMAIN": url}
    return {f"NIUMA_CHANNELS__FEISHU__MAIN__{key}": value for key, value in account.items()}


def _as_scripted(environment: Mapping[str, str]) -> dict[str, str]:
    """What a test scripts is the answer, not the way to it. A build of an older version knows no such setting."""
    tree = Path(environment.get("PYTHONPATH") or ROOT)
    knows = "router_asks" in (tree / "engine" / "settings.py").read_text(encoding="utf-8")
    return {"NIUMA_AGENT__ROUTER_ASKS": "false"} if knows else {}
