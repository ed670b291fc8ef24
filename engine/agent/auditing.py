"""Rows of the audit for calls: who asked for what, what was decided, and on what it rests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlmodel import Session

from engine.agent.plan_review import call_hash
from engine.agent.state import Pass, Rejected, Reviewed
from engine.permissions import Lifetime
from engine.permissions.audit import Decided, Entry, note
from engine.permissions.grants import holder_of
from engine.tools.cut import cut
from engine.tools.redaction import redact

if TYPE_CHECKING:
    from engine.agent.approval import Answer, Ask

MAX_VALUE_CHARS = 300
MAX_ARGS_CHARS = 2_000
_REFUSED = ("permission_denied", "call_refused")
"""Why a call is refused that could be made; a slip of the model is no decision."""

_APPROVED: Mapping[Lifetime | None, Decided] = {
    None: "approved",
    "conversation": "approved_conversation",
    "always": "approved_always",
}


@dataclass(frozen=True, slots=True)
class Deciding:
    """The call that is decided about, and when (UTC ms)."""

    work: Pass
    path: str
    role: str
    at_ms: int


def note_asked(session: Session, of: Deciding, item: Reviewed, ask: Ask) -> None:
    """Write that a person is asked."""
    basis = "cut" if ask.reason == "cut" else item.ruling.basis
    note(session, _entry(of, item, "asked", basis, item.ruling.reason, open_until_ms=ask.deadline_ms))


def note_allowed(session: Session, of: Deciding, item: Reviewed, answer: Answer) -> None:
    """Write that a call may run: by a rule, a lasting permission or a person."""
    decided: Decided = "allowed"
    basis = item.ruling.basis
    if answer.ask is not None:
        decided, basis = _APPROVED[answer.lasting], answer.ask.id
    elif answer.grant:
        decided, basis = "granted", answer.grant
    note(session, _entry(of, item, decided, basis, by=answer.by))


def note_outcome(session: Session, of: Deciding, item: Reviewed | Rejected, answer: Answer | None) -> None:
    """Write what became of a call that was not marked as begun: refused, not approved, or harmless and allowed."""
    if isinstance(item, Rejected):
        if item.code in _REFUSED:
            note(session, _entry(of, item, "refused", item.basis or item.code, item.reason))
        return
    if answer is None:
        note(session, _entry(of, item, "allowed", item.ruling.basis))
    elif answer.verdict != "approved":
        basis = "" if answer.ask is None else answer.ask.id
        note(session, _entry(of, item, answer.verdict, basis, by=answer.by))


def _entry(
    of: Deciding, item: Reviewed | Rejected, decided: Decided, basis: str, reason: str = "", **more: Any
) -> Entry:
    given = of.work.scope.input
    is_reviewed = isinstance(item, Reviewed)
    return Entry(
        at_ms=of.at_ms,
        decided=decided,
        run=of.work.run,
        path=of.work.place(of.path),
        conversation=given.to,
        person=holder_of(given),
        name=given.by.name,
        rank=given.by.rank,
        agent=given.agent,
        role=of.role,
        tool=item.call.name,
        call=call_hash(item.tool.name, item.args) if is_reviewed else "",
        args=_told(item.args) if is_reviewed else redact(cut(item.call.arguments, MAX_ARGS_CHARS)),
        basis=basis,
        reason=redact(cut(reason, MAX_VALUE_CHARS)),
        **more,
    )


def _told(args: dict[str, Any]) -> str:
    """Give the arguments without secrets, long values shortened: an audit says what was done, not every word of it."""
    short = {name: _short(value) for name, value in args.items()}
    return cut(json.dumps(short, ensure_ascii=False), MAX_ARGS_CHARS)


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    hidden = redact(text)
    return value if hidden == text and len(text) <= MAX_VALUE_CHARS else cut(hidden, MAX_VALUE_CHARS)
