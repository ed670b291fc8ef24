"""The composition root: puts the parts together, starts them in order, and takes them down in the reverse order.

Start: api (alive at once), engine (lock, database, runs taken up), channels. Stop: engine drains while the channels can
still write, channels say goodbye, engine, api.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from channels.base import Channel
from channels.clock import Clock
from channels.registry import build_channels
from engine.errors import StorageError
from engine.runtime import Check, Runtime, build_runtime
from engine.settings import EngineSettings
from gateway.access import Access
from gateway.api import ApiServer, build_api
from gateway.clock import SystemClock
from gateway.delivery import Delivery
from gateway.errors import StartupFailed
from gateway.inbound import ChannelEnclosures, Reception
from gateway.metrics import Metrics, WatchedChannel
from gateway.migrations import migrate
from gateway.presenter import Style
from gateway.settings import Settings, apply_overlay, server_token
from gateway.stores.people import People
from gateway.supervisor import Supervisor
from gateway.texts import Language, fix_for, language_of_system

logger = logging.getLogger(__name__)

Tell = Callable[[str], None]
"""Says one line to whoever started the program."""


async def serve(settings: Settings, *, ready: Tell) -> bool:
    """Run the gateway until SIGTERM or SIGINT; true when it was asked to end, false when its peers declared it dead.

    A second signal cuts the drain short.

    Raises:
        AlreadyRunning: another process works on this data folder.
        ConfigInvalid: an account or a model cannot be used as it is set.
        StartupFailed: the api cannot listen.
    """
    async with running(settings, ready=ready) as runtime:
        return await until_asked_to_end(runtime)


@asynccontextmanager
async def running(
    settings: Settings, *, ready: Tell, workspace: Path | None = None, clock: Clock | None = None
) -> AsyncGenerator[Runtime]:
    """Run the gateway inside the block; `workspace` is one folder for all tools, `clock` for tests that move time.

    Raises like `serve`.
    """
    clock = clock or SystemClock()
    metrics = Metrics()
    channels = _channels(settings, clock)
    lang = language_of_system(os.environ)
    supervisor = Supervisor(list(channels.values()), lang)
    for channel in channels.values():
        metrics.watch(WatchedChannel(channel.name, channel.account, partial(_is_up, channel), channel.pacer.statistics))
    style = Style(settings.cards.thinking, settings.cards.call_after_s)
    delivery = Delivery(channels, style, since_ms=clock.now_ms())
    runtime = build_runtime(
        settings.engine(workspace=workspace),
        delivery,
        clock,
        migrate=migrate,
        overlay=_overlay(settings, workspace),
        enclosures=ChannelEnclosures(channels),
    )

    runtime.watched_by(metrics)

    def readiness() -> list[dict[str, Any]]:
        return [_shown(check, lang) for check in runtime.readiness()] + supervisor.checks()

    token = server_token(settings)
    api = ApiServer(
        build_api(readiness=readiness, metrics=metrics, token=token.value),
        host=settings.server.host,
        port=settings.server.port,
    )
    async with AsyncExitStack() as stack:
        # First: whoever starts a second one on a folder is told that, and not that a port is taken.
        runtime.take_folder()
        await api.start()
        stack.push_async_callback(api.stop)
        await _started(runtime)
        stack.push_async_callback(runtime.stop)
        stack.push_async_callback(supervisor.stop)
        stack.push_async_callback(runtime.drain)
        access = Access(settings.access, People(runtime.database), clock, has_run_in=runtime.has_run_in)
        reception = Reception(runtime, access, channels, metrics, clock, late_after_s=settings.runs.late_after_s)
        await reception.resume()
        await supervisor.start(reception.handle)
        ready(f"niuma serves on {api.url}" + (f" (token in {token.file})" if token.file else ""))
        yield runtime


async def _started(runtime: Runtime) -> None:
    try:
        await runtime.start()
    except StorageError as error:
        hint = "Look whether it runs and [database] url names it rightly, then start again."
        raise StartupFailed(str(error), component="database", hint=hint) from error


def _channels(settings: Settings, clock: Clock) -> dict[tuple[str, str], Channel]:
    accounts: dict[str, list[BaseModel]] = {}
    for account in settings.accounts():
        accounts.setdefault(account.channel, []).append(account.settings)
    return build_channels(accounts, clock, refresh_s=settings.cards.refresh_ms / 1000)


def _shown(check: Check, lang: Language) -> dict[str, Any]:
    fix = "" if check.ok else fix_for(lang, f"{check.name}_{check.code}")
    return {"name": check.name, "ok": check.ok, "code": check.code, "reason": check.reason, "fix": fix}


def _is_up(channel: Channel) -> bool:
    return channel.health().ok


def _overlay(settings: Settings, workspace: Path | None) -> Callable[[Mapping[str, Any]], EngineSettings]:
    """Give the engine's settings with what the database adds where files and environment leave it open."""
    return lambda rows: apply_overlay(settings, rows).engine(workspace=workspace)


async def until_asked_to_end(runtime: Runtime) -> bool:
    """Return true at SIGTERM or SIGINT, false when this process was declared dead by its peers."""
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()

    def ask() -> None:
        if asked.is_set():
            logger.warning("hurried")
            runtime.hurry()
        asked.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ask)
    waits = [asyncio.ensure_future(asked.wait()), asyncio.ensure_future(runtime.lost())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    logger.info("stopping", extra={"code": "asked" if asked.is_set() else "lost"})
    return asked.is_set()
