"""The runtime with the agent that settings describe, built when the first run needs it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from engine.agent.build import AgentWays, FileWays, build_agent
from engine.agent.context import ALLOWS_WHAT_TOOLS_ALLOW
from engine.agent.enclosures import Opener
from engine.agent.loop import Agent
from engine.agent.outgoing import Outbox
from engine.permissions import LivePolicy
from engine.ports import Clock, Enclosures, Outcome, RunScope, Surface
from engine.profiles import Roster
from engine.runs.lane_row import keep_lane
from engine.runtime.models import Models, models_of
from engine.runtime.readiness import Check
from engine.runtime.routing import RunRouter
from engine.runtime.runtime import Runtime
from engine.runtime.tools import mistakes_of, watched_folder
from engine.settings import EngineSettings
from engine.storage.blobs import BlobStore
from engine.storage.database import Database
from engine.tools.quota import UNLIMITED, Quota
from engine.tools.sandbox import find_confinement

log = logging.getLogger(__name__)

Overlay = Callable[[Mapping[str, Any]], EngineSettings]
"""Gives the settings with what the database adds (dotted path -> value)."""


class AgentRuntime(Runtime):
    """The runtime with the agent that the settings describe."""

    def __init__(
        self,
        settings: EngineSettings,
        surface: Surface,
        clock: Clock,
        *,
        migrate: Callable[[Database], None],
        overlay: Overlay | None = None,
        enclosures: Enclosures | None = None,
    ) -> None:
        super().__init__(settings, surface, clock, self._work, migrate=migrate)
        self._overlay = overlay
        self._enclosures = enclosures
        self._clock = clock
        self._rules = LivePolicy(settings.rules_from, clock.steady_s) if settings.rules_from else None
        self._agent: Agent | None = None
        self._building = asyncio.Lock()
        self._in_force = settings
        self._folder = watched_folder(settings)
        self._refused: str | None = None
        """Why the settings kept in the database could not be used."""

    async def stop(self) -> None:
        """See `Runtime.stop`."""
        await super().stop()
        if self._agent is not None:
            await self._agent.aclose()

    async def _work(self, scope: RunScope) -> Outcome:
        return await (await self._built())(scope)

    async def models(self) -> Models:
        """See `Runtime.models`; with what the database adds."""
        await self._built()
        return models_of(self._in_force)

    def readiness(self) -> list[Check]:
        """See `Runtime.readiness`; red as well while stored settings or changed rules are left out."""
        checks = super().readiness()
        if self._rules is not None:
            problem = self._rules.problem
            code = "rules_not_taken" if problem else "ok"
            checks.append(Check("permissions", not problem, code, problem))
        if wrong := mistakes_of(self._folder):
            # Good to know, and no reason to take this gateway out of service: the other tools work.
            checks.append(Check("tools", True, "refused", wrong))
        if self._refused is not None:
            checks.append(Check("settings", False, "stored_settings_refused", self._refused))
        return checks

    async def _built(self) -> Agent:
        """Build the agent for the first run, when the database can be asked for what files leave open."""
        async with self._building:
            if self._agent is None:
                self._agent = await self._build()
            return self._agent

    async def _build(self) -> Agent:
        """Build with what the database adds, or without it when that makes no sense: files alone started us."""
        if self._overlay is not None:
            rows = await self.config_all("system")
            try:
                return await self._agent_of(self._overlay(rows))
            except Exception as error:
                # The overlay is the host's, and so is its error.
                self._refused = str(error)
                log.exception("stored_settings_refused")
        return await self._agent_of(self._settings)

    async def _agent_of(self, settings: EngineSettings) -> Agent:
        self._in_force = settings
        opener: Opener | None = None
        blobs, own = BlobStore(self.database), settings.agent
        # A folder that a person chose is theirs to fill.
        quota = UNLIMITED if settings.workspace else Quota(own.workspace_max_bytes, own.workspace_max_files)
        if self._enclosures is not None:
            opener = Opener(
                self._enclosures,
                blobs,
                max_bytes=own.max_attachment_bytes,
                refused=own.refused_attachments,
                quota=quota,
            )
        outbox = Outbox(blobs, max_bytes=own.max_sent_file_bytes)
        rules = ALLOWS_WHAT_TOOLS_ALLOW if self._rules is None else self._rules
        roster = Roster(settings.agent_folders)
        agents = AgentWays(lambda models: RunRouter(settings, roster, models), roster, keep_lane)
        ways = FileWays(opener, outbox, quota, await find_confinement(own.shell), rules, agents)
        return build_agent(settings, self.database, self._clock, ways=ways)


def build_runtime(
    settings: EngineSettings,
    surface: Surface,
    clock: Clock,
    *,
    migrate: Callable[[Database], None],
    overlay: Overlay | None = None,
    enclosures: Enclosures | None = None,
) -> Runtime:
    """Build the engine: database, runs, models, tools and the agent. Nothing is started.

    Raises:
        SettingsInvalid: the environment or the settings make no sense.
    """
    return AgentRuntime(settings, surface, clock, migrate=migrate, overlay=overlay, enclosures=enclosures)
