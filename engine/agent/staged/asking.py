"""One question of a stage: asked again while the answer cannot be read, each try one journaled step."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlmodel import Session

from engine.agent.draft import Draft
from engine.agent.memory import remember
from engine.agent.plan import Question, asked, turn_events
from engine.agent.recovery import RECOVERIES
from engine.agent.staged.glimpse import Glimpse, glimpse
from engine.agent.staged.plain import plain, said
from engine.agent.staged.reader import read_evaluation, read_plan, read_repair
from engine.agent.staged.results import EvaluationResult, ExecutionPlan, PlannedAction, RepairPlan, told
from engine.agent.staged.todos import todos_event
from engine.agent.state import ModelTurn, Pass
from engine.agent.steering import take_in
from engine.errors import OutputUnreadable
from engine.events import RunEvent
from engine.messages import AssistantMessage, Message, ToolCall, Value
from engine.ports import Clock
from engine.tools.cut import cut

RE_ASKS = 2
"""How often an answer that cannot be read is asked for again."""
MAX_REPEATED_CHARS = 4_000
"""Of an unreadable answer, so much is shown to its model again."""
MAX_MISSING_CHARS = 500
StageName = Literal["plan", "evaluate", "repair"]
_READERS: dict[StageName, Callable[[str], ExecutionPlan | EvaluationResult | RepairPlan]] = {
    "plan": read_plan,
    "evaluate": read_evaluation,
    "repair": read_repair,
}


@dataclass(frozen=True, slots=True)
class Order:
    """What a stage asks for. `words` stand at the end of the conversation."""

    stage: StageName
    words: str

    @property
    def acts(self) -> bool:
        """Tell whether the answer may hold actions."""
        return self.stage != "evaluate"


class StageAnswer(Value):
    """What one try gave, as recorded: one of the results, or why the answer could not be read."""

    v: int = 1
    turn: ModelTurn
    plan: ExecutionPlan | None = None
    evaluation: EvaluationResult | None = None
    repair: RepairPlan | None = None
    problem: str = ""

    @property
    def actions(self) -> tuple[PlannedAction, ...]:
        """Give the actions of a plan or a repair."""
        planned = self.plan or self.repair
        return () if planned is None else planned.actions

    @property
    def is_over(self) -> bool:
        """Tell whether asking again is useless: it was read, the model failed, or a person stopped it."""
        return not self.problem


async def ask(work: Pass, path: str, order: Order, clock: Clock) -> StageAnswer | None:
    """Give the stage's result; with `problem` when no try could be read, `None` when the run is stopped before one."""
    answer: StageAnswer | None = None
    tried: list[Message] = []
    for again in range(RE_ASKS + 1):
        at = f"{path}/again/{again}" if again else path
        if work.scope.stopping and not work.scope.recorded(at):
            return None
        if order.acts:
            await take_in(work, f"steer/{at}", at, clock)
        answer = await _step(work, at, order, tried, clock)
        if answer.is_over:
            break
        tried += _again(answer)
    return answer


def calls_of(work: Pass, actions: Sequence[PlannedAction]) -> AssistantMessage:
    """Give the actions as the calls of one message, which review, approval and history know."""
    calls = [
        ToolCall(
            id=f"call_{work.scope.id[-8:]}_{work.round}_{place}",
            name=action.tool,
            arguments=json.dumps(action.args, ensure_ascii=False),
        )
        for place, action in enumerate(actions)
    ]
    return AssistantMessage(calls=tuple(calls))


async def _step(work: Pass, at: str, order: Order, tried: Sequence[Message], clock: Clock) -> StageAnswer:
    tools = work.window.offer(work.tools) if order.acts else ()
    # The conversation is read when the step runs: what was taken in just before belongs to it.
    question = Question((*plain(work.messages, f"staged_{order.stage}", tools), said(order.words), *tried))

    async def fn() -> StageAnswer:
        return _answer(await asked(work, question, Draft(work, at, clock, glimpse=Glimpse())), order.stage)

    def also(session: Session, answer: StageAnswer) -> None:
        if answer.actions:
            message = calls_of(work, answer.actions)
            remember(work, session, message, at, clock.now_ms())

    return await work.scope.step(
        at, fn, result=StageAnswer, events=lambda answer: _events(work, at, answer, clock.now_ms()), also=also
    )


def _answer(turn: ModelTurn, stage: StageName) -> StageAnswer:
    if turn.ended in ("failed", "stopped"):
        return StageAnswer(turn=turn)
    if turn.ended == "length":
        # What of it can be read may be the first half of a plan.
        return StageAnswer(turn=turn, problem="it was cut off because it is too long; give a shorter one")
    try:
        result = _READERS[stage](turn.message.text)
    except OutputUnreadable as error:
        return StageAnswer(turn=turn, problem=str(error))
    return StageAnswer.model_validate({"turn": turn, stage if stage != "evaluate" else "evaluation": result})


def _again(answer: StageAnswer) -> list[Message]:
    repeated = cut(answer.turn.message.text, MAX_REPEATED_CHARS)
    words = RECOVERIES["model_bad_output"].told(f"Your answer could not be read: {answer.problem}")
    return [AssistantMessage(text=repeated), said(words)]


def _events(work: Pass, at: str, answer: StageAnswer, at_ms: int) -> list[RunEvent]:
    """Give what is stored of a try: a plan in readable lines, folded, its to-dos, and the usage; never as an answer."""
    shown = AssistantMessage(reasoning=_words(answer))
    ended: Any = "stop" if answer.turn.ended == "length" else answer.turn.ended
    turn = answer.turn.model_copy(update={"message": shown, "ended": ended})
    events = list(turn_events(work, at, turn, at_ms))
    if not shown.reasoning:
        # What was seen of it while it came is taken back: a thought of no words.
        events.append(_thought(work, at, at_ms))
    if answer.evaluation is not None and not answer.evaluation.completed:
        events.append(_missing_event(work, at, answer.evaluation, at_ms))
    return [*events, todos_event(work, at, answer.actions, [], at_ms)] if answer.actions else events


def _thought(work: Pass, at: str, at_ms: int) -> RunEvent:
    return RunEvent(
        run=work.scope.id,
        type="thinking",
        status="success",
        segment=at,
        opr="replace",
        visibility="folded",
        at_ms=at_ms,
    )


def _missing_event(work: Pass, at: str, judged: EvaluationResult, at_ms: int) -> RunEvent:
    """Give what the person reads when what was done is not yet what was asked for."""
    missing = "; ".join(judged.missing) or judged.repair_goal or ""
    content = {"code": "criteria_not_met", "params": {"missing": cut(missing, MAX_MISSING_CHARS)}, "tone": "info"}
    return RunEvent(run=work.scope.id, type="notice", content=content, segment=f"{at}/missing", at_ms=at_ms)


def _words(answer: StageAnswer) -> str:
    """Give what a person reads of an answer: never its form."""
    planned = answer.plan or answer.repair
    if planned is not None:
        return told(planned)
    if answer.evaluation is not None:
        return "\n".join([*answer.evaluation.evidence, *answer.evaluation.missing])
    return "" if answer.problem else glimpse(answer.turn.message.text)
