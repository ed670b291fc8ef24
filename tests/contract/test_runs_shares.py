"""Replicas on one database share the limits of an account; alone on the embedded one nothing is shared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from engine.budgets import Fact, Share, Use
from engine.errors import StorageError
from engine.runs.shares import Shares
from engine.storage.database import Database
from engine.storage.statement import execute
from gateway.clock import SystemClock
from tests.contract.conftest import Place
from tests.contract.processes.house import until

ACCOUNT = "feishu:main"
TTL_S = 3.0


class Account:
    """What a replica uses, and what it was given."""

    def __init__(self) -> None:
        self.live, self.used = 0, 0.0
        self.share: Share | None = None
        self.facts: list[Fact] = []
        self.look: Callable[[], None] = lambda: None

    @property
    def now(self) -> float:
        return 0.0 if self.share is None else self.share.now

    def in_use(self) -> Mapping[str, Use]:
        return {ACCOUNT: Use(live=self.live, used=self.used, told={"m": [self.live, 0]}, facts=self.facts)}

    def take_shares(self, shares: Mapping[str, Share]) -> None:
        self.share = shares[ACCOUNT]

    def call_on_news(self, look: Callable[[], None]) -> None:
        self.look = look

    @property
    def known(self) -> dict[str, int]:
        return {} if self.share is None else {fact.name: fact.amount for fact in self.share.facts}


class Town:
    """Replicas by name, on one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._shares: dict[str, Shares] = {}

    async def join(self, name: str, live: int = 0) -> Account:
        await self.sql("INSERT INTO nm_replica VALUES (:id, 0, 0)", id=name)
        replica: Any = SimpleNamespace(id=name, database=self.database, clock=SystemClock())
        shares, account = Shares(replica, TTL_S), Account()
        account.live, shares.budgets = live, account
        self._shares[name] = shares
        await shares.start()
        return account

    async def leave(self, name: str) -> None:
        """End as at SIGTERM."""
        await self._shares.pop(name).stop()
        await self.sql("DELETE FROM nm_replica WHERE id = :id", id=name)

    async def die(self, name: str, *, reaped: bool = True) -> None:
        """End as by kill -9."""
        task = self._shares.pop(name)._task
        assert task is not None
        task.cancel()
        await asyncio.wait([task])
        if reaped:
            await self.sql("DELETE FROM nm_replica WHERE id = :id", id=name)

    async def sql(self, statement: str, **values: object) -> None:
        await self.database.run(lambda session: execute(session, statement, **values))

    async def end(self) -> None:
        for name in tuple(self._shares):
            await self.leave(name)


@asynccontextmanager
async def town(place: Place) -> AsyncIterator[Town]:
    database = Database(place.url, place.home)
    async with AsyncExitStack() as stack:
        stack.callback(database.close)
        made = Town(database)
        stack.push_async_callback(made.end)
        yield made


@pytest.fixture
def shared(place: Place) -> Place:
    if place.name == "sqlite":
        pytest.skip("one process works on the embedded database")
    return place


async def test_on_the_embedded_database_nothing_is_shared(place: Place) -> None:
    if place.name != "sqlite":
        pytest.skip("there it is")
    async with town(place) as t:
        assert (await t.join("only")).share is None


async def test_one_has_all_and_makes_room_for_a_second(shared: Place) -> None:
    async with town(shared) as t:
        first = await t.join("first")
        assert first.share == Share(1.0, 1.0), "before anything is sent"
        second = await t.join("second")
        most = 0.0
        for _ in range(400):
            most = max(most, first.now + second.now)
            if second.now == pytest.approx(0.5):
                break
            await asyncio.sleep(0.01)
        assert most <= 1.0 + 1e-9
        assert (first.now, second.now) == (pytest.approx(0.5), pytest.approx(0.5))


async def test_the_share_follows_the_live_cards(shared: Place) -> None:
    async with town(shared) as t:
        few, many = await t.join("few", 1), await t.join("many", 17)
        await until(lambda: many.now == pytest.approx(0.15 + 0.7 * 18 / 20), 8)
        assert few.now == pytest.approx(0.15 + 0.7 * 2 / 20)


