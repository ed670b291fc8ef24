"""What people said around the kill of a replica is taken exactly once by whoever goes on."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from engine.messages import RunId
from engine.ports import Control
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.child import Child, until
from tests.contract.processes.house import FAST, House, inbox_key, running
from tests.contract.processes.recording import RecordingSurface, lines
from tests.contract.processes.works import Works, acts

pytestmark = pytest.mark.slow
STEER = {"while_busy": "steer"}


@pytest.fixture
def shared(place: Place) -> Place:
    if place.name == "sqlite":
        pytest.skip("one process works on the embedded database")
    return place


def peer(place: Place, work: str, **settings: Any) -> Any:
    """Give another replica, in this process."""
    surface = RecordingSurface(place.home / "surface.jsonl")
    works = Works(place.home / "work.jsonl", surface)
    told = FAST.model_copy(update=settings)
    return running(place.url, place.home, works.named(work), surface=surface, settings=told)


async def rows(house: House, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await house.runtime.database.read(lambda session: execute(session, sql).all())]


async def recorded(house: House, path: str) -> None:
    for _ in range(2000):
        if (path,) in await rows(house, "SELECT path FROM nm_step"):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"never recorded: {path}")


def approval() -> Control:
    return Control(id="approve-1", kind="approve", by="ann", body={"nonce": "n"})


async def taken(house: House) -> list[tuple[Any, ...]]:
    return await rows(house, "SELECT id, taken_by FROM nm_control")


async def test_an_approval_given_to_a_peer_while_the_owner_dies_is_taken_by_the_next_owner(shared: Place) -> None:
    async with Child(shared, "asks") as owner:
        run = await owner.say()
        await until(lambda: acts(shared.home))
        async with peer(shared, "asks") as house:
            await recorded(house, "before")
            owner.process.send_signal(signal.SIGSTOP)  # it hears nothing any more
            assert await house.runtime.control(RunId(run), approval()) == "accepted"
            await owner.kill()
            assert (await house.ended(RunId(run))).answer == "attempt 2 approve"
            assert await taken(house) == [("approve-1", "ask")]
    assert [line["path"] for line in acts(shared.home)] == ["before", "after"]


async def test_an_approval_that_the_killed_owner_had_taken_is_not_asked_for_again(shared: Place) -> None:
    async with Child(shared, "approved") as owner:
        run = await owner.say()
        await until(lambda: lines(shared.home / "surface.jsonl", "opened", run))
        async with peer(shared, "approved") as house:
            assert await house.runtime.control(RunId(run), approval()) == "accepted"
            await until(lambda: acts(shared.home))
            await owner.kill()
            assert (await house.ended(RunId(run))).answer == "attempt 2 approve"
            again = Control(id="approve-2", kind="approve", by="ann", body={"nonce": "n"})
            assert await house.runtime.control(RunId(run), again) == "ended"
            assert await taken(house) == [("approve-1", "ask")]


async def test_a_verdict_whose_replica_dies_is_kept_once_and_shown_by_a_peer(shared: Place) -> None:
    async with Child(shared, "plain") as owner, peer(shared, "plain") as house:
        run = await owner.say()
        assert (await house.ended(RunId(run))).answer == "12hello"
        said = await owner.do(do="press", run=run, action="satisfied", key="verdict")
        await owner.kill()
        assert said is not None and said["code"] == "verdict"
        pressed = await house.press(RunId(run), "satisfied", key="verdict")
        assert pressed.code == "verdict", "a redelivery to a peer is told the same"
        await until(lambda: lines(shared.home / "surface.jsonl", "deliver", run))
        assert await rows(house, "SELECT person, verdict FROM nm_verdict") == [("ann", "satisfied")]
        assert await rows(house, "SELECT route FROM nm_inbox WHERE kind = 'action'") == [("verdict",)]


@pytest.mark.parametrize("failpoint", ["steer_read:1", "after_steer:1"])
async def test_words_said_to_a_run_are_read_once_though_its_owner_dies_of_them(shared: Place, failpoint: str) -> None:
    killed = {"NIUMA_TESTING": "1", "NIUMA_FAILPOINT": failpoint}
    async with AsyncExitStack() as stack:
        owner = await stack.enter_async_context(Child(shared, "steered", killed, settings=STEER))
        run = await owner.say("work")
        await until(lambda: acts(shared.home))
        house = await stack.enter_async_context(peer(shared, "steered", **STEER))
        assert (await house.say("more")).run, "said to the peer"
        assert await owner.dies() == -9
        assert (await house.ended(RunId(run))).answer == "work+more"
        said = await house.runtime.run_of(inbox_key("chat-more"))
        assert said is not None and (await house.ended(said)).answer == "", "its own turn ends empty"
        assert (await house.ended((await house.say("last")).run)).answer == "last"
        assert await rows(house, "SELECT taken_by FROM nm_control WHERE kind = 'steer'") == [("steer/0",)]
    assert [each["text"] for each in acts(Path(shared.home), "worked")] == ["work", "last"]
