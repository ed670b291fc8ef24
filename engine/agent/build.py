"""Putting an agent together from settings."""

from __future__ import annotations

from dataclasses import dataclass

from engine.agent.context import Database, Equipment
from engine.agent.enclosures import Opener
from engine.agent.loop import Agent
from engine.agent.outgoing import Outbox
from engine.models.registry import ModelRegistry
from engine.ports import Clock
from engine.settings import EngineSettings
from engine.tools.base import Tool
from engine.tools.outside import declared_tools, web_tools
from engine.tools.project_scan import ProjectScan
from engine.tools.read_file import ReadFile
from engine.tools.registry import ToolSet
from engine.tools.send_file import SendFile
from engine.tools.send_note import SendNote


@dataclass(frozen=True, slots=True)
class FileWays:
    """How files come in and go out; one that is missing is not gone."""

    opener: Opener | None = None
    outbox: Outbox | None = None


def build_agent(
    settings: EngineSettings,
    database: Database,
    clock: Clock,
    *,
    models: ModelRegistry | None = None,
    tools: ToolSet | None = None,
    ways: FileWays | None = None,
) -> Agent:
    """Give an agent with the built-in tools and the settings' models. Close `models` (given, or `agent.aclose()`).

    Raises:
        SettingsInvalid: the settings of the default model make no sense.
    """
    registry, ways = models or ModelRegistry(settings, clock), ways or FileWays()
    registry.get()
    sending = [SendFile()] if ways.outbox is not None else []
    own = tools or _with_outside(settings, [ProjectScan(), ReadFile(), SendNote(), *sending, *web_tools(settings.web)])
    return Agent(Equipment(settings, database, registry, own, clock, ways.opener, ways.outbox))


def _with_outside(settings: EngineSettings, tools: list[Tool]) -> ToolSet:
    return ToolSet([*tools, *declared_tools(settings, tools)])
