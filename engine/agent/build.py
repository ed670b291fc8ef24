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
from engine.tools.project_scan import ProjectScan
from engine.tools.read_file import ReadFile
from engine.tools.registry import ToolSet
from engine.tools.sandbox import Confinement
from engine.tools.send_file import SendFile
from engine.tools.send_note import SendNote
from engine.tools.shell_command import ShellCommand


@dataclass(frozen=True, slots=True)
class FileWays:
    """How files come in and go out, and where commands run; one that is missing is not gone."""

    opener: Opener | None = None
    outbox: Outbox | None = None
    confinement: Confinement | None = None
    """Where commands run; without it there is no tool for them."""


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
    own = tools or ToolSet([ProjectScan(), ReadFile(), SendNote(), *sending, *_shell(settings, ways)])
    return Agent(Equipment(settings, database, registry, own, clock, ways.opener, ways.outbox))


def _shell(settings: EngineSettings, ways: FileWays) -> list[ShellCommand]:
    if ways.confinement is None:
        return []
    own = settings.agent
    network = own.shell_network or own.shell == "unconfined"
    return [ShellCommand(ways.confinement, tool_timeout_s=own.tool_timeout_s, network=network)]
