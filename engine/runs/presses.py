"""Presses on buttons: each is one inbox row with what the person was told, decided under the lock of the run's row."""

from __future__ import annotations

import json
from typing import Any, cast

from sqlmodel import Session

from engine.events import EventType
from engine.messages import Address, InboxKey, RunInput
from engine.permissions import Lifetime
from engine.ports import Control, ControlKind
from engine.pressed import QUESTION, Press, PressAction, Pressed, PressedCode
from engine.runs.afterwards import AFTERWARDS, BEGINS_A_RUN, Afterwards, Judged
from engine.runs.answers import ANSWERS, Answers
from engine.runs.controls import control_of, heard, put
from engine.runs.eventlog import EventLog
from engine.runs.inbox import Inbox, Noted, Route
from engine.runs.journal import KNOWN
from engine.storage.statement import Dialect, execute

_CONTROLS = f"""SELECT kind, person, body FROM nm_control WHERE kind IN ({", ".join(f"'{kind}'" for kind in KNOWN)})
AND run = :run AND (taken_by IS NULL OR taken_by <> 'end') ORDER BY at, id"""
_DONE: dict[PressAction, PressedCode] = {
    "stop": "stopping",
    "approve": "approved",
    "approve_conversation": "approved_conversation",
    "approve_always": "approved_always",
    "deny": "denied",
}
_LASTING: dict[PressAction, Lifetime] = {"approve_conversation": "conversation", "approve_always": "always"}
"""Approvals for longer than the one call: an owner of an older version takes them for one of this call."""
_CHOICES: dict[PressAction, str] = {"backlog_all": "all", "backlog_last": "last", "backlog_ignore": "ignore"}
_ALREADY: dict[str, PressedCode] = {
    "approve": "already_approved",
    "approved": "already_approved",
    "deny": "already_denied",
    "denied": "already_denied",
    "expired": "expired",
    "stopped": "already_stopped",
}


