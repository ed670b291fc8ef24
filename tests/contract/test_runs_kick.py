"""The private names of the queue library may change: everything still runs, only slower."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from dbos import DBOS

from engine.ports import Control, Outcome, RunScope
from engine.runs.dbos import queue, recovery
from engine.storage.statement import change, execute
from tests.contract.conftest import Place
from tests.contract.processes.child import Child
from tests.contract.processes.house import FAST, House, answer, running, until
from tests.contract.processes.recording import RecordingSurface
from tests.contract.processes.works import Works, acts


async def test_runs_go_on_by_polling_when_the_kick_is_broken(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(self: queue.Kick) -> None:
        raise AttributeError("start_queued_partitioned_workflows")

    # The fault: a newer library without the private name.
    monkeypatch.setattr(queue.Kick, "claim", gone)
    async with running(place.url, place.home) as house:
        runs = [(await house.say(str(n))).run for n in range(3)]
        for run in runs:
            assert (await house.ended(run)).status == "done"
        assert [line["run"] for line in house.seen("final")] == runs
    assert caplog.text.count("kick_broken") == 1


async def test_the_librarys_own_claim_serves_when_its_table_has_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # The fault: a newer library whose table lacks a column.
    monkeypatch.setattr(queue, "_HEADS", queue._HEADS.replace("w.priority", "w.no_such_column"))
    async with running(place.url, place.home) as house:
        runs = [(await house.say(str(n))).run for n in range(3)]
        for run in runs:
            assert (await house.ended(run)).status == "done"
        assert [line["run"] for line in house.seen("final")] == runs
    assert "claim_by_text_broken" in caplog.text and "kick_broken" not in caplog.text


@pytest.mark.parametrize("way", ["claim_by_text", "claim_by_library"])
async def test_both_claims_take_the_first_in_line_of_each_free_conversation(place: Place, way: str) -> None:
    async with running(place.url, place.home) as house:
        kick = house.runs._queue._kick  # type: ignore[attr-defined]
        await kick.stop()
        runs = {(to, n): (await house.say(str(n), to=to)).run for n in range(3) for to in ("a", "b")}

        async def claim(room: int, token: str) -> list[str]:
            if way == "claim_by_library":
                return await asyncio.to_thread(kick.claim_by_library, room, token)
            won = await house.runtime.database.run(lambda session: kick.claim_by_text(session, room, token))
            return [each.run for each in won]

        assert set(await claim(10, "token 1")) == {runs["a", 0], runs["b", 0]}
        assert await claim(10, "token 2") == []
        assert await asyncio.to_thread(house.runs._queue.give_back, house.runs.replica.id) == 2
        assert len(await claim(1, "token 3")) == 1


async def test_a_dead_replicas_runs_come_back_when_the_recovery_function_is_gone(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Child(place, "slow") as child:
        run = await child.say()
        await until(lambda: acts(place.home))
        await child.kill()
    # The fault: a newer library without the private name.
    monkeypatch.delattr(DBOS, "_recover_pending_workflows")
    surface = RecordingSurface(place.home / "surface.jsonl")
    work = Works(place.home / "work.jsonl", surface).slow
    async with running(place.url, place.home, work, surface=surface) as house:
        assert (await house.ended(run)).answer == "0123"


async def test_giving_back_is_idempotent_and_leaves_others_alone(place: Place) -> None:
    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done", answer=f"attempt {scope.attempt}")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await house.until(lambda: house.runs.replica.active)
        engine = house.runtime.database.engine
        for give_back in (recovery.give_back, recovery.give_back_by_statement):
            assert await asyncio.to_thread(give_back, engine, "somebody else") == 0
        go.set()
        assert (await house.ended(run)).answer == "attempt 1"


async def test_the_journal_has_no_steps_in_the_librarys_tables(place: Place) -> None:
    async with running(place.url, place.home) as house:
        await house.ended((await house.say("hello")).run)
        table = "operation_outputs" if place.name == "sqlite" else "dbos.operation_outputs"
        steps = await house.runtime.database.read(lambda s: execute(s, f"SELECT count(*) FROM {table}").scalar())
        assert steps == 0


def _table(place: Place, name: str) -> str:
    return name if place.name == "sqlite" else f"dbos.{name}"


@pytest.mark.parametrize("column", ["w.priority", None], ids=["claimed by the library", "claimed by text"])
async def test_an_ended_run_is_out_of_the_queue(
    place: Place, monkeypatch: pytest.MonkeyPatch, column: str | None
) -> None:
    if column is not None:
        monkeypatch.setattr(queue, "_HEADS", queue._HEADS.replace(column, "w.no_such_column"))
    async with running(place.url, place.home) as house:
        run = (await house.say("hello")).run
        assert (await house.ended(run)).status == "done"
        status = f"SELECT status FROM {_table(place, 'workflow_status')} WHERE workflow_uuid = :run"
        inputs = f"SELECT count(*) FROM {_table(place, 'workflow_input')} WHERE workflow_uuid = :run"

        async def left() -> list[str]:
            return await house.runtime.database.read(lambda s: list(execute(s, status, run=run).scalars()))

        if column is None:
            assert await left() == []
            assert await house.runtime.database.read(lambda s: execute(s, inputs, run=run).scalar()) == 0
        else:
            # The conversation's next run waits for the library to store the outcome.
            await house.ended((await house.say("next")).run)
            assert await left() == ["SUCCESS"]


async def test_a_run_that_had_ended_before_its_claim_leaves_the_queue(place: Place) -> None:
    async with running(place.url, place.home) as house:
        kick = house.runs._queue._kick  # type: ignore[attr-defined]
        kick._by_text = False
        first = await house.say("first")
        await house.ended(first.run)
        # The library has stored its outcome when the conversation's next run has ended.
        kick._by_text = True
        run = (await house.say("hello")).run
        await house.ended(run)
        table = _table(place, "workflow_status")
        sql = f"""UPDATE {table} SET status = 'ENQUEUED', owner_xid = NULL WHERE workflow_uuid = :run"""
        # The fault: the process died between the end of a run and the library's note of it.
        assert await house.runtime.database.run(lambda s: change(s, sql, run=first.run)) == 1
        house.runs._queue.kick()

        # The next one of the conversation can only run when that is out of the way.
        assert (await house.ended((await house.say("next")).run)).status == "done"
        count = f"SELECT count(*) FROM {table} WHERE workflow_uuid = :run"
        assert await house.runtime.database.read(lambda s: execute(s, count, run=first.run).scalar()) == 0


async def test_a_claim_shares_the_commit_of_its_submit(place: Place) -> None:
    if place.name != "sqlite":
        pytest.skip("writes of several connections share nothing")
    begun, go = asyncio.Event(), asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        begun.set()
        await go.wait()
        return Outcome(status="done", answer="")

    async with running(place.url, place.home, work) as house:
        writer = house.runtime.database._writer
        assert writer is not None
        await house.until(lambda: house.runs._queue._kick._task is None)  # type: ignore[attr-defined]
        held, free = threading.Event(), threading.Event()
        hold = asyncio.ensure_future(house.runtime.database.run(lambda s: (held.set(), free.wait(10))))
        await asyncio.to_thread(held.wait, 10)
        saying = [asyncio.ensure_future(house.say(str(n), to=str(n))) for n in range(5)]
        await asyncio.sleep(0.05)
        before = writer.commits
        free.set()
        said = await asyncio.gather(*saying)
        # `before` counts neither the write that held all up nor the one commit of the five submits and their claim.
        assert writer.commits <= before + 2
        sql = "SELECT count(*) FROM nm_run WHERE status = 'running'"
        assert await house.runtime.database.read(lambda s: execute(s, sql).scalar()) == 5
        await hold
        await begun.wait()
        go.set()
        for each in said:
            assert (await house.ended(each.run)).status == "done"


async def test_who_is_slow_takes_nothing_out_of_the_queue_and_goes_on_when_it_is_quick_again(place: Place) -> None:
    if place.name != "sqlite":
        pytest.skip("the library's own poll, once a second there, does not ask")
    async with running(place.url, place.home) as house:
        house.runs._membership._beats.slow = lambda _is_slow: None
        house.runs.replica.slow = True
        run = (await house.say("hello")).run
        await asyncio.sleep(0.3)
        assert await asyncio.to_thread(house.runs._queue.held) == {}
        house.runs.replica.slow = False
        assert (await house.ended(run, 2)).status == "done"


async def test_never_more_runs_than_the_limit(place: Place) -> None:
    at_work, most = 0, 0

    async def work(scope: RunScope) -> Outcome:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        # Longer than a busy machine needs to store the next ones.
        await asyncio.sleep(0.3)
        at_work -= 1
        return Outcome(status="done", answer="")

    settings = FAST.model_copy(update={"concurrency": 3})
    async with running(place.url, place.home, work, settings=settings) as house:
        said = [await house.say(str(n), to=str(n)) for n in range(12)]
        for each in said:
            assert (await house.ended(each.run)).status == "done"
    assert most == 3


async def test_what_is_in_work_is_known_when_the_table_has_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done", answer="")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await house.until(lambda: house.runs.replica.active)
        expected = {house.runs.replica.id: {run}}
        assert await asyncio.to_thread(house.runs._queue.held) == expected
        # The fault: a newer library whose table lacks a column.
        monkeypatch.setattr(recovery, "_HELD", recovery._HELD.replace("executor_id", "no_such_column"))
        assert await asyncio.to_thread(house.runs._queue.held) == expected
        assert "held_by_text_broken" in caplog.text
        go.set()
        await house.ended(run)


async def test_one_run_that_cannot_be_read_does_not_hold_up_the_others(place: Place) -> None:
    async with running(place.url, place.home) as house:
        kick = house.runs._queue._kick  # type: ignore[attr-defined]
        kick._ends = True
        bad = (await house.say("bad", to="a")).run
        good = (await house.say("good", to="b")).run
        sql = "UPDATE nm_run SET input = 'no json' WHERE id = :run"
        assert await house.runtime.database.run(lambda s: change(s, sql, run=bad)) == 1
        kick._ends = False
        house.runs._queue.kick()
        assert (await house.ended(good)).status == "done"


async def test_runs_that_only_wait_for_a_person_take_no_room(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        if scope.input.text == "asks":
            await scope.wait("wait", ["approve"], nonce="n", deadline_ms=2**53, who=lambda _by: True)
        return await answer(scope)

    settings = FAST.model_copy(update={"concurrency": 1})
    async with running(place.url, place.home, work, settings=settings) as house:
        asking = (await house.say("asks", to="one")).run
        await house.until(lambda: any(hand.rests for hand in house.runs.replica.active.values()))
        assert (await house.ended((await house.say("hello", to="two")).run, 10)).status == "done"
        await house.runtime.control(asking, Control(id="c", kind="approve", by="ann", body={"nonce": "n"}))
        assert (await house.ended(asking)).status == "done"


def stay_slow(house: House) -> None:
    """Let no beat say that the database answers quickly again."""
    house.runs._membership._beats.slow = lambda _slow: None
    house.runs.replica.slow = True


async def test_what_the_librarys_poll_takes_while_this_replica_is_slow_is_given_back_at_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runs.dbos.turns.POLL_S", 0.2)
    table = "workflow_status" if place.name == "sqlite" else "dbos.workflow_status"
    sql = f"SELECT status, recovery_attempts FROM {table} WHERE workflow_uuid = :run"
    # So slow a beat that the sweep comes too late to help.
    async with running(place.url, place.home, settings=FAST.model_copy(update={"lease_ttl_s": 40.0})) as house:
        stay_slow(house)
        run = (await house.say("hello")).run
        seen: list[tuple[str, int]] = []
        for _ in range(400):
            row = await house.runtime.database.read(lambda s: execute(s, sql, run=run).one())
            seen.append((row.status, row.recovery_attempts))
            if row.status == "ENQUEUED" and row.recovery_attempts:
                break
            await asyncio.sleep(0.02)
        assert seen[-1][0] == "ENQUEUED" and seen[-1][1] >= 1, "taken, and free for others again"
        house.runs.replica.slow = False
        assert (await house.ended(run)).status == "done"
        assert len(house.seen("create", run)) == 1


async def test_a_burst_is_claimed_in_pieces_so_that_other_replicas_get_some(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runs.dbos.turns.LOOK_S", 60.0)
    taken: list[int] = []
    by_text = queue.Kick.claim_by_text

    def counting(self: queue.Kick, *told: Any) -> list[queue.Won]:
        won = by_text(self, *told)
        taken.append(len(won))
        return won

    monkeypatch.setattr(queue.Kick, "claim_by_text", counting)
    async with running(place.url, place.home) as house:
        stay_slow(house)
        runs = [(await house.say("hello", to=f"chat{n}")).run for n in range(2 * queue.AT_ONCE + 1)]
        await asyncio.sleep(0.1)
        house.runs.replica.slow = False
        house.runs._queue.kick()
        for run in runs:
            assert (await house.ended(run)).status == "done"
    assert max(taken) == (len(runs) if place.name == "sqlite" else queue.AT_ONCE)
