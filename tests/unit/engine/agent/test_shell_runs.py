"""The shell tool in a run: asked for, carried out in the sandbox, stopped by a person."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from engine.agent.build import FileWays, build_agent
from engine.messages import ToolMessage
from engine.settings import AgentSettings, EngineSettings
from engine.testing.scripted import Turn, call
from engine.tools.shell_command import ShellCommand
from tests.sandbox import begun, living, working_sandbox
from tests.unit.engine.agent.conftest import Bench, until


async def _approved(bench: Bench, command: str) -> tuple[Any, asyncio.Task[Any]]:
    bench.tools = [ShellCommand(await working_sandbox(), tool_timeout_s=60)]
    bench.script(Turn("I will.", calls=[call("shell_command", {"command": command})]), Turn("Done."))
    scope = bench.scope("Run it please.")
    task = bench.start(scope)
    question = await until(lambda: scope.events("approval"))
    assert question[0].content["args"] == {"command": command}
    scope.answer(question[0].content["id"], "approve")
    return scope, task


async def test_a_command_runs_after_a_person_allowed_it(bench: Bench) -> None:
    scope, task = await _approved(bench, "echo made > out.txt; cat out.txt")
    outcome = await asyncio.wait_for(task, 10)
    assert (outcome.status, outcome.answer) == ("done", "Done.")
    assert (bench.workspace / "out.txt").read_text() == "made\n"
    [shown] = scope.events("bash")
    assert (shown.status, shown.content["body"], shown.content["body_kind"]) == (
        "success",
        "made\n".strip(),
        "terminal",
    )
    told = [message for message in bench.model.requests[-1].messages if isinstance(message, ToolMessage)]  # type: ignore[attr-defined]
    assert told[-1].text == "exit code 0\nstdout:\nmade\n"


async def test_a_stop_ends_the_command_with_all_it_started(bench: Bench) -> None:
    mark = f"3{os.getpid() % 10_000:04}.25"
    scope, task = await _approved(bench, f"echo begun; sleep {mark} | cat")
    await until(lambda: begun(f"sleep {mark}"))
    scope.stop()
    outcome = await asyncio.wait_for(task, 10)
    assert outcome.status == "stopped"
    assert not living(mark)
    [shown] = scope.events("bash")
    assert shown.content["error"] == "stopped"
    assert "begun" in shown.content["body"]


async def test_without_a_place_to_run_there_is_no_shell_tool(bench: Bench) -> None:
    settings = EngineSettings(home=bench.home, agent=AgentSettings())
    for confinement in (None, await working_sandbox()):
        agent = build_agent(settings, bench.database, bench.clock, ways=FileWays(confinement=confinement))
        names = agent._equipment.tools.names
        assert ("shell_command" in names) == (confinement is not None)
        await agent.aclose()
