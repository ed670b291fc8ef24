"""Tools as an operator sees them: which there are, what is wrong with one, adding, switching and trying one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.agent.build import FileWays, built_in_tools
from engine.errors import SettingsInvalid, ToolFailed, ToolRetry
from engine.messages import Principal, RunId
from engine.settings import EngineSettings
from engine.tools.arguments import parse_arguments
from engine.tools.base import Tool, ToolContext, ToolResult
from engine.tools.declared.folder import ToolFolder
from engine.tools.declared.sandbox_runner import NoRunner, SandboxRunner
from engine.tools.output import bound_output
from engine.tools.outside import means_of, tool_folder, tools_folder
from engine.tools.redaction import redact
from engine.tools.sandbox import find_confinement

if TYPE_CHECKING:
    from engine.tools.declared.store import Filed

State = Literal["on", "off", "broken"]


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool. `kind`: built_in, http, script, or file where it cannot be read; `file` is its name in the folder."""

    name: str
    kind: str
    state: State
    about: str
    file: str = ""


class ToolBench:
    """The tools that settings give, and the folder of those that an operator adds. Its methods block."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self.folder = tools_folder(settings)

    def lines(self) -> list[ToolLine]:
        """Give all tools: those of the folder, then those that are built in."""
        from engine.tools.declared import store

        own = [] if self.folder is None else [_line(each) for each in store.filed_in(self.folder)]
        built = [ToolLine(each.name, "built_in", "on", each.description) for each in self._built()]
        return [*own, *built]

    def add(self, file: Path, *, replace: bool = False) -> str:
        """Check a tool file, put it into the folder, and give the tool's name.

        Raises:
            SettingsInvalid: it cannot be used; each reason names its field.
        """
        from engine.tools.declared import store

        taken = frozenset(each.name for each in self._built())
        try:
            return store.add(self._folder(), file, taken=taken, replace=replace).name
        except OSError as error:
            raise SettingsInvalid(f"The tool cannot be kept: {error}") from error

    def switch(self, name: str, *, on: bool) -> ToolLine:
        """Switch a tool of the folder on or off.

        Raises:
            SettingsInvalid: there is no such tool.
        """
        from engine.tools.declared import store

        try:
            return _line(store.switch(self._folder(), name, on=on))
        except OSError as error:
            raise SettingsInvalid(f"The tool cannot be kept: {error}") from error

    def show(self, name: str) -> dict[str, Any]:
        """Give what a model is told of a tool, and what its file says.

        Raises:
            SettingsInvalid: there is no such tool.
        """
        from engine.tools.declared import store
        from engine.tools.declared.loader import build_tool

        built = next((each for each in self._built() if each.name == name), None)
        if built is not None:
            return {"name": name, "kind": "built_in", **_facts(built)}
        filed = store.find(self._folder(), name)
        line = _line(filed)
        shown: dict[str, Any] = {"name": line.name, "kind": line.kind, "state": line.state, "file": str(filed.file)}
        if filed.definition is None:
            return {**shown, "mistake": filed.mistake}
        tool = build_tool(filed.definition, filed.file.parent, means_of(self._settings, NoRunner()))
        return {**shown, **_facts(tool), "handler": filed.definition.handler.model_dump(mode="json")}

    async def trial(self, name: str, args: str, workspace: Path) -> ToolResult:
        """Call a tool as a run does: the same check of its arguments, the same guard of the network, the same sandbox.

        Nobody is asked first; a tool that is switched off is called all the same.

        Raises:
            SettingsInvalid: there is no such tool, or it cannot be used here.
        """
        confinement = await find_confinement(self._settings.agent.shell)
        built = self._built(FileWays(confinement=confinement))
        tool = next((each for each in built if each.name == name), None)
        if tool is None:
            runner = None if confinement is None else SandboxRunner(confinement)
            tool = await asyncio.to_thread(self._own, name, runner)
        private = (self._settings.home, *self._settings.private)
        person = Principal(id="operator", rank="owner")
        context = ToolContext(run=RunId("trial"), by=person, workspace=workspace, key="trial:1", private=private)
        result = await _called(tool, args, context, self._settings.agent.tool_timeout_s)
        limit = self._settings.agent.max_tool_output_chars
        return await asyncio.to_thread(bound_output, result, limit=limit, context=context, name=f"trial-{name}")

    def _own(self, name: str, runner: SandboxRunner | None) -> Tool:
        from engine.tools.declared import store
        from engine.tools.declared.loader import build_tool

        filed = store.find(self._folder(), name)
        if filed.definition is None:
            raise SettingsInvalid(f"{filed.file.name} cannot be used: {filed.mistake}")
        try:
            return build_tool(filed.definition, filed.file.parent, means_of(self._settings, runner))
        except ValueError as error:
            raise SettingsInvalid(f"{filed.file.name} cannot be used: {error}") from error

    def _built(self, ways: FileWays | None = None) -> list[Tool]:
        return built_in_tools(self._settings, ways or FileWays())

    def _folder(self) -> Path:
        if self.folder is None:
            raise SettingsInvalid("There is no folder for tools.", hint="Name one: agent.tools_folder.")
        return self.folder


def watched_folder(settings: EngineSettings) -> ToolFolder | None:
    """Give the operator's folder for somebody who only wants to know what is wrong in it."""
    return tool_folder(settings, NoRunner(), built_in_tools(settings, FileWays()))


def mistakes_of(folder: ToolFolder | None) -> str:
    """Give what is wrong in a folder, in one line; empty when nothing is."""
    mistakes = () if folder is None else folder.look().mistakes
    return "; ".join(f"{each.file}: {each.reason}" for each in mistakes)


async def _called(tool: Tool, args: str, context: ToolContext, limit_s: float) -> ToolResult:
    try:
        async with asyncio.timeout(limit_s):
            return await tool.run(parse_arguments(args, tool.parameters, tool=tool.name), context)
    except TimeoutError:
        return _failed(f"{tool.name} gave nothing within {limit_s:g} s", "tool_timeout")
    except ToolRetry as error:
        return _failed(str(error), "tool_args_invalid")
    except ToolFailed as error:
        return _failed(str(error), "tool_failed")


def _failed(reason: str, code: str) -> ToolResult:
    return ToolResult(success=False, summary=redact(reason), text=redact(reason), error=code)


def _facts(tool: Tool) -> dict[str, Any]:
    return {
        "description": tool.description,
        "parameters": tool.parameters,
        "effect": tool.effect,
        "asks": tool.asks,
    }


def _line(filed: Filed) -> ToolLine:
    told = filed.definition
    if told is None:
        return ToolLine(filed.file.stem, "file", "broken", filed.mistake, filed.file.name)
    return ToolLine(told.name, told.handler.type, "on" if told.enabled else "off", told.description, filed.file.name)
