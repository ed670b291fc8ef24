"""The agent: one loop for every run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from engine.agent.context import Equipment, begin
from engine.agent.evaluate import evaluate
from engine.agent.execute import execute, result_message
from engine.agent.judging import doubt, judge
from engine.agent.lanes.lanes import Lanes
from engine.agent.plan import model_turn
from engine.agent.plan_review import review
from engine.agent.prompt import prompt
from engine.agent.routing import GIVEN, WORK_WITH_TOOLS
from engine.agent.staged.stages import Stages, hold_back
from engine.agent.state import ModelTurn, Pass, Stage
from engine.agent.steering import take_in
from engine.events import RunEvent
from engine.messages import TextPart, ToolMessage, UserMessage
from engine.ports import Outcome, RunScope


class Agent:
    """Works for one run at a time per call; holds no state of runs, so one instance serves all of them.

    Example:
        outcome = await Agent(equipment)(scope)
    """

    def __init__(self, equipment: Equipment) -> None:
        self._equipment = equipment
        self._stages: dict[Stage, Callable[[Pass], Awaitable[Stage]]] = {
            Stage.PLAN: self._plan,
            Stage.REVIEW: self._review,
            Stage.EXECUTE: self._execute,
            Stage.EVALUATE: self._evaluate,
            Stage.SUMMARIZE: self._summarize,
        }
        staged = Stages(equipment)
        # For models whose tool calls cannot be relied on: the same stages, their calls read from plans.
        self._staged = self._stages | {
            Stage.PLAN: staged.plan,
            Stage.EVALUATE: staged.evaluate,
            Stage.REPAIR: staged.repair,
        }

    async def __call__(self, scope: RunScope) -> Outcome:
        """Answer the run's input. Ordinary failures and a stop are outcomes; whatever text was visible is kept."""
        work = await begin(scope, self._equipment)
        if work.route is not None and work.route.domains:
            await Lanes(work, self._equipment, _through).run()
        return await self.work_through(work)

    async def work_through(self, work: Pass) -> Outcome:
        """Go from stage to stage until the pass ends."""
        stages = self._stages if work.staging is None else self._staged
        while work.stage is not Stage.END:
            work.enter(await stages[work.stage](work))
        return work.outcome or _outcome(work, "stopped")

    async def aclose(self) -> None:
        """Release the models' connections."""
        await self._equipment.models.aclose()

    async def _plan(self, work: Pass) -> Stage:
        if work.scope.stopping and not work.scope.recorded(f"model/{work.round}"):
            return Stage.END
        await take_in(work, f"steer/{work.round}", f"model/{work.round}", self._equipment.clock)
        turn = await self._ask(work, f"model/{work.round}", tools=True)
        if turn.ended == "tool_calls":
            return _taken_up(work, turn)
        work.outcome = _ended(work, turn)
        return Stage.END

    async def _review(self, work: Pass) -> Stage:
        calls = () if work.turn is None else work.turn.message.calls
        rule, doubts = partial(judge, work, self._equipment), partial(doubt, work)
        reviewed = [review(call, work.toolset, rule, doubts) for call in calls]
        work.reviewed = reviewed if work.staging is None else hold_back(reviewed)
        return Stage.EXECUTE

    async def _execute(self, work: Pass) -> Stage:
        work.results = await execute(work, self._equipment)
        work.messages += [result_message(item) for item in work.results]
        is_cut = len(work.results) < len(work.reviewed) or any(item.stopped for item in work.results)
        return Stage.END if is_cut else Stage.EVALUATE

    async def _evaluate(self, work: Pass) -> Stage:
        return evaluate(work, self._equipment.settings.agent)

    async def _summarize(self, work: Pass) -> Stage:
        if work.scope.stopping and not work.scope.recorded("summary"):
            return Stage.END
        is_whole = work.staging is not None and not work.exhausted
        words = prompt("staged_summarize" if is_whole else "summarize")
        work.messages.append(UserMessage(parts=(TextPart(text=words),)))
        turn = await self._ask(work, "summary", tools=False)
        if work.exhausted:
            await self._tell_why(work)
        work.outcome = _ended(work, turn)
        return Stage.END

    async def _ask(self, work: Pass, path: str, *, tools: bool) -> ModelTurn:
        offered = [WORK_WITH_TOOLS] if work.is_direct and work.tools else work.tools
        turn = await model_turn(work, path, offered if tools else [], self._equipment.clock)
        work.turn = turn
        work.messages.append(turn.message)
        if turn.message.text:
            work.texts.append(turn.message.text)
        return turn

    async def _tell_why(self, work: Pass) -> None:
        code, clock = work.exhausted, self._equipment.clock

        async def told() -> str:
            return code

        def events(value: str) -> list[RunEvent]:
            content = {"code": value, "params": {"rounds": work.round}, "tone": "warning"}
            at_ms, run = clock.now_ms(), work.scope.id
            return [RunEvent(run=run, type="notice", content=content, segment="exhausted", opr="add", at_ms=at_ms)]

        await work.scope.step("exhausted", told, result=str, events=events)


async def _through(equipment: Equipment, work: Pass) -> Outcome:
    """Work a lane through: the same loop, with the lane's agent's own equipment."""
    return await Agent(equipment).work_through(work)


def _taken_up(work: Pass, turn: ModelTurn) -> Stage:
    """Go on with the calls of a turn. One that was to answer at once and asks for tools is given them."""
    if not work.is_direct:
        return Stage.REVIEW
    work.is_direct = False
    if any(call.name != WORK_WITH_TOOLS.name for call in turn.message.calls):
        # It knew a tool from the conversation: what it asks is reviewed like everything.
        return Stage.REVIEW
    work.messages += [ToolMessage(call_id=call.id, name=call.name, text=GIVEN) for call in turn.message.calls]
    work.round += 1
    return Stage.PLAN


def _ended(work: Pass, turn: ModelTurn) -> Outcome:
    if turn.ended == "failed":
        return _outcome(work, "failed").model_copy(update={"error": turn.error, "params": turn.params})
    return _outcome(work, "stopped" if turn.ended == "stopped" else "done")


def _outcome(work: Pass, status: str) -> Outcome:
    """Give the last words as the answer; when the last turn had none, all that was visible before."""
    last = work.turn.message.text if work.turn is not None else ""
    answer = last or "\n\n".join(work.texts)
    return Outcome.model_validate({"status": status, "answer": answer})
