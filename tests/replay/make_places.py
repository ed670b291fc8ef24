"""Make what `test_places.py` finishes: this version killed at every failpoint on Slack, DingTalk and Postgres.

    python -m tests.replay.make_places                    # all that is not kept yet
    python -m tests.replay.make_places slack mid_stream:1

What is kept is never made anew: newer code must finish what that version really left.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from gateway.migrations import HEAD
from tests.processes.gateway import GatewayProcess, gateway
from tests.processes.postgres import PostgresPlace
from tests.replay.asked import until, without_figures
from tests.replay.places import PLACES, Left, Towns, database, first_shown, keep, platform, settings_of

WORDS = {
    "before_ingest:1": "hello",
    "after_ingest:1": "hello",
    "after_create:1": "hello",
    "after_send:1": "hello",
    "mid_stream:1": "hello",
    "mid_stream:3": "hello",
    "after_final:1": "hello",
    "during_drain:1": "hello",
    "after_once:1": "send a note",
}


def failpoints_of(place: str) -> list[str]:
    """Give where a gateway can be killed in this place."""
    return [each for each in WORDS if PLACES[place].creates_apart or not each.startswith("after_create")]


async def make(place: str, failpoint: str, home: Path, seen: tuple[str, int]) -> None:
    """Ask, be killed at the failpoint, and keep what is left."""
    words = WORDS[failpoint]
    with database(place) as db:
        async with platform(place, home) as town:
            async with _gateway(home, town, db, NIUMA_FAILPOINT=failpoint) as process:
                question = await _killed(town, process, failpoint, words)
            town.sim.save()
            left = Left(
                version=version("niuma"),
                revision=HEAD,
                place=place,
                failpoint=failpoint,
                made_at_ms=time.time_ns() // 1_000_000,
                question=question,
                words=words,
                shown=first_shown(town, question),
                answer=seen[0],
                messages=seen[1],
            )
        keep(home, left, db)


async def _killed(town: Towns, process: GatewayProcess, failpoint: str, words: str) -> str:
    await until(lambda: town.is_connected(), "connected")
    question = await town.ask(words)
    if failpoint.startswith("after_once"):
        await until(lambda: "approve" in _buttons(town, question), "a question")
        await town.press(question, "approve")
    if failpoint.startswith("during_drain"):
        await until(lambda: town.look(question) is not None, "a card")
        process.terminate()
    assert await process.ended() == -9, process.log()
    return question


async def undisturbed(place: str, words: str, home: Path) -> tuple[str, int]:
    """Give what a person reads at the end when nothing goes wrong, and in how many messages; a question gets a no."""
    with database(place) as db:
        async with platform(place, home) as town, _gateway(home, town, db):
            await until(lambda: town.is_connected(), "connected")
            return await answered(town, await town.ask(words))


async def answered(town: Towns, question: str) -> tuple[str, int]:
    """Wait for the end of an answer; whatever it asks is refused. Gives its words and in how many messages."""
    deadline_s = asyncio.get_running_loop().time() + 60
    while (look := town.look(question)) is None or not look.is_over:
        assert asyncio.get_running_loop().time() < deadline_s, f"no finished answer: {look}"
        if look is not None and "deny" in look.buttons:
            # Until it is heard: the question before the kill may still be shown, and either may go meanwhile.
            with suppress(KeyError, RuntimeError):
                await town.press(question, "deny")
        await asyncio.sleep(0.05)
    return without_figures(look.text), look.messages


def _buttons(town: Towns, question: str) -> tuple[str, ...]:
    look = town.look(question)
    return () if look is None else look.buttons


def _gateway(home: Path, town: Towns, db: PostgresPlace | None, **more: str):
    told = settings_of(town, db)
    environment = {f"NIUMA_{key.upper().replace('.', '__')}": value for key, value in told.items()}
    return gateway(home, **environment, NIUMA_TESTING="1", **more)


async def main(wanted: list[str]) -> None:
    """Make them one after the other."""
    for place in PLACES:
        for failpoint in failpoints_of(place):
            made = Left.model_construct(version=version("niuma"), place=place, failpoint=failpoint)
            is_wanted = not wanted or (place in wanted and (failpoint in wanted or len(wanted) == 1))
            if is_wanted and not (made.folder / f"{made.name}.json").exists():
                with tempfile.TemporaryDirectory() as folder:
                    seen = await undisturbed(place, WORDS[failpoint], Path(folder, "undisturbed"))
                    await make(place, failpoint, Path(folder, "killed"), seen)
                print(f"kept {place} {failpoint}")  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
