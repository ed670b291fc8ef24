"""Running the reviewed calls of a round, each as one journaled step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from sqlmodel import Session

from engine.agent.approval import Answer, answer_events, approve, mark_begun
from engine.agent.asking import Reply, ask
from engine.agent.auditing import Deciding, note_outcome
from engine.agent.call import run_tool
from engine.agent.context import Equipment
from engine.agent.memory import remember
from engine.agent.outgoing import file_events
from engine.agent.panel import bar_event, closing_event, opening_event
from engine.agent.staged.todos import show_todo
from engine.agent.state import CallResult, Pass, Rejected, Reviewed
from engine.errors import ToolRetry
from engine.events import RunEvent
from engine.failpoints import failpoint
from engine.messages import ToolMessage
from engine.tools.base import ToolResult

Job = Callable[[], Coroutine[Any, Any, CallResult]]
Place = tuple[str, Reviewed | Rejected]
ASKED_CHARS = 2_000
NOT_RUN = {
    "denied": ("not run: denied", "The person denied this call. Do not ask for it again; go on without it."),
    "expired": ("not run: nobody answered", "Nobody answered in time, so this call was not made. Go on without it."),
    "stopped": ("not run: stopped", "The person stopped the run before this call was made."),
    "changed": (
        "not run: changed since it was asked",
        "What this call would run was changed while the person was asked, so the approval is void and it was not run.",
    ),
    "crowded": (
        "not run: too many questions wait",
        "Too many questions wait for people already, so nobody was asked and this call was not made. Do not ask again "
        "now; go on without it, and say what was not done.",
    ),
}
"""What people and the model are told of a call that was not approved."""
CODES: dict[str, str] = {
    "denied": "denied",
    "expired": "approval_expired",
    "stopped": "stopped",
    "changed": "approval_void",
    "crowded": "approvals_full",
}
HELD_BACK = "not run: an earlier action of the plan failed"


async def execute(work: Pass, equipment: Equipment) -> list[CallResult]:
    """Run all calls of the round and give their results in the order of the calls.

    They run beside each other when all of them only look, else one after the other: the order of two writes matters.
    After a stop no further call begins: then fewer results come back.
    """
    items = [(f"tool/{work.round}/{place}", item) for place, item in enumerate(work.reviewed)]
    if all(_only_looks(item) for item in work.reviewed):
        return await _together(work, items, equipment)
    results: list[CallResult] = []
    for path, item in items:
        if work.scope.stopping:
            break
        results.append(await _one(work, path, _in_turn(work, item, results), equipment))
    return results


def result_message(item: CallResult) -> ToolMessage:
    """Give what the model reads of a result."""
    result = item.result
    text = result.text or result.summary or ("done" if result.success else "")
    if not result.success:
        text = f"error: {text or result.error}"
    return ToolMessage(call_id=item.call, name=item.name, text=text)


def _in_turn(work: Pass, item: Reviewed | Rejected, before: Sequence[CallResult]) -> Reviewed | Rejected:
    """Give the call, or why it is not made: what follows a failed action of a plan was planned on its success."""
    if work.staging is None or all(each.result.success for each in before):
        return item
    return Rejected(item.call, HELD_BACK, "held_back")


def _is_harmless(item: Reviewed | Rejected) -> bool:
    return isinstance(item, Rejected) or (item.tool.effect != "once" and not item.asks)


def _only_looks(item: Reviewed | Rejected) -> bool:
    # One question at a time: two forms on a card, of which one answer closes one, puzzle whoever reads them.
    return isinstance(item, Rejected) or (item.tool.effect == "none" and not item.asks and not _is_question(item))


def is_bar(item: Reviewed | Rejected) -> bool:
    """Tell whether the call moves the run's bar of steps: it is shown there, and nowhere else."""
    return isinstance(item, Reviewed) and item.tool.event_type == "todos"


def _is_question(item: Reviewed | Rejected) -> bool:
    return isinstance(item, Reviewed) and item.tool.event_type == "choice"


async def _together(work: Pass, items: Sequence[Place], equipment: Equipment) -> list[CallResult]:
    """Run calls beside each other; those that move the bar in their order: each goes on from the one before."""

    async def one(path: str, item: Reviewed | Rejected) -> CallResult:
        return await _one(work, path, item, equipment)

    async def in_order() -> dict[str, CallResult]:
        return {path: await one(path, item) for path, item in items if is_bar(item)}

    async with asyncio.TaskGroup() as group:
        tasks = {path: group.create_task(one(path, item)) for path, item in items if not is_bar(item)}
        bars = group.create_task(in_order())
    results = {path: task.result() for path, task in tasks.items()} | bars.result()
    return [results[path] for path, _ in items]


