"""A question of the agent to its person: asked once, answered once, over restarts; the answer is a tool's result."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Literal

from engine.agent.context import Equipment
from engine.agent.questions import one_at_a_time
from engine.agent.state import Pass, Reviewed
from engine.events import EventStatus, RunEvent
from engine.messages import Value
from engine.ports import Control
from engine.pressed import QUESTION
from engine.tools.ask_user import ANSWER_CHARS, Question, question_of
from engine.tools.base import ToolResult
from engine.tools.cut import clean, cut

State = Literal["answered", "declined", "expired", "stopped"]
_STATUS: dict[str, EventStatus] = {"pending": "in_progress", "answered": "success"}
_GO_ON = "Go on without it, by what is most likely meant, and say what you assumed."
_NOBODY: dict[State, str] = {
    "declined": f"The person gave no answer. {_GO_ON}",
    "expired": f"Nobody answered in time. {_GO_ON}",
    "stopped": "The person stopped the run before they answered.",
}


class Asked(Value):
    """A question as recorded."""

    v: int = 1
    id: str
    deadline_ms: int
    question: Question


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question. `option` is the place of the answer among those that were offered."""

    asked: Asked
    state: State
    words: str = ""
    option: int | None = None
    by: str = ""
    name: str = ""

    def result(self) -> ToolResult:
        """Give it for the model."""
        if self.state != "answered":
            told = _NOBODY[self.state]
            return ToolResult(success=False, summary=told, text=told, error=f"question_{self.state}")
        parsed: dict[str, Any] = {"answer": self.words, "option": self.option}
        return ToolResult(success=True, summary=self.words, text=f"The person answered: {self.words}", parsed=parsed)

    def event(self, work: Pass, path: str, at_ms: int) -> RunEvent:
        """Give what closes the question on the card, in its place."""
        more = {"answer": self.words, "option": self.option, "by": self.by, "name": self.name}
        return _event(work, path, self.asked, (self.state, more), at_ms)


async def ask(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> Reply:
    """Put the question on the card and wait for the person who is worked for, the deadline or a stop.

    Raises:
        ToolRetry: the question makes no sense.
    """
    question, by = question_of(item.args), work.scope.input.by.id
    async with one_at_a_time(work, f"{path}/question"):
        asked = await _asked(work, path, question, equipment)
        control = await work.scope.wait(
            f"{path}/reply", ["choose"], nonce=asked.id, deadline_ms=asked.deadline_ms, who=lambda person: person == by
        )
    if control is None or work.scope.stopping:
        return Reply(asked, "stopped" if work.scope.stopping else "expired")
    return _reply(asked, control)


def _reply(asked: Asked, control: Control) -> Reply:
    words = cut(clean(str(control.body.get("choice") or "")).strip(), ANSWER_CHARS)
    if not words:
        return Reply(asked, "declined", by=control.by)
    options = asked.question.options
    option = options.index(words) if words in options else None
    return Reply(asked, "answered", words, option, control.by, str(control.body.get("name") or ""))


async def _asked(work: Pass, path: str, question: Question, equipment: Equipment) -> Asked:
    clock = equipment.clock

    async def asked() -> Asked:
        deadline_ms = clock.now_ms() + round(equipment.settings.agent.approval_timeout_s * 1000)
        return Asked(id=secrets.token_hex(8), deadline_ms=deadline_ms, question=question)

    def events(value: Asked) -> list[RunEvent]:
        return [_event(work, path, value, ("pending", {}), clock.now_ms())]

    return await work.scope.step(f"{path}/question", asked, result=Asked, events=events)


def _event(work: Pass, path: str, asked: Asked, of: tuple[str, dict[str, Any]], at_ms: int) -> RunEvent:
    state, more = of
    question = asked.question
    content: dict[str, Any] = {
        "id": asked.id,
        "code": QUESTION,
        "for": work.scope.input.by.id,
        "deadline_ms": asked.deadline_ms,
        "question": question.text,
        "options": list(question.options),
        "takes_words": question.takes_words,
        "hint": question.hint,
        "state": state,
        **more,
    }
    status = _STATUS.get(state, "fail")
    return RunEvent(run=work.scope.id, type="choice", content=content, status=status, segment=path, at_ms=at_ms)