async def test_who_is_killed_holds_nobody_up_longer_than_its_lease(shared: Place) -> None:
    async with town(shared) as t:
        await t.join("killed")
        await t.die("killed", reaped=False)
        after = await t.join("after")
        assert after.now < 0.5, "it may only be slow"
        await until(lambda: after.now > 0.9, 0.7 * TTL_S + 2)


@pytest.mark.parametrize("way", ["leave", "die"])
async def test_what_one_leaves_goes_to_the_other_but_for_what_it_sent(shared: Place, way: str) -> None:
    async with town(shared) as t:
        stays, goes = await t.join("stays"), await t.join("goes")
        await until(lambda: goes.now == pytest.approx(0.5), 8)
        goes.used = 0.3
        await asyncio.sleep(TTL_S)
        await (t.leave("goes") if way == "leave" else t.die("goes"))
        await until(lambda: stays.now > 0.6, 8)
        await asyncio.sleep(TTL_S)
        assert stays.now < 0.75, "its requests of the last minute count until they are a minute old"


async def test_a_database_that_is_away_changes_no_share(shared: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with town(shared) as t:
        first = await t.join("first")
        with monkeypatch.context() as patch:

            async def away(_fn: object) -> None:
                raise StorageError("away", code="storage_away")

            patch.setattr(t.database, "run", away)
            await asyncio.sleep(TTL_S)
            assert first.now == 1.0
        second = await t.join("second")
        await until(lambda: second.now == pytest.approx(0.5), 8)


MONTH_MS = 4_000_000_000_000


async def test_what_a_month_has_used_is_added_up_once_and_outlives_the_processes(place: Place) -> None:
    async with town(place) as t:
        first = await t.join("first")
        first.facts = [Fact("previews", MONTH_MS, 30)]
        first.look()
        await asyncio.sleep(0.3)
        first.facts = [Fact("previews", MONTH_MS, 45), Fact("counted", MONTH_MS)]
        first.look()
        await until(lambda: "counted" in first.known, 5)
        assert first.known == {"previews": 0, "counted": 0}, "others have used nothing"
        await asyncio.sleep(1.0)
        first.facts = [Fact("previews", MONTH_MS, 50)]
        await t.leave("first")
        again = await t.join("again")
        assert again.known == {"previews": 50, "counted": 0}, "before anything is sent"
        again.facts = [Fact("previews", MONTH_MS + 1, 7)]
        again.look()
        await asyncio.sleep(0.3)
        await t.leave("again")
        assert (await t.join("next")).known["previews"] == 7, "another month"


async def test_replicas_hear_of_each_other_what_they_found_out_at_once(shared: Place) -> None:
    async with town(shared) as t:
        first, second = await t.join("first", 2), await t.join("second", 5)
        await until(lambda: first.share is not None and len(first.share.reports) == 1, 5)
        assert first.share is not None and first.share.reports[0].told == {"m": [5, 0]}
        assert first.share.streaming == pytest.approx(0.15 + 0.7 * 3 / 9)
        first.facts, second.facts = [Fact("previews", MONTH_MS, 3)], [Fact("previews", MONTH_MS, 4)]
        await until(lambda: (first.known, second.known) == ({"previews": 4}, {"previews": 3}), 5)


async def test_alone_nothing_is_called_out_and_nothing_is_written_but_the_beat(shared: Place) -> None:
    async with town(shared) as t:
        said: list[object] = []
        alone = await t.join("alone", 9)

        def listen(session: Any, _dialect: object, channel: str, payload: str = "") -> None:
            said.append(channel)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("engine.runs.shares.call_out", listen)
            alone.used = 0.9
            alone.facts = [Fact("counted", MONTH_MS)]
            await asyncio.sleep(TTL_S / 5 * 2.5)
        assert alone.share is not None and (alone.now, alone.share.coming, alone.share.streaming) == (1.0, 1.0, 1.0)
        assert not said
