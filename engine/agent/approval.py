"""Asking a person before a call runs: bound to that person and that very call, over restarts."""

from __future__ import annotations

import secrets
from typing import Any, Literal

from engine.agent.context import Equipment
from engine.agent.plan_review import call_hash
from engine.agent.state import Pass, Reviewed
from engine.events import EventStatus, RunEvent
from engine.messages import Value

Decision = Literal["approved", "denied", "expired", "stopped"]
STATUS: dict[str, EventStatus] = {
    "pending": "in_progress",
    "approved": "success",
    "denied": "fail",
    "expired": "fail",
    "stopped": "fail",
}


class Ask(Value):
    """A question as recorded. `reason` is `cut` when an earlier try was cut off and may have had its effect."""

    v: int = 1
    id: str
    hash: str
    deadline_ms: int
    reason: Literal["ask", "cut"] = "ask"


class Answer(Value):
    """What came of it. `ask` is `None` for a `once` tool that need not ask."""

    verdict: Decision
    ask: Ask | None = None
    by: str = ""
    name: str = ""
    tries: int = 1


async def approve(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> Answer:
    """Ask where the tool or a cut earlier try demands it, and wait for the asking person's answer or the deadline."""
    tries = 1
    # What was allowed and may be repeated is not asked about again after a crash; what may not is.
    while item.tool.effect != "idempotent" and work.scope.recorded(f"{path}/begun/{tries}"):
        tries += 1
    # What was asked stays asked, also where the rules have become milder meanwhile.
    if not item.asks and tries == 1 and not work.scope.recorded(f"{path}/ask/1"):
        return Answer(verdict="approved", tries=tries)
    ask = await _ask(work, path, item, equipment, tries)
    by = work.scope.input.by.id
    control = await work.scope.wait(
        f"{path}/answer/{tries}",
        ["approve", "deny"],
        nonce=ask.id,
        deadline_ms=ask.deadline_ms,
        who=lambda person: person == by,
    )
    if control is None:
        return Answer(verdict="stopped" if work.scope.stopping else "expired", ask=ask, tries=tries)
    is_same = call_hash(item.tool.name, item.args) == ask.hash
    verdict: Decision = "approved" if control.kind == "approve" and is_same else "denied"
    if verdict == "approved" and work.scope.stopping:
        verdict = "stopped"
    name = str(control.body.get("name") or "")
    return Answer(verdict=verdict, ask=ask, by=control.by, name=name, tries=tries)


async def mark_begun(work: Pass, path: str, item: Reviewed, answer: Answer, at_ms: int) -> None:
    """Record that the effect is about to happen; found without a result later, it was cut and is asked about again."""

    async def begun() -> dict[str, Any]:
        return {"hash": call_hash(item.tool.name, item.args)}

    await work.scope.step(
        f"{path}/begun/{answer.tries}",
        begun,
        result=dict[str, Any],
        events=lambda _: answer_events(work, path, item, answer, at_ms),
    )
    await work.scope.guard()


def answer_events(work: Pass, path: str, item: Reviewed, answer: Answer, at_ms: int) -> list[RunEvent]:
    """Give the event that closes the question; none when nothing was asked."""
    if answer.ask is None:
        return []
    return [_event(work, path, item, (answer.ask, answer), at_ms)]


async def _ask(work: Pass, path: str, item: Reviewed, equipment: Equipment, tries: int) -> Ask:
    async def ask() -> Ask:
        return Ask(
            id=secrets.token_hex(8),
            hash=call_hash(item.tool.name, item.args),
            deadline_ms=equipment.clock.now_ms() + round(equipment.settings.agent.approval_timeout_s * 1000),
            reason="cut" if tries > 1 else "ask",
        )

    return await work.scope.step(
        f"{path}/ask/{tries}",
        ask,
        result=Ask,
        events=lambda value: [_event(work, path, item, (value, None), equipment.clock.now_ms())],
    )


def _event(work: Pass, path: str, item: Reviewed, of: tuple[Ask, Answer | None], at_ms: int) -> RunEvent:
    ask, answer = of
    state = "pending" if answer is None else answer.verdict
    content: dict[str, Any] = {
        "id": ask.id,
        "tool": item.tool.name,
        "args": item.args,
        "purpose": item.tool.description,
        "hash": ask.hash,
        "for": work.scope.input.by.id,
        "deadline_ms": ask.deadline_ms,
        "state": state,
        "reason": ask.reason,
    }
    if answer is not None and answer.by:
        content |= {"by": answer.by, "name": answer.name}
    return RunEvent(
        run=work.scope.id, type="approval", content=content, status=STATUS[state], segment=path, at_ms=at_ms
    )
