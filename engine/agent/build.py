"""Putting an agent together from settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from engine.agent.context import ALLOWS_WHAT_TOOLS_ALLOW, Database, Equipment, KeepLane, Rules
from engine.agent.enclosures import Opener
from engine.agent.loop import Agent
from engine.agent.outgoing import Outbox
from engine.agent.routing import Router
from engine.models.registry import ModelRegistry
from engine.ports import Clock
from engine.profiles import Roster
from engine.settings import EngineSettings
from engine.tools.ask_user import AskUser
from engine.tools.base import Tool
from engine.tools.create_file import CreateFile
from engine.tools.declared.folder import ToolFolder
from engine.tools.declared.sandbox_runner import SandboxRunner
from engine.tools.delete_file import DeleteFile
from engine.tools.edit_file import EditFile
from engine.tools.outside import tool_folder, web_tools
from engine.tools.progress import Progress
from engine.tools.project_scan import ProjectScan
from engine.tools.quota import UNLIMITED, Quota
from engine.tools.read_file import ReadFile
from engine.tools.registry import LiveToolSet, ToolSet
from engine.tools.sandbox import Confinement
from engine.tools.send_file import SendFile
from engine.tools.send_note import SendNote
from engine.tools.shell_command import ShellCommand
from engine.tools.write_file import WriteFile


@dataclass(frozen=True, slots=True)
class AgentWays:
    """Who answers; what is missing leaves one agent that works with tools."""

    router: Callable[[ModelRegistry], Router] | None = None
    roster: Roster | None = None
    keep_lane: KeepLane | None = None


@dataclass(frozen=True, slots=True)
class FileWays:
    """How files come in and go out, where commands run, and what calls may do; a way that is missing is not gone."""

    opener: Opener | None = None
    outbox: Outbox | None = None
    quota: Quota = UNLIMITED
    confinement: Confinement | None = None
    """Where commands run; without it there is no tool for them."""
    rules: Rules = ALLOWS_WHAT_TOOLS_ALLOW
    agents: AgentWays = AgentWays()
    """Who answers, by which way."""


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
    own, folder = (tools, None) if tools else _with_outside(settings, built_in_tools(settings, ways), ways)
    equipment = Equipment(settings, database, registry, own, clock, ways.opener, ways.outbox, ways.rules, ways.quota)
    agents = ways.agents
    router = None if agents.router is None else agents.router(registry)
    return Agent(replace(equipment, router=router, roster=agents.roster, keep_lane=agents.keep_lane, folder=folder))


def built_in_tools(settings: EngineSettings, ways: FileWays) -> list[Tool]:
    """Give the tools that are part of the product, as far as settings and `ways` allow them."""
    sending = [SendFile()] if ways.outbox is not None else []
    changing = [WriteFile(), CreateFile(), EditFile(), DeleteFile()]
    asking: list[Tool] = [AskUser(), Progress({name: each.steps for name, each in settings.step_lists.items()})]
    looking: list[Tool] = [ProjectScan(), ReadFile()]
    shell = _shell(settings, ways)
    return [*looking, *asking, *changing, SendNote(), *sending, *shell, *web_tools(settings.web)]


def _with_outside(settings: EngineSettings, tools: list[Tool], ways: FileWays) -> tuple[ToolSet, ToolFolder | None]:
    """Give all tools, of which those from the operator's folder are replaced when it is looked at."""
    own = LiveToolSet("built", tools)
    runner = None if ways.confinement is None else SandboxRunner(ways.confinement)
    folder = tool_folder(settings, runner, tools, partial(own.replace, "declared"))
    if folder is not None:
        folder.look()
    return own, folder


def _shell(settings: EngineSettings, ways: FileWays) -> list[ShellCommand]:
    if ways.confinement is None:
        return []
    own = settings.agent
    network = own.shell_network or own.shell == "unconfined"
    return [ShellCommand(ways.confinement, tool_timeout_s=own.tool_timeout_s, network=network)]
