"""Putting an agent together from settings."""

from __future__ import annotations

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
from engine.tools.send_file import SendFile
from engine.tools.send_note import SendNote


def build_agent(
    settings: EngineSettings,
    database: Database,
    clock: Clock,
    *,
    models: ModelRegistry | None = None,
    tools: ToolSet | None = None,
    opener: Opener | None = None,
    outbox: Outbox | None = None,
) -> Agent:
    """Give an agent with the built-in tools and the settings' models; files go out with an `outbox` only. Close `models` (given, or `agent.aclose()`).

    Raises:
        SettingsInvalid: the settings of the default model make no sense.
    """
    registry = models or ModelRegistry(settings, clock)
    registry.get()
    sending = [SendFile()] if outbox is not None else []
    own = tools or ToolSet([ProjectScan(), ReadFile(), SendNote(), *sending])
    equipment = Equipment(settings, database, registry, own, clock, opener, outbox)
    return Agent(equipment)
