"""The database did it and could not say so: what was done is not taken for a loss, and counts against nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import StorageError
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import House, running


def lose_reply(house: House, monkeypatch: pytest.MonkeyPatch, name: str, is_it: Callable[[Any], bool]) -> list[int]:
    """Let the reply to the first access of this kind be lost whose result fits; gives a list that says when it was."""
    database, lost = house.runtime.database, []
    access = getattr(database, name)

    async def unlucky(fn: Callable[[Any], Any]) -> Any:
        result = await access(fn)
        if not lost and is_it(result):
            lost.append(1)
            raise StorageError("the answer was lost")
        return result

    monkeypatch.setattr(database, name, unlucky)
    return lost


async def test_a_lost_reply_to_the_end_is_no_lost_run(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with running(place.url, place.home) as house:
        ends: list[str] = []
        end = house.runs.replica.journal.end
        monkeypatch.setattr(house.runs.replica.journal, "end", lambda *args: ends.append("end") or end(*args))
        lost = lose_reply(house, monkeypatch, "run", lambda _: bool(ends))
        view = await house.ended((await house.say("hello")).run)
        await house.until(lambda: "run_ended" in caplog.text)
        assert (view.status, view.attempt, lost) == ("done", 1, [1])
        assert "run_lost" not in caplog.text
        assert len(house.seen("final")) == 1


async def test_a_lost_reply_to_the_claim_counts_against_no_run(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    if place.name == "sqlite":
        pytest.skip("the claim shares the commit that takes the run out of the queue")
    async with running(place.url, place.home) as house:
        lost = lose_reply(house, monkeypatch, "single", lambda got: isinstance(got, tuple) and hasattr(got[0], "stuck"))
        run = (await house.say("hello")).run
        assert (await house.ended(run)).status == "done"
        sql = "SELECT attempt, stuck FROM nm_run WHERE id = :run"
        row = await house.runtime.database.read(lambda s: execute(s, sql, run=run).one())
        assert (lost, row.attempt, row.stuck) == ([1], 2, 0)
