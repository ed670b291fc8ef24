"""Asking a person before a call runs: bound to that person and that very call, over restarts."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field
from sqlmodel import Session

from engine.agent.auditing import Deciding, note_allowed, note_asked
from engine.agent.context import Equipment
from engine.agent.covering import Cover, bound_to, cover_of
from engine.agent.plan_review import call_hash
from engine.agent.questions import one_at_a_time
from engine.agent.state import Pass, Reviewed
from engine.events import EventStatus, RunEvent
from engine.messages import Value
from engine.permissions import LIFETIMES, Lifetime
from engine.permissions.audit import open_questions
from engine.permissions.grants import Grant, found, give, holder_of
from engine.ports import Control

Decision = Literal["approved", "denied", "expired", "stopped", "changed", "crowded"]
"""changed: what would run is not what was asked about any more. crowded: so many questions wait that none was asked."""
STATUS: dict[str, EventStatus] = {
    "pending": "in_progress",
    "approved": "success",
    "denied": "fail",
    "expired": "fail",
    "stopped": "fail",
    "changed": "fail",
}


class Ask(Value):
    """A question as recorded. `reason` is `cut` when an earlier try was cut off and may have had its effect.

    `offers` are the ranks that may allow it for longer; `cover` is what that would cover.
    """

    v: int = 1
    id: str
    hash: str
    deadline_ms: int
    reason: Literal["ask", "cut"] = "ask"
    offers: Mapping[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    cover: Cover | None = None
    bound: str | None = None
    """What the call would run, as it was then; older versions noted nothing."""


class Answer(Value):
    """What came of it. `ask` is `None` for a `once` tool that need not ask, and where `grant` allowed it before.

    `lasting` says for how long a person allowed it, beyond this call.
    """

    verdict: Decision
    ask: Ask | None = None
    by: str = ""
    name: str = ""
    tries: int = 1
    grant: str = ""
    lasting: Lifetime | None = None


class _Crowded(Exception):
    """So many questions wait already that another one is not put."""


async def approve(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> Answer:
    """Ask where the rules or a cut earlier try demand it, and wait for the asking person's answer or the deadline.

    What a lasting permission covers is not asked about; a cut call always is, since it may have had its effect.
    """
    tries = 1
    # What was allowed and may be repeated is not asked about again after a crash; what may not is.
    while item.tool.effect != "idempotent" and work.scope.recorded(f"{path}/begun/{tries}"):
        tries += 1
    # What was asked stays asked, also where the rules have become milder meanwhile.
    is_first = tries == 1 and not work.scope.recorded(f"{path}/ask/1")
    if is_first and (not item.asks or work.scope.recorded(f"{path}/begun/1")):
        return Answer(verdict="approved")
    cover = await cover_of(item, work.workspace) if tries == 1 else None
    grant = await _granted(work, cover, equipment) if is_first else None
    if grant is not None:
        return Answer(verdict="approved", grant=grant.id)
    asked = f"{path}/ask/{tries}"
    async with one_at_a_time(work, asked):
        if work.scope.stopping and not work.scope.recorded(asked):
            return Answer(verdict="stopped", tries=tries)
        try:
            ask = await _ask(work, path, item, equipment, (cover, tries))
        except _Crowded:
            return Answer(verdict="crowded", tries=tries)
        return await _answered(work, path, item, ask, tries)


async def mark_begun(work: Pass, path: str, item: Reviewed, answer: Answer, equipment: Equipment) -> None:
    """Record that the effect is about to happen; found without a result later, it was cut and is asked about again.

    What was allowed for longer is stored with it.
    """
    at_ms = equipment.clock.now_ms()

    async def begun() -> dict[str, Any]:
        return {"hash": call_hash(item.tool.name, item.args)}

    def also(session: Session, _: dict[str, Any]) -> None:
        note_allowed(session, Deciding(work, path, equipment.role, at_ms), item, answer)
        if answer.lasting is not None and answer.ask is not None and answer.ask.cover is not None:
            give(session, _grant(work, item, answer, answer.ask.cover, at_ms))

    await work.scope.step(
        f"{path}/begun/{answer.tries}",
        begun,
        result=dict[str, Any],
        events=lambda _: answer_events(work, path, item, answer, at_ms),
        also=also,
    )
    await work.scope.guard()


def answer_events(work: Pass, path: str, item: Reviewed, answer: Answer, at_ms: int) -> list[RunEvent]:
    """Give the event that closes the question; none when nothing was asked."""
    if answer.ask is None:
        return []
    return [_event(work, path, item, (answer.ask, answer), at_ms)]


async def _answered(work: Pass, path: str, item: Reviewed, ask: Ask, tries: int) -> Answer:
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
    verdict = await _verdict(work, path, item, ask, control)
    if verdict == "approved" and work.scope.stopping:
        verdict = "stopped"
    name, wanted = str(control.body.get("name") or ""), control.body.get("lasting")
    lasting: Lifetime | None = next((each for each in LIFETIMES if each == wanted and each in ask.offers), None)
    return Answer(verdict=verdict, ask=ask, by=control.by, name=name, tries=tries, lasting=lasting)


async def _verdict(work: Pass, path: str, item: Reviewed, ask: Ask, control: Control) -> Decision:
    if control.kind != "approve" or call_hash(item.tool.name, item.args) != ask.hash:
        return "denied"
    if work.scope.recorded(f"{path}/begun/1"):
        return "approved"
    # A script that was exchanged while the person read the question is not what they allowed.
    if ask.bound is not None and await bound_to(item, work.workspace) != ask.bound:
        return "changed"
    if ask.cover is None:
        return "approved"
    now = await cover_of(item, work.workspace)
    return "approved" if now is not None and now.key == ask.cover.key else "changed"


async def _granted(work: Pass, cover: Cover | None, equipment: Equipment) -> Grant | None:
    if cover is None:
        return None
    holder, key, here = holder_of(work.scope.input), cover.key, str(work.session)
    return await equipment.database.read(lambda session: found(session, holder=holder, cover=key, in_session=here))


def _grant(work: Pass, item: Reviewed, answer: Answer, cover: Cover, at_ms: int) -> Grant:
    given = work.scope.input
    lasting = answer.lasting or "conversation"
    return Grant(
        holder=holder_of(given),
        person=given.by.id,
        name=given.by.name,
        lifetime=lasting,
        conversation=given.to,
        session="" if lasting == "always" else str(work.session),
        tool=item.tool.name,
        cover=cover.key,
        covers=json.dumps({"kind": cover.kind, "what": cover.what}, ensure_ascii=False),
        run=work.run,
        at_ms=at_ms,
    )


async def _ask(work: Pass, path: str, item: Reviewed, equipment: Equipment, of: tuple[Cover | None, int]) -> Ask:
    cover, tries = of

    async def ask() -> Ask:
        return Ask(
            id=secrets.token_hex(8),
            hash=call_hash(item.tool.name, item.args),
            deadline_ms=equipment.clock.now_ms() + round(equipment.settings.agent.approval_timeout_s * 1000),
            reason="cut" if tries > 1 else "ask",
            offers=_offers(work, cover, equipment),
            cover=cover,
            bound=await bound_to(item, work.workspace),
        )

    def also(session: Session, value: Ask) -> None:
        now_ms, limits = equipment.clock.now_ms(), equipment.policy.approvals
        waiting = open_questions(session, work.scope.input.to, now_ms)
        if waiting.here >= limits.open_per_conversation or waiting.every >= limits.open_in_all:
            raise _Crowded
        note_asked(session, Deciding(work, path, equipment.role, now_ms), item, value)

    return await work.scope.step(
        f"{path}/ask/{tries}",
        ask,
        result=Ask,
        events=lambda value: [_event(work, path, item, (value, None), equipment.clock.now_ms())],
        also=also,
    )


def _offers(work: Pass, cover: Cover | None, equipment: Equipment) -> dict[str, tuple[str, ...]]:
    """Give the lifetimes that this person may choose, with the ranks that may."""
    if cover is None:
        return {}
    given, approvals = work.scope.input, equipment.policy.approvals
    # A schedule has no conversation that goes on.
    offered: list[Lifetime] = [each for each in LIFETIMES if each == "always" or not given.schedule]
    return {each: approvals.ranks(each) for each in offered if given.by.rank in approvals.ranks(each)}


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
    if ask.offers and ask.cover is not None:
        content["offers"] = {lifetime: list(ranks) for lifetime, ranks in ask.offers.items()}
        content["covers"] = {"kind": ask.cover.kind, "what": list(ask.cover.what)}
    if answer is not None and answer.by:
        content |= {"by": answer.by, "name": answer.name}
    if answer is not None and answer.lasting is not None:
        content["lasting"] = answer.lasting
    return RunEvent(
        run=work.scope.id, type="approval", content=content, status=STATUS[state], segment=path, at_ms=at_ms
    )
