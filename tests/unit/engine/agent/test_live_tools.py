from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from engine.agent.loop import Agent
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext
from engine.tools.declared.folder import ToolFolder
from engine.tools.registry import LiveToolSet
from tests.unit.engine.agent.conftest import Bench, FakeTool
from tests.unit.engine.declared_tools.test_folder import MEANS, put
from tests.unit.engine.declared_tools.test_loader import GOOD


async def test_a_run_keeps_the_tools_it_began_with_and_the_next_has_the_new_ones(bench: Bench) -> None:
    folder_path = bench.home / "tools"
    folder_path.mkdir()
    own = LiveToolSet("built", [])

    async def exchange(_args: dict[str, Any], _context: ToolContext) -> Any:
        put(folder_path, "late", {**GOOD, "name": "late"})
        folder.look()
        own.replace("built", [])
        return (await FakeTool("x").run({}, _context)).model_copy(update={"text": "exchanged"})

    own.replace("built", [FakeTool("look", exchange)])  # type: ignore[list-item]
    folder = ToolFolder(folder_path, lambda: MEANS, changed=lambda tools: own.replace("declared", tools))
    model = bench.script(
        Turn("", calls=[call("look", {})]), Turn("", calls=[call("look", {"again": 1})]), Turn("ok"), Turn("next")
    )
    equipment = replace(bench.equipment(), tools=own, folder=folder)
    await asyncio.wait_for(Agent(equipment)(bench.scope()), 5)  # type: ignore[arg-type]
    assert [tool.name for tool in model.requests[2].tools] == ["look"]
    assert model.requests[2].messages[-1].text == "exchanged"
    await asyncio.wait_for(Agent(equipment)(bench.scope(run="0" * 25 + "2")), 5)  # type: ignore[arg-type]
    assert [tool.name for tool in model.requests[3].tools] == ["late"]
