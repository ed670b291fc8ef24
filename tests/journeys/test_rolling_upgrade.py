"""Two versions of ours on one Postgres and one platform while one takes the other's place: nothing is lost."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from gateway.migrations import HEAD
from tests.journeys.scripted_model import scripted_model
from tests.journeys.test_replicas import LONG, Town, model_at
from tests.processes.builds import LATER, build_of, environment_of, later_build
from tests.processes.feishu import feishu_world
from tests.processes.postgres import PostgresPlace, empty_database
from tests.processes.replicas import Replica, replica

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

FIRST_WITH_REPLICAS = "3826482"
"""The oldest commit whose replicas pass the tests of several gateways that it brought."""
WORDS = " ".join(LONG[:80])


@pytest.fixture
def database() -> Iterator[PostgresPlace]:
    with empty_database() as database:
        yield database


class Street:
    """A town whose replicas come and go, each of a version of its own."""

    def __init__(self, town: Town, home: Path, stack: AsyncExitStack) -> None:
        self.town = town
        self._home = home
        self._stack = stack

    async def begins(self, tree: Path | None, **environment: str) -> Replica:
        """Start a replica of another build, or of this one, and wait until it is ready."""
        world, team = self.town.world, self.town.team
        given = {**model_at(self.town.model.url), **({} if tree is None else environment_of(tree)), **environment}
        home = self._home / f"replica-{len(team)}"
        each = await self._stack.enter_async_context(replica(home, self.town.database, world.url, **given))
        team.append(each)
        try:
            await world.until(each.is_ready, why="it is ready")
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"{error}\n{each.process.log()[-4000:]}") from error
        return each

    async def goes_over(self, mark: str, giver: Replica, taker: Replica, *, drained: bool) -> str:
        """Let `giver` lose a run in the middle of its answer; `taker` must finish it on the same card."""
        asked = await self._owned_by(giver, mark)
        run, owner = await self.town.in_work(asked)
        assert owner is giver
        if drained:
            giver.process.terminate()
            assert await giver.process.ended() == 0, giver.process.log()
        else:
            giver.process.kill()
        await self.town.answered_once(asked, WORDS)
        assert taker.works_on(run)
        return run

    async def _owned_by(self, wanted: Replica, mark: str) -> str:
        """Ask until that replica works on the answer; the platform and the queue choose."""
        for number in range(12):
            asked = await self.town.ask(f"{mark}{number}", WORDS, every_s=0.04)
            _, owner = await self.town.in_work(asked, beyond="word2")
            if owner is wanted:
                return asked
            await self.town.answered_once(asked, WORDS)
        raise AssertionError("it never gets anything to do")


@asynccontextmanager
async def street(home: Path, database: PostgresPlace) -> AsyncIterator[Street]:
    async with feishu_world() as world, scripted_model() as model, AsyncExitStack() as stack:
        yield Street(Town(world, model, [], database), home, stack)


def revision(database: PostgresPlace) -> str:
    return str(database.rows("SELECT version_num FROM nm_revision")[0][0])


async def test_the_next_version_takes_over_and_the_last_one_takes_back(tmp_path: Path, database: PostgresPlace) -> None:
    later = later_build(tmp_path / "later")
    quick = {"NIUMA_RUNS__DRAIN_S": "0.2"}
    async with street(tmp_path, database) as s:
        old = await s.begins(None, **quick)
        asked = await s.town.ask("before", "before all", every_s=0.01)
        await s.town.answered_once(asked, "before all")
        new = await s.begins(later, NIUMA_RUNS__LATER_S="2.0", **quick)
        assert revision(database) == LATER

        forth = await s.goes_over("forth", old, new, drained=False)
        assert steps_of(database, forth) >= {"later/0"}, "the newer version did what is new in it"
        old = await s.begins(None, **quick)
        assert old.told("schema_newer"), "the older version starts on the newer schema and says so"

        back = await s.goes_over("back", new, old, drained=True)
        assert steps_of(database, back) >= {"beginning", "later/0"}, "begun by the newer version"
        assert revision(database) == LATER
        await s.town.answered_once(await s.town.ask("after", "after all", every_s=0.01), "after all")
        [(later_rows,)] = database.rows("SELECT count(*) FROM nm_run WHERE later = 'nothing'")
        assert later_rows == len(await s.town.world.answers()), "also the rows of the older version have what was added"


async def test_the_first_version_with_replicas_is_relieved(tmp_path: Path, database: PostgresPlace) -> None:
    if not os.environ.get("NIUMA_TEST_EVERY_STATE"):
        pytest.skip("NOT TESTED WITH AN OLD BUILD: set NIUMA_TEST_EVERY_STATE")
    first = build_of(FIRST_WITH_REPLICAS, tmp_path / "first")
    if first is None:
        pytest.skip(f"NOT TESTED WITH AN OLD BUILD: {FIRST_WITH_REPLICAS} is not in this repository")
    async with street(tmp_path, database) as s:
        old = await s.begins(first)
        assert revision(database) < HEAD
        new = await s.begins(None)
        assert revision(database) == HEAD, "while the old version works"
        back = await s.goes_over("back", new, old, drained=True)
        new = await s.begins(None)
        forth = await s.goes_over("forth", old, new, drained=False)
        attempts = database.rows("SELECT id, attempt, status FROM nm_run WHERE id IN (%s, %s)", back, forth)
        assert sorted(attempts) == sorted([(back, 2, "done"), (forth, 2, "done")])


def steps_of(database: PostgresPlace, run: str) -> set[str]:
    return {str(path) for (path,) in database.rows("SELECT path FROM nm_step WHERE run = %s", run)}
