"""The composition root: puts the parts together, starts them in order, and takes them down in the reverse order.

Start: api (alive at once), engine (lock, database, runs taken up), channels. Stop: engine drains while the channels can
still write, channels say goodbye, engine, api. The api stays while a lost replica gives way to the next one.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from channels.base import Finding
from channels.clock import Clock
from engine.runtime import Runtime
from gateway.api import ApiServer, build_api
from gateway.app.life import Life
from gateway.app.lives import Lives
from gateway.app.notes import Notes
from gateway.clock import clock_of
from gateway.metrics import Metrics
from gateway.settings import Settings, server_token
from gateway.texts import language_of_system

Tell = Callable[[str], None]
"""Says one line to whoever started the program."""


async def serve(settings: Settings, *, ready: Tell, workspace: Path | None = None) -> None:
    """Run the gateway until SIGTERM or SIGINT; a second one cuts the drain short.

    When its peers declare this process dead, it goes on as another replica.

    Raises:
        AlreadyRunning: another process works on this data folder.
        ConfigInvalid: an account or a model cannot be used as it is set.
        StartupFailed: the api cannot listen, or the database cannot be reached.
    """
    async with _lives(settings, ready=ready, workspace=workspace) as lives:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lives.end)
        await lives.last()


@asynccontextmanager
async def running(
    settings: Settings, *, ready: Tell, workspace: Path | None = None, clock: Clock | None = None
) -> AsyncGenerator[Runtime]:
    """Run the gateway inside the block; `workspace` is one folder for all tools, `clock` for tests that move time.

    Raises like `serve`.
    """
    async with _lives(settings, ready=ready, workspace=workspace, clock=clock) as lives:
        yield lives.now.runtime


@asynccontextmanager
async def _lives(
    settings: Settings, *, ready: Tell, workspace: Path | None = None, clock: Clock | None = None
) -> AsyncGenerator[Lives[Life]]:
    clock = clock or clock_of(os.environ)
    metrics, lang, token = Metrics(), language_of_system(os.environ), server_token(settings)
    lives = Lives(partial(Life, settings, metrics, clock, lang=lang, workspace=workspace), clock)
    notes = Notes(lang, partial(_try_sandbox, settings))
    api = ApiServer(
        build_api(readiness=lambda: lives.now.readiness(), notes=notes.told, metrics=metrics, token=token.value),
        host=settings.server.host,
        port=settings.server.port,
    )
    async with AsyncExitStack() as stack:
        # First: whoever starts a second one on a folder is told that, and not that a port is taken.
        lives.now.take_folder()
        await api.start()
        stack.push_async_callback(api.stop)
        await lives.now.start()
        stack.push_async_callback(lambda: lives.now.stop())
        notes.start()
        stack.push_async_callback(notes.stop)
        ready(f"niuma serves on {api.url}" + (f" (token in {token.file})" if token.file else ""))
        yield lives


async def _try_sandbox(settings: Settings) -> Finding:
    from gateway.doctor.sandbox import sandbox  # nothing of the doctor is needed to start

    return await sandbox(shell=settings.agent.shell)