class Presses:
    """Decides what a press does. What it answers never contradicts what happens: the first decision stands."""

    def __init__(self, dialect: Dialect, inbox: Inbox, events: EventLog, afterwards: Afterwards) -> None:
        self._dialect = dialect
        self._inbox = inbox
        self._events = events
        self._answers = Answers(dialect, events)
        self._afterwards = afterwards
        # Held until the end, so that of two presses the second one sees the first, also in another process.
        self._lock = f"SELECT status, input, task, attempt_index FROM nm_run WHERE id = :run {dialect.for_update}"
        # What begins a run takes its place in line: always before a run's row, as a message does that speaks to a run.
        line = "SELECT conv FROM nm_run WHERE id = :run"
        self._line = f"SELECT 1 FROM nm_conv WHERE conv = ({line}) {dialect.for_update}"

    def take(self, session: Session, key: InboxKey, conversation: Address, press: Press, *, now_ms: int) -> Pressed:
        """Carry the press out and store it with its answer; a redelivery gives the stored answer."""
        if press.do in BEGINS_A_RUN:
            execute(session, self._line, run=press.run)
        row = execute(session, self._lock, run=press.run).first()
        said = self._inbox.body(session, key)
        if said is not None:
            return Pressed.model_validate_json(said)
        if press.refused is not None or row is None:
            answer = Pressed(code=press.refused or "stale")
        elif press.do in AFTERWARDS:
            given = RunInput.model_validate_json(row.input)
            run = Judged(press.run, row.status, given, row.task, row.attempt_index)
            answer = self._afterwards.carry_out(session, run, press, now_ms)
        else:
            answer = self._control(session, key, press, now_ms)
        self._inbox.note(session, key, _noted(conversation, press, answer), now_ms)
        return answer

    def _control(self, session: Session, key: InboxKey, press: Press, now_ms: int) -> Pressed:
        if press.do in _CHOICES:
            return self._choose(session, key, press, now_ms)
        if press.do in ANSWERS or press.do == "deny":
            asked = self._asked(session, press, "choice")
            if asked is not None and asked.get("code") == QUESTION:
                return Pressed(code=self._answers.by_press(session, key, press, asked, now_ms=now_ms))
            if press.do in ANSWERS:
                return Pressed(code="stale")
        lasting = _LASTING.get(press.do)
        kind = cast(ControlKind, press.do if lasting is None else "approve")
        said = [_control(row) for row in execute(session, _CONTROLS, run=press.run)]
        if kind != "stop" and (decided := self._decided(session, press, said, now_ms)) is not None:
            return decided
        if heard(session, self._dialect, press.run) != "accepted":
            return Pressed(code="already_ended")
        if (stop := next((each for each in said if each.kind == "stop"), None)) is not None:
            return Pressed(code="already_stopping", name=_other(stop, press))
        answers = {"nonce": press.nonce} if kind != "stop" else {}
        answers |= {"lasting": lasting} if lasting is not None else {}
        put(session, self._dialect, press.run, control_of(key, kind, press.by, **answers), now_ms)
        return Pressed(code=_DONE[press.do])

    def _choose(self, session: Session, key: InboxKey, press: Press, now_ms: int) -> Pressed:
        """Answer a question with several answers; the first one stands."""
        question = self._asked(session, press, "choice")
        if question is None:
            return Pressed(code="stale")
        if str(question.get("for", "")) != press.by.id:
            return Pressed(code="not_yours")
        said = [_control(row) for row in execute(session, _CONTROLS, run=press.run)]
        if any(each.kind == "choose" for each in said) or question.get("state") != "pending":
            return Pressed(code="already_chosen")
        if heard(session, self._dialect, press.run) != "accepted":
            return Pressed(code="already_ended")
        control = control_of(key, "choose", press.by, nonce=press.nonce, choice=_CHOICES[press.do])
        put(session, self._dialect, press.run, control, now_ms)
        return Pressed(code="chosen")

    def _decided(self, session: Session, press: Press, said: list[Control], now_ms: int) -> Pressed | None:
        """Give why this press cannot answer the question; `None` when it can."""
        question = self._asked(session, press, "approval")
        if question is None:
            return Pressed(code="stale")
        asked, state = str(question.get("for", "")), str(question.get("state"))
        if state != "pending":
            answer = Control(id="", kind="approve", by=str(question.get("by", "")), body=question)
            return Pressed(code=_ALREADY.get(state, "stale"), name=_other(answer, press))
        for each in said:
            if each.kind in ("approve", "deny") and each.by == asked and each.body.get("nonce") == press.nonce:
                return Pressed(code=_ALREADY[each.kind], name=_other(each, press))
        if asked != press.by.id:
            # The question is bound to one person; whoever may stop the run may not answer for them.
            return Pressed(code="not_yours")
        if now_ms >= int(question.get("deadline_ms", 0)):
            return Pressed(code="expired")
        # Asked again now: who had the rank when the question was put may have lost it since.
        lasting = _LASTING.get(press.do)
        may = lasting is None or press.by.rank in _ranks(question, lasting)
        return None if may else Pressed(code="rank_too_low")

    def _asked(self, session: Session, press: Press, kind: EventType) -> dict[str, Any] | None:
        told = [event.content for event in self._events.of_type(session, press.run, kind)]
        asked = (each for each in reversed(told) if isinstance(each, dict))
        return next((each for each in asked if each.get("id") == press.nonce), None)


def _control(row: Any) -> Control:
    return Control(id="", kind=row.kind, by=row.person, body=json.loads(row.body))


def _ranks(question: dict[str, Any], lasting: str) -> list[str]:
    offers = cast("dict[str, list[str]]", question.get("offers") or {})
    return offers.get(lasting, [])


def _other(decided: Control, press: Press) -> str:
    """Give the name of who decided before, where it was not the one who presses now."""
    return "" if decided.by == press.by.id else str(decided.body.get("name", ""))


def _noted(conversation: Address, press: Press, answer: Pressed) -> Noted:
    body = answer.model_dump_json()
    if not answer.is_carried_out:
        return Noted(conversation, "ignored", answer.code, press.run, body)
    route: Route = "turn" if answer.run is not None else "verdict" if press.do in AFTERWARDS else "control"
    return Noted(conversation, route, press.do, answer.run or press.run, body)
