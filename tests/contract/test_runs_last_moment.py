"""Between the recorded end of a run and its last transaction: the card shows the end, so its buttons count."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.messages import Address, RunId
from engine.ports import Delivered, Outcome, Owed
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import ANN, House, inbox_key, running
from tests.contract.processes.recording import RecordingSurface


class HeldSurface(RecordingSurface):
    """Shows the last word, and tells so when the test lets it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.closing = asyncio.Event()
        self.let_go = asyncio.Event()

    async def close(self, run: RunId, outcome: Outcome, *, within_s: float) -> Delivered | Owed:
        self.closing.set()
        await self.let_go.wait()
        return await super().close(run, outcome, within_s=within_s)


@asynccontextmanager
async def held(place: Place) -> AsyncIterator[tuple[House, HeldSurface, RunId]]:
    """Give a run that is held between the two."""
    surface = HeldSurface(place.home / "surface.jsonl")
    async with running(place.url, place.home, surface=surface) as house:
        run = (await house.say("hello")).run
        await asyncio.wait_for(surface.closing.wait(), 10)
        view = await house.runtime.run_view(run)
        assert view is not None and view.status == "running"
        yield house, surface, run


@pytest.mark.parametrize(("do", "code"), [("satisfied", "verdict"), ("abandon", "verdict"), ("revise", "revising")])
async def test_a_verdict_counts_from_the_recorded_end_on(place: Place, do: Any, code: str) -> None:
    async with held(place) as (house, surface, run):
        pressed = await house.press(run, do, words="better")
        assert pressed.code == code
        assert (await house.press(run, "stop")).code == "already_ended"
        surface.let_go.set()
        assert (await house.ended(run)).answer == "answer to hello"
        verdicts = "SELECT verdict FROM nm_verdict WHERE run = :run"
        rows = await house.runtime.database.read(lambda s: execute(s, verdicts, run=run).scalars().all())
        assert rows == [do]
        await house.until(lambda: house.seen("deliver", run), 3)
        changed = house.seen("deliver", run)
        assert len(changed) == 1 and "verdict" in changed[0]["history"] and changed[0]["seen"]
        assert changed[0]["at"] >= house.seen("final", run)[0]["at"], "the change follows the end"
        if pressed.run is not None:
            assert (await house.ended(pressed.run)).answer == "answer to better"


async def test_a_retry_then_begins_when_the_run_is_over(place: Place) -> None:
    async with held(place) as (house, surface, run):
        pressed = await house.press(run, "retry")
        assert pressed.code == "retrying" and pressed.run is not None
        assert (await house.press(run, "retry")).code == "newer"
        view = await house.runtime.run_view(pressed.run)
        assert view is not None and view.status == "queued"
        surface.let_go.set()
        again = await house.ended(pressed.run)
        assert (again.answer, again.attempt_index) == ("answer to hello", 2)
        await house.until(lambda: house.seen("deliver", run), 3)


async def test_who_asks_by_command_then_is_told_of_that_answer_and_has_it_once(place: Place) -> None:
    async with held(place) as (house, surface, run):
        last = await house.runtime.conversations.last_ended(Address("chat"), ANN.id)
        everywhere = await house.runtime.conversations.ended_of(ANN.id, "chat")
        assert last is not None and [last.id, *(each.id for each in everywhere)] == [run, run]
        assert await house.runtime.resend(inbox_key("a", "command"), Address("chat"), run) == "on_its_way"
        surface.let_go.set()
        await house.ended(run)
        sql = "SELECT status, reason FROM nm_delivery WHERE run = :run ORDER BY id"
        for _ in range(100):
            rows = await house.runtime.database.read(lambda s: execute(s, sql, run=run).all())
            if rows[-1].status != "owed":
                break
            await asyncio.sleep(0.05)
        assert [tuple(row) for row in rows] == [("delivered", ""), ("unchanged", "came_meanwhile")]


async def test_before_the_end_is_recorded_it_is_still_running(place: Place) -> None:
    go = asyncio.Event()

    async def work(_scope: Any) -> Outcome:
        await go.wait()
        return Outcome(status="done", answer="x")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        assert (await house.press(run, "satisfied")).code == "running"
        assert await house.runtime.conversations.last_ended(Address("chat"), ANN.id) is None
        assert await house.runtime.resend(inbox_key("a", "command"), Address("chat"), run) == "running"
        go.set()
        await house.ended(run)
