"""Final answers are owed until a receipt proves them, and cards change after the end."""

from __future__ import annotations

from engine.messages import Principal, RunId
from engine.ports import Owed
from engine.pressed import Pressed
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import ANN, FAST, House, running
from tests.contract.processes.recording import RecordingSurface

BOB = Principal(id="bob", name="Bob")


async def rows(house: House, run: str) -> list[tuple[str, str, str]]:
    sql = "SELECT kind, status, reason FROM nm_delivery WHERE run = :run ORDER BY id"
    return [tuple(row) for row in await house.runtime.database.read(lambda s: execute(s, sql, run=run).all())]


async def test_a_delivered_answer_keeps_its_receipt(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = (await house.say("hello")).run
        await house.ended(run)
        assert await rows(house, run) == [("final", "delivered", "")]


async def test_an_owed_answer_is_delivered_by_the_queue_while_the_conversation_goes_on(place: Place) -> None:
    async with running(place.url, place.home) as house:
        house.surface.refuse = Owed(reason="platform_down", state={"card": "kept"})
        house.surface.refuse_deliver = Owed(reason="still_down")
        first = (await house.say("one")).run
        assert (await house.ended(first)).status == "done"
        await house.until(lambda: house.seen("deliver_refused", first))
        house.surface.refuse = None
        second = (await house.say("two")).run
        assert (await house.ended(second)).status == "done"
        house.surface.refuse_deliver = None
        await house.until(lambda: house.seen("deliver", first), 15)
        delivered = house.seen("deliver", first)[0]
        assert not delivered["seen"]
        assert delivered["answer"] == "answer to one"
        assert delivered["known"] == {"card": "kept"} or delivered["known"]["card"]
        attempts = [line["attempt"] for line in house.seen(run=first) if "attempt" in line]
        assert attempts == sorted(attempts) and delivered["attempt"] > 1
        await house.until(lambda: house.runs.replica.owed is not None)
        assert [row[1] for row in await rows(house, first)] in (["owed"], ["delivered"])


async def test_a_row_whose_run_is_gone_stands_in_nobodys_way(place: Place) -> None:
    """Left by a version that forgot runs without looking."""
    left = """INSERT INTO nm_delivery (run, kind, status, due_at, created_at) VALUES ('gone', 'final', 'owed', 0, 0)"""
    async with running(place.url, place.home) as house:
        await house.runtime.database.run(lambda s: execute(s, left))
        house.surface.refuse = Owed(reason="platform_down")
        run = (await house.say("hello")).run
        await house.ended(run)
        house.surface.refuse = None
        await house.until(lambda: house.seen("deliver", run), 15)
        assert await rows(house, "gone") == []


async def test_what_a_surface_will_never_take_is_a_dead_letter(place: Place) -> None:
    async with running(place.url, place.home) as house:
        house.surface.refuse = Owed(reason="chat_deleted", permanent=True)
        run = (await house.say("hello")).run
        await house.ended(run)
        assert await rows(house, run) == [("final", "dead", "chat_deleted")]
        assert not house.seen("deliver", run)


async def test_a_hung_opening_is_taken_for_owed_and_let_go_of(place: Place) -> None:
    settings = FAST.model_copy(update={"final_try_s": 0.2})
    surface = RecordingSurface(place.home / "surface.jsonl", open_s=30)
    async with running(place.url, place.home, settings=settings, surface=surface) as house:
        run = (await house.say("hello")).run
        await house.ended(run)
        await house.until(lambda: house.seen("deliver", run))
        told = [line["what"] for line in house.seen(run=run)]
        assert told.index("abandon") < told.index("deliver")


async def test_what_the_queue_opened_is_found_by_the_next_change(place: Place) -> None:
    async with running(place.url, place.home) as house:
        house.surface.refuse = Owed(reason="not_open")
        house.surface.opened = {"card": "opened by the queue"}
        run = (await house.say("hello")).run
        await house.ended(run)
        await house.until(lambda: house.seen("deliver", run))
        await house.until(lambda: not house.runs._deliveries._tries)
        assert (await house.press(run, "satisfied")).code == "verdict"
        await house.until(lambda: len(house.seen("deliver", run)) == 2)
        assert house.seen("deliver", run)[1]["known"] == {"card": "opened by the queue"}


async def test_a_verdict_is_kept_and_shown_on_the_old_card(place: Place) -> None:
    async with running(place.url, place.home) as house:
        run = (await house.say("hello")).run
        view = await house.ended(run)
        for by, verdict in ((ANN, "satisfied"), (BOB, "abandon"), (ANN, "abandon")):
            assert (await house.press(run, verdict, by=by)).code == "verdict"
        await house.until(lambda: len(house.seen("deliver", run)) == 3)
        attempts = [line["attempt"] for line in house.seen("deliver", run)]
        assert attempts == sorted(set(attempts)) and attempts[0] > view.attempt
        assert house.seen("deliver", run)[-1]["history"][-1] == "verdict"
        assert house.seen("deliver", run)[-1]["seen"], "the answer was proven visible: it is never sent anew"
        assert house.seen("deliver", run)[-1]["known"] == {"card": f"card-{run}", "message": f"message-{run}"}
        sql = "SELECT person, verdict FROM nm_verdict WHERE run = :run ORDER BY id"
        kept = await house.runtime.database.read(lambda s: execute(s, sql, run=run).all())
        assert [tuple(row) for row in kept] == [("ann", "satisfied"), ("bob", "abandon"), ("ann", "abandon")]


async def test_only_ended_runs_are_judged_or_retried(place: Place) -> None:
    import asyncio

    from engine.ports import Outcome, RunScope

    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        for action in ("satisfied", "revise", "retry"):
            assert (await house.press(run, action)).code == "running"
            assert (await house.press(RunId("nobody"), action)).code == "stale"
        go.set()
        await house.ended(run)


async def test_a_retry_is_the_next_attempt_of_the_task_with_a_card_of_its_own(place: Place) -> None:
    async with running(place.url, place.home) as house:
        first = (await house.say("hello")).run
        await house.ended(first)
        again = await house.press(first, "retry", by=BOB)
        assert again.code == "retrying" and again.run is not None
        view = await house.ended(again.run)
        assert (view.task, view.attempt_index, view.input.by.id) == (first, 2, "bob")
        await house.until(lambda: house.seen("deliver", first))
        told = [event for event in await house.runtime.events(first) if event.type == "notice"]
        assert told[0].content["code"] == "retried" and told[0].content["params"]["run"] == again.run
        assert house.seen("create", again.run)
        assert await house.press(first, "retry", by=BOB) == Pressed(code="newer", run=again.run)
        third = await house.press(again.run, "retry")
        assert third.run is not None and (await house.ended(third.run)).attempt_index == 3
