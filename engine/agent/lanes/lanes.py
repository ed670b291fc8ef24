"""All lanes of a run: group after group, those of a group beside each other, every one settled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.agent.context import Equipment
from engine.agent.lanes.lane import Place, Through, run_lane
from engine.agent.lanes.ordering import STEP, lane_plan
from engine.agent.lanes.plan import LanePlan, PlannedLane
from engine.agent.lanes.result import LaneResult, aggregation
from engine.agent.state import Pass
from engine.events import RunEvent
from engine.messages import TextPart, UserMessage
from engine.profiles import Profile


class Lanes:
    """Lets the domain agents of a run's route work, and gives their results to the main agent. One per run."""

    def __init__(self, work: Pass, equipment: Equipment, through: Through) -> None:
        self._work = work
        self._equipment = equipment
        self._place = Place(work, equipment, through, tuple(work.messages))
        self._room = asyncio.Semaphore(equipment.settings.agent.lanes_at_once)
        self._status: dict[str, str] = {}

    async def run(self) -> None:
        """Work, and put the results before the main agent's model. Nothing happens where no agent is there any more.

        A stop ends all lanes; the pass is then left as it was, and its loop ends it.
        """
        agents = _agents(self._work, self._equipment)
        if not agents and not self._work.scope.recorded(STEP):
            return
        plan = await lane_plan(self._work, self._equipment, agents)
        self._status = {lane.id: "pending" for lane in plan.lanes}
        results: list[LaneResult] = []
        for step in plan.steps:
            if self._work.scope.stopping and not all(self._is_over(lane) for lane in step):
                return
            results += await self._settled(plan, step, tuple(results))
        if results:
            self._hand_over(results)

    def _hand_over(self, results: Sequence[LaneResult]) -> None:
        roster = self._equipment.roster
        own = "" if roster is None else roster.main.aggregate_prompt
        known = {} if roster is None else {each.id: each for each in roster.all}
        agents = [known[name] for name in dict.fromkeys(each.agent for each in results) if name in known]
        words = aggregation(results, agents, own)
        self._work.messages.append(UserMessage(parts=(TextPart(text=words),)))
        self._work.is_direct = self._work.staging is None
        self._work.has_heard = self._work.has_heard or any(each.has_read_foreign for each in results)

    async def _settled(
        self, plan: LanePlan, step: Sequence[PlannedLane], earlier: Sequence[LaneResult]
    ) -> list[LaneResult]:
        """Give the results in the plan's order, whichever lane is faster."""
        tasks = [asyncio.create_task(self._one(plan, lane, earlier)) for lane in step]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
            return [await task for task in tasks]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, plan: LanePlan, lane: PlannedLane, earlier: Sequence[LaneResult]) -> LaneResult:
        async with self._room:
            if self._work.scope.stopping and not self._is_over(lane):
                return LaneResult(lane=lane.id, agent=lane.agent, status="stopped")
            self._tell(plan, lane, "in_progress")
            result = await run_lane(self._place, lane, self._title(lane), earlier)
            self._tell(plan, lane, "success" if result.status == "done" else "fail")
            return result

    def _is_over(self, lane: PlannedLane) -> bool:
        return self._work.scope.recorded(f"lane/{lane.id}/end")

    def _tell(self, plan: LanePlan, lane: PlannedLane, status: str) -> None:
        """Show how far the lanes are; one alone is told by itself."""
        self._status[lane.id] = status
        if len(plan.lanes) < 2:
            return
        items = [{"id": each.id, "title": self._title(each), "status": self._status[each.id]} for each in plan.lanes]
        is_over = all(each in ("success", "fail") for each in self._status.values())
        self._work.scope.show(
            RunEvent(
                run=self._work.scope.id,
                type="todos",
                content={"items": items},
                status="success" if is_over else "in_progress",
                segment=STEP,
                at_ms=self._equipment.clock.now_ms(),
            )
        )

    def _title(self, lane: PlannedLane) -> str:
        roster = self._equipment.roster
        profile = None if roster is None else roster.get(lane.agent)
        if profile is None:
            return lane.id
        name = profile.name.zh if _is_chinese(self._work.scope.input.text) else profile.name.en
        return name + lane.id.removeprefix(lane.agent).replace("-", " ")


def _is_chinese(text: str) -> bool:
    return any("\u3400" <= char <= "\u9fff" for char in text)


def _agents(work: Pass, equipment: Equipment) -> list[Profile]:
    """Give the agents of the route that are there now."""
    if equipment.roster is None or work.route is None:
        return []
    known = {each.id: each for each in equipment.roster.domains}
    return [known[name] for name in work.route.domains if name in known]
