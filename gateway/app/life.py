"""One life of the gateway as a replica: engine and channels, from start to stop.

A replica that was declared dead never comes back under its id; the next life is another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from channels.base import Channel
from channels.clock import Clock
from channels.registry import build_channels
from engine.errors import StorageError
from engine.runtime import Check, build_runtime
from engine.settings import EngineSettings
from gateway.access import Access
from gateway.delivery import AccountBudgets, Delivery
from gateway.errors import StartupFailed
from gateway.inbound import ChannelEnclosures, DirectChats, Door, Reception
from gateway.metrics import Metrics, WatchedChannel
from gateway.migrations import migrate
from gateway.presenter import Style
from gateway.settings import Settings, apply_overlay
from gateway.stores.people import People
from gateway.supervisor import Supervisor
from gateway.texts import Language, fix_for


class Life:
    """Built, then `take_folder` and `start` once, then `stop`. `workspace` is one folder for all tools."""

    def __init__(
        self, settings: Settings, metrics: Metrics, clock: Clock, *, lang: Language, workspace: Path | None = None
    ) -> None:
        self._settings = settings
        self._metrics = metrics
        self._clock = clock
        self._lang: Language = lang
        self._channels = _channels(settings, clock)
        for channel in self._channels.values():
            name, account = channel.name, channel.account
            metrics.watch(WatchedChannel(name, account, partial(_is_up, channel), channel.pacer.statistics))
        self._supervisor = Supervisor(list(self._channels.values()), lang)
        self.runtime = build_runtime(
            settings.engine(workspace=workspace),
            Delivery(
                self._channels, Style(settings.cards.thinking, settings.cards.call_after_s), since_ms=clock.now_ms()
            ),
            clock,
            migrate=migrate,
            overlay=_overlay(settings, workspace),
            enclosures=ChannelEnclosures(self._channels),
        )
        runtime = self.runtime
        self._access = Access(settings.access, People(runtime.database), clock, has_run_in=runtime.has_run_in)
        runtime.kept_by(Door(self._access, DirectChats(runtime)))
        self.runtime.watched_by(metrics)
        self.runtime.shares(AccountBudgets(self._channels.values()))
        self._stack = AsyncExitStack()

    def readiness(self) -> list[dict[str, Any]]:
        """Give what stands in the way of serving, part by part; also before the start and after the end."""
        return [_shown(check, self._lang) for check in self.runtime.readiness()] + self._supervisor.checks()

    def take_folder(self) -> None:
        """Take the data folder. Raises `AlreadyRunning` when another process works on it."""
        self.runtime.take_folder()

    async def start(self) -> None:
        """Start the engine, then the channels; what was begun is taken down when that fails.

        Raises:
            StartupFailed: the database cannot be reached.
        """
        async with AsyncExitStack() as stack:
            await self._start_engine()
            stack.push_async_callback(self._stop)
            reception = self._reception()
            stack.push_async_callback(reception.close)
            await reception.resume()
            await self._supervisor.start(reception.handle)
            self._stack = stack.pop_all()

    async def stop(self) -> None:
        """Let the engine drain while the channels can still write, then let go of all.

        Who was declared dead writes nothing any more, so its connections are closed first: the platform's events go to
        the others.
        """
        await self._stack.aclose()

    async def lost(self) -> None:
        """Return when this replica's peers declared it dead."""
        await self.runtime.lost()

    def hurry(self) -> None:
        """Cut the drain short."""
        self.runtime.hurry()

    def _reception(self) -> Reception:
        late_after_s = self._settings.runs.late_after_s
        return Reception(
            self.runtime, self._access, self._channels, self._metrics, self._clock, late_after_s=late_after_s
        )

    async def _start_engine(self) -> None:
        try:
            await self.runtime.start()
        except StorageError as error:
            hint = "Look whether it runs and [database] url names it rightly, then start again."
            raise StartupFailed(str(error), component="database", hint=hint) from error

    async def _stop(self) -> None:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.runtime.stop)
            if self.runtime.is_lost:
                stack.push_async_callback(self.runtime.drain)
                stack.push_async_callback(self._supervisor.stop)
            else:
                stack.push_async_callback(self._supervisor.stop)
                stack.push_async_callback(self.runtime.drain)


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
