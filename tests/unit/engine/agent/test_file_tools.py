"""The file tools in a run: asked about, told on the card, cut off and gone on with."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.agent.context import Equipment
from engine.agent.loop import Agent
from engine.errors import ToolFailed
from engine.events import RunEvent
from engine.messages import ToolMessage
from engine.permissions import Policy, Role, Rule
from engine.testing.scope import MemoryScope
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext
from engine.tools.create_file import CreateFile
from engine.tools.delete_file import DeleteFile
from engine.tools.edit_file import EditFile
from engine.tools.quota import Quota
from engine.tools.write_file import WriteFile
from tests.unit.engine.agent.conftest import Bench, FakeTool
from tests.unit.engine.agent.test_approval import asked

FREELY = Policy([Rule(id="all", verdict="allow")], {"main": Role()})
EDIT = {"file_path": "a.txt", "edits": [{"old_text": "one", "new_text": "two\n2"}]}


@pytest.fixture
def files(bench: Bench) -> Bench:
    bench.tools = [WriteFile(), CreateFile(), EditFile(), DeleteFile()]
    (bench.workspace / "a.txt").write_text("one\n")
    return bench


def panel(scope: MemoryScope, kind: Any) -> RunEvent:
    return scope.events(kind)[-1]


@pytest.mark.parametrize(
    ("tool", "args", "kind", "counts"),
    [
        ("edit_file", EDIT, "edit_file", (2, 1)),
        ("write_file", {"file_path": "a.txt", "content": "one\ntwo\n"}, "edit_file", (1, 0)),
        ("create_file", {"file_path": "b.txt", "content": "x\ny\nz"}, "create_file", (3, 0)),
        ("delete_file", {"file_path": "a.txt"}, "delete_file", (0, 1)),
    ],
)
async def test_each_asks_and_then_tells_what_the_protocol_has(
    files: Bench, tool: str, args: dict[str, Any], kind: Any, counts: tuple[int, int]
) -> None:
    files.script(Turn(calls=[call(tool, args)]), Turn("ok"))
    scope = files.scope()
    task = files.start(scope)
    question = await asked(scope)
    assert question["tool"] == tool
    assert question["args"] == args
    assert (files.workspace / "a.txt").read_text() == "one\n"
    scope.answer(question["id"], "approve")
    assert (await asyncio.wait_for(task, 5)).status == "done"
    event = panel(scope, kind)
    assert isinstance(event.content, dict)
    assert event.status == "success"
    assert event.content["file_path"] == args["file_path"]
    assert (event.content["add_lines"], event.content["remove_lines"]) == counts
    assert (event.content["body_kind"], event.content["body"][:3]) == ("diff", "@@ ")


@pytest.mark.parametrize("tool", ["write_file", "create_file"])
async def test_what_was_allowed_and_may_be_repeated_is_not_asked_about_again(files: Bench, tool: str) -> None:
    files.script(Turn(calls=[call(tool, {"file_path": "b.txt", "content": "new"})]), Turn("ok"))
    scope = files.scope()
    scope.crash_before_recording("tool/0/0")
    task = files.start(scope)
    scope.answer((await asked(scope))["id"], "approve")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (files.workspace / "b.txt").read_text() == "new"
    after = scope.resume()
    assert (await asyncio.wait_for(files.start(after), 5)).answer == "ok"
    assert [event.status for event in after.events("approval")] == ["in_progress", "success"]
    assert (files.workspace / "b.txt").read_text() == "new"


@pytest.mark.parametrize(("tool", "args"), [("edit_file", EDIT), ("delete_file", {"file_path": "a.txt"})])
async def test_what_may_not_be_repeated_is_asked_about_again(files: Bench, tool: str, args: dict[str, Any]) -> None:
    model = files.script(Turn(calls=[call(tool, args)]), Turn("ok"))
    scope = files.scope()
    scope.crash_before_recording("tool/0/0")
    task = files.start(scope)
    scope.answer((await asked(scope))["id"], "approve")
    with pytest.raises(asyncio.CancelledError):
        await task
    # Meanwhile a person puts the old text back: a blind repeat would take it away again.
    (files.workspace / "a.txt").write_text("one\n")
    after = scope.resume()
    again = files.start(after)
    question = await asked(after, number=2)
    assert question["reason"] == "cut"
    assert (files.workspace / "a.txt").read_text() == "one\n"
    after.answer(question["id"], "deny")
    assert (await asyncio.wait_for(again, 5)).answer == "ok"
    assert (files.workspace / "a.txt").read_text() == "one\n"
    assert isinstance(told := model.requests[-1].messages[-1], ToolMessage)
    assert "denied" in told.text


async def test_calls_of_a_round_that_write_keep_their_order(files: Bench) -> None:
    files.policy = FREELY
    sizes = [150_000, *range(1, 8)]
    calls = [call("write_file", {"file_path": "a.txt", "content": "x" * size}) for size in sizes]
    files.script(Turn(calls=calls), Turn("ok"))
    assert (await asyncio.wait_for(files.start(files.scope()), 10)).answer == "ok"
    assert (files.workspace / "a.txt").read_text() == "x" * 7


async def test_tools_that_may_be_repeated_do_not_run_beside_each_other(bench: Bench) -> None:
    at_work: list[int] = []

    async def counted(_args: dict[str, Any], _context: ToolContext) -> Any:
        at_work.append(at_work[-1] + 1 if at_work else 1)
        await asyncio.sleep(0)
        at_work.append(at_work[-1] - 1)
        raise ToolFailed("enough")

    bench.tools = [FakeTool("a", counted, effect="idempotent"), FakeTool("b", counted)]
    bench.script(Turn(calls=[call("a"), call("b"), call("a")]), Turn("ok"))
    await asyncio.wait_for(bench.start(bench.scope()), 5)
    assert at_work == [1, 0, 1, 0, 1, 0]


async def test_a_full_workspace_is_told_to_the_model_and_on_the_card(files: Bench) -> None:
    files.policy = FREELY
    model = files.script(Turn(calls=[call("write_file", {"file_path": "b.txt", "content": "x" * 90})]), Turn("ok"))
    known = files.equipment()
    small = Equipment(
        known.settings, known.database, known.models, known.tools, known.clock, policy=FREELY, quota=Quota(50)
    )
    scope = files.scope()
    assert (await asyncio.wait_for(Agent(small)(scope), 5)).answer == "ok"
    told = model.requests[-1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert told.text.startswith("error: the workspace is full")
    assert panel(scope, "edit_file").status == "fail"
    assert not (files.workspace / "b.txt").exists()
