from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.agent.plan_review import call_hash
from engine.events import RunEvent
from engine.messages import ToolMessage
from engine.testing.scope import MemoryScope
from engine.testing.scripted import ScriptedModel, Turn, call
from tests.unit.engine.agent.conftest import Bench, FakeTool, until

NOTE = {"text": "see you at ten"}


def script(bench: Bench) -> ScriptedModel:
    return bench.script(Turn("I will ask.", calls=[call("send_note", NOTE)]), Turn("ok"))


def outbox(bench: Bench) -> list[str]:
    file = bench.workspace / "outbox.txt"
    return file.read_text().splitlines() if file.exists() else []


async def asked(scope: MemoryScope, *, number: int = 1) -> dict[str, Any]:
    def pending() -> RunEvent | None:
        found = [event for event in scope.events("approval") if event.status == "in_progress"]
        return found[number - 1] if len(found) >= number else None

    event = await until(pending)
    assert isinstance(event.content, dict)
    return event.content


async def test_an_approved_call_runs_once(bench: Bench) -> None:
    model = script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    question = await asked(scope)
    assert outbox(bench) == []
    assert question == {
        "id": question["id"],
        "tool": "send_note",
        "args": NOTE,
        "purpose": question["purpose"],
        "hash": call_hash("send_note", NOTE),
        "for": "u1",
        "deadline_ms": bench.clock.now_ms() + 3_600_000,
        "state": "pending",
        "reason": "ask",
        "offers": {"conversation": ["owner", "admin", "member"]},
        "covers": {"kind": "paths", "what": ["outbox.txt"]},
    }
    scope.answer(question["id"], "approve")
    outcome = await asyncio.wait_for(task, 5)
    assert (outcome.status, outcome.answer) == ("done", "ok")
    assert outbox(bench) == ["see you at ten"]
    closed = scope.events("approval")[-1]
    assert isinstance(closed.content, dict)
    assert (closed.status, closed.content["state"], closed.content["by"]) == ("success", "approved", "u1")
    assert "The note was sent" in model.requests[1].messages[-1].text


async def test_a_denied_call_does_not_run_and_the_model_is_told(bench: Bench) -> None:
    model = script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    scope.answer((await asked(scope))["id"], "deny")
    assert (await asyncio.wait_for(task, 5)).status == "done"
    assert outbox(bench) == []
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert "denied" in told.text
    assert scope.events("approval")[-1].content["state"] == "denied"  # type: ignore[index]


async def test_only_the_asking_person_and_this_question_count(bench: Bench) -> None:
    script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    question = await asked(scope)
    scope.answer(question["id"], "approve", by="somebody")
    scope.answer("another question", "approve")
    await asyncio.sleep(0.05)
    assert not task.done()
    assert outbox(bench) == []
    scope.answer(question["id"], "deny")
    await asyncio.wait_for(task, 5)


async def test_nobody_answers_in_time(bench: Bench) -> None:
    script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    await asked(scope)
    await asyncio.sleep(0.01)
    await bench.clock.advance(3_600.1)
    assert (await asyncio.wait_for(task, 5)).status == "done"
    assert outbox(bench) == []
    assert scope.events("approval")[-1].content["state"] == "expired"  # type: ignore[index]


async def test_stop_while_waiting(bench: Bench) -> None:
    script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    await asked(scope)
    scope.stop()
    outcome = await asyncio.wait_for(task, 5)
    assert (outcome.status, outcome.answer) == ("stopped", "I will ask.")
    assert outbox(bench) == []
    assert scope.events("approval")[-1].status == "fail"


async def test_a_restart_while_waiting_asks_the_same_question(bench: Bench) -> None:
    script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    question = await asked(scope)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    after = scope.resume()
    again = bench.start(after)
    await asyncio.sleep(0.05)
    after.answer(question["id"], "approve")
    assert (await asyncio.wait_for(again, 5)).status == "done"
    assert outbox(bench) == ["see you at ten"]
    assert len(after.events("approval")) == 2


@pytest.mark.parametrize(("verdict", "lines"), [("approve", 2), ("deny", 1)])
async def test_a_call_cut_by_a_crash_is_asked_about_again(bench: Bench, verdict: Any, lines: int) -> None:
    model = script(bench)
    scope = bench.scope()
    scope.crash_before_recording("tool/0/0")
    task = bench.start(scope)
    first = await asked(scope)
    scope.answer(first["id"], "approve")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(outbox(bench)) == 1
    after = scope.resume()
    again = bench.start(after)
    second = await asked(after, number=2)
    assert second["reason"] == "cut"
    assert second["id"] != first["id"]
    assert len(outbox(bench)) == 1
    after.answer(second["id"], verdict)
    assert (await asyncio.wait_for(again, 5)).status == "done"
    assert len(outbox(bench)) == lines
    assert len(model.requests) == 2


async def test_a_once_tool_that_need_not_ask_asks_only_after_a_cut(bench: Bench) -> None:
    bench.tools = [FakeTool("launch", effect="once")]
    bench.script(Turn(calls=[call("launch")]), Turn("ok"))
    scope = bench.scope()
    scope.crash_before_recording("tool/0/0")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    assert scope.events("approval") == []
    after = scope.resume()
    task = bench.start(after)
    after.answer((await asked(after))["id"], "deny")
    assert (await asyncio.wait_for(task, 5)).status == "done"
    assert len(bench.tools[0].runs) == 1


async def test_a_recorded_result_is_not_asked_about_again(bench: Bench) -> None:
    script(bench)
    scope = bench.scope()
    scope.crash_before_recording("model/1")
    task = bench.start(scope)
    scope.answer((await asked(scope))["id"], "approve")
    with pytest.raises(asyncio.CancelledError):
        await task
    bench.script(Turn("ok"))
    after = scope.resume()
    assert (await asyncio.wait_for(bench.start(after), 5)).answer == "ok"
    assert outbox(bench) == ["see you at ten"]
    assert not [event for event in after.shown if event.type == "approval"]


def test_the_hash_names_the_call_and_nothing_else() -> None:
    assert call_hash("t", {"a": 1, "b": [2]}) == call_hash("t", {"b": [2], "a": 1})
    assert call_hash("t", {"a": 1}) != call_hash("t", {"a": 2})
    assert call_hash("t", {"a": 1}) != call_hash("u", {"a": 1})
