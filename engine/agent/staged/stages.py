"""The stages of a run whose model writes plans: Plan, Evaluate, Repair. Review and Execute are those of every run."""

from __future__ import annotations

from collections.abc import Sequence

from engine.agent.context import Equipment
from engine.agent.evaluate import count, used_up
from engine.agent.staged.asking import Order, StageAnswer, ask, calls_of
from engine.agent.staged.results import ExecutionPlan, render
from engine.agent.staged.rules import Ruled, rule
from engine.agent.staged.todos import todos_event
from engine.agent.state import ModelTurn, Pass, Rejected, Reviewed, Stage, Staging
from engine.agent.steering import take_in
from engine.ports import Outcome

HELD_BACK = "not run: another action of the plan cannot run, so none of it was begun"


class Stages:
    """Makes plans into calls, and judges what they gave; holds no state of runs."""

    def __init__(self, equipment: Equipment) -> None:
        self._equipment = equipment

    async def plan(self, work: Pass) -> Stage:
        """Ask for a plan; none that can be read ends the run."""
        staging, at = _staging(work), f"plan/{work.round}"
        answer = await ask(work, at, Order("plan", "Give the plan now."), self._equipment.clock)
        if _is_end(work, answer) or answer is None or answer.plan is None:
            if work.outcome is None and answer is not None and answer.problem:
                work.outcome = Outcome(status="failed", error="model_bad_output", params={"model": work.model.name})
            return Stage.END
        staging.plan = answer.plan
        return self._take_up(work, at, answer)

    async def evaluate(self, work: Pass) -> Stage:
        """Judge the round: by rules, then, where they find nothing and there are criteria, by the model."""
        staging, at = _staging(work), f"evaluate/{work.round}"
        ruled = await self._rules(work, f"{at}/rules")
        count(work)
        why = used_up(work, self._equipment.settings.agent)
        if not why and await self._was_steered(work, at):
            return Stage.PLAN
        if ruled.is_denied:
            return Stage.SUMMARIZE
        staging.missing, staging.repair_goal = ruled.result().missing, ""
        if not staging.missing and not await self._is_complete(work, at):
            return Stage.END
        if not staging.missing:
            return Stage.PLAN if not why and await self._was_steered(work, f"{at}/end") else Stage.SUMMARIZE
        if not why and staging.repairs >= self._equipment.settings.agent.max_repairs:
            why = "not_completed"
        work.exhausted = why
        return Stage.SUMMARIZE if why else Stage.REPAIR

    async def repair(self, work: Pass) -> Stage:
        """Ask what is to be done about what is missing; nothing, or nothing readable, goes to the summary."""
        staging, at = _staging(work), f"repair/{work.round}"
        staging.repairs += 1
        answer = await ask(work, at, Order("repair", _repair_words(staging)), self._equipment.clock)
        if _is_end(work, answer) or answer is None:
            return Stage.END
        if answer.repair is None or not answer.repair.actions:
            work.exhausted = "not_completed"
            return Stage.SUMMARIZE
        return self._take_up(work, at, answer)

    def _take_up(self, work: Pass, at: str, answer: StageAnswer) -> Stage:
        """Make the actions the calls of this round."""
        staging = _staging(work)
        staging.actions, staging.at, staging.shown = answer.actions, at, {}
        if not answer.actions:
            return Stage.SUMMARIZE
        message = calls_of(work, answer.actions)
        work.turn = ModelTurn(message=message, ended="tool_calls")
        work.messages.append(message)
        return Stage.REVIEW

    async def _rules(self, work: Pass, path: str) -> Ruled:
        staging, results = _staging(work), list(work.results)

        async def ruled() -> Ruled:
            return rule(staging.actions, results)

        at_ms = self._equipment.clock.now_ms()
        return await work.scope.step(
            path,
            ruled,
            result=Ruled,
            events=lambda _: [todos_event(work, staging.at, staging.actions, results, at_ms)],
        )

    async def _is_complete(self, work: Pass, at: str) -> bool:
        """Let the model judge, and put down what it finds missing; false ends the run."""
        staging = _staging(work)
        plan = staging.plan
        if plan is None or not plan.success_criteria:
            return True
        answer = await ask(work, at, Order("evaluate", _evaluate_words(plan)), self._equipment.clock)
        if _is_end(work, answer) or answer is None:
            return False
        judged = answer.evaluation
        if judged is not None and not judged.completed:
            staging.repair_goal = judged.repair_goal or ""
            staging.missing = judged.missing or (staging.repair_goal,)
        return True

    async def _was_steered(self, work: Pass, at: str) -> bool:
        """Take in what was said meanwhile: it is planned for, so that nobody's words are only talked about."""
        later = (f"evaluate/{work.round - 1}", f"repair/{work.round}", f"plan/{work.round}", "summary")
        passed = later[1:] if at.endswith("/end") else later
        before = len(work.messages)
        await take_in(work, f"steer/{at}", passed, self._equipment.clock)
        return len(work.messages) > before


def hold_back(reviewed: Sequence[Reviewed | Rejected]) -> list[Reviewed | Rejected]:
    """Let nothing of a plan run of which some call cannot: it was planned as one."""
    if not any(isinstance(item, Rejected) and item.code != "permission_denied" for item in reviewed):
        return list(reviewed)
    return [item if isinstance(item, Rejected) else Rejected(item.call, HELD_BACK, "held_back") for item in reviewed]


def _staging(work: Pass) -> Staging:
    if work.staging is None:
        raise ValueError("this run's model is not asked for plans")
    return work.staging


def _is_end(work: Pass, answer: StageAnswer | None) -> bool:
    """Tell whether the run ends here, stopped or with a failed model."""
    if answer is None or answer.turn.ended == "stopped":
        return True
    if answer.turn.ended == "failed":
        work.outcome = Outcome(status="failed", error=answer.turn.error, params=answer.turn.params)
        return True
    return False


def _evaluate_words(plan: ExecutionPlan) -> str:
    criteria = "\n".join(f"- {each}" for each in plan.success_criteria)
    return f"The goal: {plan.goal}\nThe criteria:\n{criteria}\nGive the evaluation now."


def _repair_words(staging: Staging) -> str:
    missing = "\n".join(f"- {each}" for each in staging.missing)
    plan = "" if staging.plan is None else f"The plan was: {render(staging.plan)}\n"
    goal = f"What is to be reached: {staging.repair_goal}\n" if staging.repair_goal else ""
    return f"{plan}{goal}What is missing:\n{missing}\nGive the repair plan now."