async def _one(work: Pass, path: str, item: Reviewed | Rejected, equipment: Equipment) -> CallResult:
    if isinstance(item, Rejected):
        return await _record(work, path, item, equipment, lambda: _refused(item, item.reason, item.reason, item.code))
    if item.tool.event_type == "choice" and not work.scope.recorded(path):
        return await _question(work, path, item, equipment)
    answer: Answer | None = None
    if not _is_harmless(item) and not work.scope.recorded(path):
        answer = await approve(work, path, item, equipment)
        if answer.verdict != "approved":
            code = CODES[answer.verdict]
            summary, told = NOT_RUN[answer.verdict]
            return await _record(
                work, path, item, equipment, lambda: _refused(item, summary, told, code), answer=answer
            )
        await mark_begun(work, path, item, answer, equipment)
    return await _record(work, path, item, equipment, lambda: _run(work, path, item, equipment))


async def _question(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> CallResult:
    """Ask the person; the call is their answer."""
    try:
        reply = await ask(work, path, item, equipment)
    except ToolRetry as error:
        reason = str(error)
        return await _record(work, path, item, equipment, lambda: _refused(item, reason, reason, "tool_args_invalid"))

    async def answered() -> CallResult:
        return _result(item, reply.result()).model_copy(update={"stopped": reply.state == "stopped"})

    return await _record(work, path, item, equipment, answered, answer=reply)


async def _record(
    work: Pass,
    path: str,
    item: Reviewed | Rejected,
    equipment: Equipment,
    fn: Job,
    *,
    answer: Answer | Reply | None = None,
) -> CallResult:
    def events(value: CallResult) -> list[RunEvent]:
        at_ms = equipment.clock.now_ms()
        if isinstance(answer, Reply):
            return [answer.event(work, path, at_ms)]
        if is_bar(item) and value.result.success:
            return [bar_event(work.scope.id, value, at_ms)] if value.result.parsed != work.kept.get(value.name) else []
        closed = [] if answer is None or isinstance(item, Rejected) else answer_events(work, path, item, answer, at_ms)
        told = [closing_event(work.scope.id, path, item, value, at_ms), *file_events(work.scope.id, path, value, at_ms)]
        return [*closed, *told]

    def also(session: Session, value: CallResult) -> None:
        now_ms = equipment.clock.now_ms()
        if answer is not None or not work.scope.recorded(f"{path}/begun/1"):
            allowed = answer if isinstance(answer, Answer) else None
            note_outcome(session, Deciding(work, path, equipment.role, now_ms), item, allowed)
        remember(work, session, result_message(value), path, now_ms)

    value = await work.scope.step(path, fn, result=CallResult, events=events, also=also)
    ended = "success" if value.result.success else "fail"
    show_todo(work, int(path.rpartition("/")[2]), ended, equipment.clock.now_ms())
    if is_bar(item) and value.result.success:
        work.kept[value.name] = value.result.parsed
    return value


async def _run(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> CallResult:
    at_ms, began_s = equipment.clock.now_ms(), equipment.clock.steady_s()
    if not is_bar(item):
        work.scope.show(opening_event(work.scope.id, path, item, at_ms))
    show_todo(work, int(path.rpartition("/")[2]), "in_progress", at_ms)
    result = await run_tool(work, path, item, equipment)
    took_ms = round((equipment.clock.steady_s() - began_s) * 1000)
    if item.tool.effect == "once":
        failpoint("after_once")
    return _result(item, result, took_ms)


async def _refused(item: Reviewed | Rejected, summary: str, text: str, code: str) -> CallResult:
    return _result(item, ToolResult(success=False, summary=summary, text=text, body=summary, error=code))


def _result(item: Reviewed | Rejected, result: ToolResult, took_ms: int | None = None) -> CallResult:
    return CallResult(
        call=item.call.id,
        name=item.call.name,
        asked=item.call.arguments[:ASKED_CHARS],
        result=result,
        stopped=result.error == "stopped",
        took_ms=took_ms,
    )
