"""What becomes of an answer that cannot be shown: tried for days, then given up aloud, and taken up again."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import RunId
from engine.ports import Delivered, Opening, Owed, Unchanged
from engine.runs import ledger
from engine.storage.database import Database
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import FAST, House, running

DOWN = Owed(reason="down")


@dataclass
class Counts:
    """A watcher that remembers."""

    ended: list[str] = field(default_factory=list)
    died: list[str] = field(default_factory=list)
    dead: int = 0
    pending: dict[str, int] = field(default_factory=dict[str, int])
    oldest_ms: int | None = None

    def run_ended(self, status: str) -> None:
        self.ended.append(status)

    def letter_died(self, reason: str) -> None:
        self.died.append(reason)

    def dead_letters(self, count: int) -> None:
        self.dead = count

    def recorded(self, event: RunEvent) -> None: ...

    def deliveries(self, pending: Mapping[str, int], oldest_ms: int | None) -> None:
        self.pending, self.oldest_ms = dict(pending), oldest_ms


async def rows(house: House, run: str) -> list[tuple[str, str, str]]:
    sql = "SELECT kind, status, reason FROM nm_delivery WHERE run = :run ORDER BY id"
    return [tuple(row) for row in await house.runtime.database.read(lambda s: execute(s, sql, run=run).all())]


async def tries(house: House, run: str) -> int:
    sql = "SELECT tries FROM nm_delivery WHERE run = :run"
    return await house.runtime.database.read(lambda s: execute(s, sql, run=run).scalar_one())


async def change(house: House, run: str, what: str) -> None:
    sql = f"UPDATE nm_delivery SET {what}, due_at = 0 WHERE run = :run"
    await house.runtime.database.run(lambda s: execute(s, sql, run=run))
    house.runs.replica.owed.set()


async def tried(house: House, run: str, times: int) -> None:
    await house.until(lambda: len(house.seen("deliver_refused", run)) >= times)
    await house.until(lambda: not house.runs._deliveries._tries)


async def owed(house: House, result: Owed = DOWN) -> RunId:
    """Let a run end whose answer nobody saw yet, tried once by the queue."""
    house.surface.refuse = house.surface.refuse_deliver = result
    run = (await house.say("hello")).run
    await house.ended(run)
    await tried(house, run, 1)
    return run


def letters(house: House) -> tuple[bool, str]:
    check = next(check for check in house.runtime.readiness() if check.name == "deliveries")
    return check.ok, check.code


OLD = f"tries = {ledger.LEAST_TRIES}, created_at = created_at - {ledger.DEAD_AFTER_MS}"


async def test_an_old_answer_is_given_up_aloud_and_comes_back_when_it_is_shown(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    counts = Counts()
    async with running(place.url, place.home) as house:
        house.runtime.watched_by(counts)
        run = await owed(house)
        assert (await rows(house, run), letters(house)) == ([("final", "owed", "down")], (True, "ok"))
        await change(house, run, OLD)
        await house.until(lambda: counts.dead == 1)
        assert await rows(house, run) == [("final", "dead", "down")]
        assert letters(house) == (False, "dead_letters")
        assert counts.died == ["down"]
        errors = [each for each in caplog.records if each.msg == "dead_letter" and each.levelno == logging.ERROR]
        assert [each.__dict__["run"] for each in errors] == [run]
        house.surface.refuse_deliver = None
        assert (await house.press(run, "satisfied")).code == "verdict"
        await house.until(lambda: counts.dead == 0)
        assert letters(house) == (True, "ok")
        assert [row[1] for row in await rows(house, run)] == ["delivered", "delivered"]


async def test_forty_tries_in_a_bad_hour_give_nothing_up(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = await owed(house)
        await change(house, run, "tries = 100")
        await tried(house, run, 2)
        assert await rows(house, run) == [("final", "owed", "down")]


async def test_a_platform_that_is_away_costs_no_try(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = await owed(house, Owed(reason="not_connected", away=True))
        assert await tries(house, run) == 0
        await change(house, run, OLD)
        await tried(house, run, 2)
        assert await rows(house, run) == [("final", "owed", "not_connected")]
        assert await tries(house, run) == ledger.LEAST_TRIES


async def test_what_was_put_off_while_the_clock_was_ahead_is_tried_when_it_is_right_again(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = await owed(house)
        ahead_ms = 15 * 60_000
        sql = "UPDATE nm_delivery SET due_at = due_at + :ahead WHERE run = :run"
        await house.runtime.database.run(lambda s: execute(s, sql, run=run, ahead=ahead_ms))
        house.surface.refuse_deliver = None
        house.runs.replica.owed.set()
        await house.until(lambda: len(house.seen("deliver", run)) >= 1)


async def test_what_will_never_be_taken_is_told_but_leaves_the_gateway_ready(place: Place) -> None:
    counts = Counts()
    async with running(place.url, place.home) as house:
        house.runtime.watched_by(counts)
        house.surface.refuse = Owed(reason="chat_gone", permanent=True)
        run = (await house.say("hello")).run
        await house.ended(run)
        await house.until(lambda: counts.dead == 1)
        assert (counts.died, letters(house)) == (["chat_gone"], (True, "dead_letters"))


async def test_a_restart_tries_what_was_given_up_once_more(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = await owed(house)
        await change(house, run, OLD)
        await tried(house, run, 2)
        assert await rows(house, run) == [("final", "dead", "down")]
    async with running(place.url, place.home) as house:
        await house.until(lambda: house.seen("deliver", run))
        await house.until(lambda: not house.runs._deliveries._tries)
        assert await rows(house, run) == [("final", "delivered", "")]


async def test_an_answer_that_kills_its_process_is_given_up(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = await owed(house)
        await change(house, run, f"reason = 'trying {ledger.MOST_UNRETURNED}'")
        await house.until(lambda: not house.runs._deliveries._tries and letters(house)[1] == "dead_letters")
        assert await rows(house, run) == [("final", "dead", "poison")]
        assert len(house.seen("deliver_refused", run)) == 1
    async with running(place.url, place.home) as house:
        await house.until(lambda: letters(house)[1] == "dead_letters")
        assert await rows(house, run) == [("final", "dead", "poison")], "it would end this process too"


async def test_a_try_that_a_drain_cuts_is_no_try_that_killed_its_process(place: Place) -> None:
    """A platform that hangs while somebody restarts six times must not cost the answer."""
    begun = asyncio.Event()

    async def hang(*_given: Any) -> Owed:
        begun.set()
        await asyncio.sleep(60)
        return DOWN

    async with running(place.url, place.home, settings=FAST.model_copy(update={"drain_s": 0.1})) as house:
        run = await owed(house)
        house.surface.deliver = hang
        await change(house, run, "reason = 'trying 1'")
        await asyncio.wait_for(begun.wait(), 5)
        assert await rows(house, run) == [("final", "owed", "trying 2")]
    database = Database(place.url, place.home)
    sql = "SELECT status, reason, due_at FROM nm_delivery WHERE run = :run"
    row = await database.read(lambda session: execute(session, sql, run=run).one())
    database.close()
    assert (row.status, row.reason) == ("owed", "")
    assert row.due_at <= time.time() * 1000, "the next process need not wait"


async def test_an_answer_that_kills_its_process_takes_no_others_with_it(place: Place) -> None:
    """Whatever was in work when a process ended is marked; from the second mark on each is tried alone."""
    begun: list[RunId] = []
    at_once, most = 0, 0

    async def deliver(opening: Opening, *_more: Any) -> Delivered:
        nonlocal at_once, most
        begun.append(opening.run)
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.05)
        at_once -= 1
        return Delivered(receipt={})

    async with running(place.url, place.home) as house:
        house.surface.refuse = house.surface.refuse_deliver = DOWN
        runs = [(await house.say("hello", to=chat)).run for chat in "abc"]
        for run in runs:
            await tried(house, run, 1)
        house.surface.deliver = deliver
        marks = dict(zip(runs, ("trying 3", "trying 2", "down"), strict=True))

        def mark(session: Session) -> None:
            for run, reason in marks.items():
                execute(session, "UPDATE nm_delivery SET reason = :r, due_at = 0 WHERE run = :run", r=reason, run=run)

        await house.runtime.database.run(mark)
        house.runs.replica.owed.set()
        await house.until(lambda: len(begun) == 3 and not house.runs._deliveries._tries, 5)
        assert (begun, most) == (runs[::-1], 1)
        for run in runs:
            assert await rows(house, run) == [("final", "delivered", "")]


async def test_a_change_that_cannot_be_shown_is_no_dead_letter(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = (await house.say("hello")).run
        await house.ended(run)
        house.surface.refuse_deliver = Unchanged(reason="plain_message")
        assert (await house.press(run, "satisfied")).code == "verdict"
        await tried(house, run, 1)
        assert await rows(house, run) == [("final", "delivered", ""), ("refresh", "unchanged", "plain_message")]
        assert letters(house) == (True, "ok")


async def test_every_end_is_counted_also_of_a_run_that_was_poisoned(place: Place) -> None:
    counts = Counts()
    async with running(place.url, place.home) as house:
        house.runtime.watched_by(counts)
        stuck = "UPDATE nm_run SET stuck = 6, excused = 0, seen = 99 WHERE status = 'queued'"
        house.runs.replica.draining.set()
        run = (await house.say("hello")).run
        await house.runtime.database.run(lambda s: execute(s, stuck))
        house.runs.replica.draining.clear()
        house.runs._queue.kick()
        assert (await house.ended(run)).status == "failed"
        await house.ended((await house.say("again")).run)
        assert counts.ended == ["failed", "done"]


async def test_what_a_dead_replica_tried_while_its_clock_was_ahead_is_tried_by_another_one(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = await owed(house)

        def left(session: Session) -> None:
            beyond = "UPDATE nm_delivery SET due_at = due_at + :ahead, reason = 'trying 1' WHERE run = :run"
            execute(session, beyond, run=run, ahead=3 * 3_600_000)
            execute(session, "UPDATE nm_run SET owner = 'gone' WHERE id = :run", run=run)

        await house.runtime.database.run(left)
        house.surface.refuse_deliver = None
        house.runs.replica.owed.set()
        await house.until(lambda: len(house.seen("deliver", run)) >= 1, 8)
