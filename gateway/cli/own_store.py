"""An engine on a store of its own, beside the gateway's: that one is the gateway's alone."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from engine.errors import AlreadyRunning
from engine.ports import Surface
from engine.runtime import Runtime, build_runtime
from engine.settings import DatabaseSettings, EngineSettings
from gateway.clock import SystemClock
from gateway.migrations import migrate
from gateway.paths import create_private_folder


@asynccontextmanager
async def own_store(
    settings: EngineSettings, surface: Surface, *, folder: str, not_kept: str
) -> AsyncGenerator[Runtime]:
    """Run an engine on `folder` of the data folder or, while another process uses that, on one that is thrown away.

    Then `not_kept` is said on stderr.

    Raises:
        EngineError: the engine cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="niuma-") as thrown_away:
        try:
            runtime = await _start(stored_in(settings, settings.home / folder), surface)
        except AlreadyRunning:
            print(f"niuma: {not_kept}", file=sys.stderr)
            runtime = await _start(stored_in(settings, Path(thrown_away)), surface)
        try:
            yield runtime
        finally:
            await runtime.stop()


def stored_in(settings: EngineSettings, folder: Path) -> EngineSettings:
    """Give the same settings on a store of its own in `folder`; tools do not see the data folder either way.

    What an earlier process left half done there ends as interrupted: nobody waits for it any more.
    """
    runs = settings.runs.model_copy(update={"resume": False})
    own = {"home": folder, "database": DatabaseSettings(), "runs": runs, "private": (settings.home, *settings.private)}
    return settings.model_copy(update=own)


async def _start(settings: EngineSettings, surface: Surface) -> Runtime:
    create_private_folder(settings.home)
    runtime = build_runtime(settings, surface, SystemClock(), migrate=migrate)
    await runtime.start()
    return runtime
