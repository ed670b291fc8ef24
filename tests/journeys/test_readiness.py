"""Outages around the gateway: it says what is wrong, acks nothing it has not stored, and comes back by itself."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from engine.messages import RunId
from engine.storage.database import FILE_NAME
from gateway.texts import language_of_system, text
from tests.journeys.house import House, house
from tests.journeys.scripted_model import Say, Until

CHANNEL = "channel:feishu:main"


def on_each_use(h: House, pragma: str) -> Any:
    """Have every connection of the gateway's database carry out a pragma before it is used; gives what takes it off."""
    engine = h.runtime.database.engine

    def checkout(connection: sqlite3.Connection, _record: Any, _proxy: Any) -> None:
        connection.execute(pragma)

    event.listen(engine, "checkout", checkout)
    return lambda: event.remove(engine, "checkout", checkout)


@contextmanager
def locked(h: House) -> Iterator[None]:
    """Hold the database's write lock from another connection."""
    other = sqlite3.connect(h.home / FILE_NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


async def answered_after_redelivery(h: House, asked: str) -> None:
    """Let the platform deliver again what was not acked, and see it answered once."""
    h.sim.advance(16)
    answer = await h.finished(asked)
    assert answer.status == "Done" and len(h.messages()) == 1
    await h.all_acked()
    assert len(h.model.asked) == 1


def _again(h: House) -> bool:
    """Let the time of the next redelivery come nearer."""
    h.sim.advance(16)
    return True


async def test_a_wrong_secret_is_told_and_the_bot_comes_back_when_it_is_right(home: Path) -> None:
    async with house(home, start=False) as h:
        h.sim.add_app("cli_demo", "the-right-one", "niuma")
        h.settings["channels.feishu.main.app_secret"] = "secret_demo"
        await h.start(wait=False)
        await h.until(lambda: _is_red(h, {CHANNEL: "auth_failed"}), why="/readyz says auth_failed")
        assert (await h.readyz())[0] == 503
        advice = await h.fixes()
        console = f"{h.sim.url}/app/cli_demo"
        assert advice.pop(CHANNEL) == text(language_of_system(os.environ), "fix.secret_refused", console=console)
        assert set(advice.values()) == {""}
        h.sim.world.apps["cli_demo"].app_secret = "secret_demo"
        await h.until(h.is_ready, within_s=12, why="accepted at the next try")
        assert (await h.finished(await h.say("@niuma hello"))).status == "Done"


async def _is_red(h: House, red: dict[str, str]) -> bool:
    return (await h.readyz())[1] == red


@pytest.mark.alone
async def test_a_half_open_connection_is_found_and_nothing_is_lost(home: Path) -> None:
    quick = {"channels.feishu.main.ping_every_s": "0.2", "channels.feishu.main.silence_s": "0.6"}
    async with house(home, quick) as h:
        await h.until(lambda: len([e for e in h.sim.timeline.since() if e.method == "pong"]) >= 2, why="pongs")
        began = asyncio.get_running_loop().time()
        await h.sim.drop(how="freeze")
        asked = await h.say("@niuma can you hear me?")
        await h.until(lambda: h.sim.sockets.count(h.sim.app_id) == 2, why="a new connection")
        assert asyncio.get_running_loop().time() - began < 30 * 0.6 / 20 + 1.5
        await h.until(h.is_ready)
        await h.until(lambda: h.seen(asked) if _again(h) else None, why="a redelivery over the living connection")
        assert (await h.finished(asked)).body.strip() == "You said: can you hear me?"
        assert len(h.messages()) == 1


async def test_a_locked_database_acks_nothing_and_answers_when_it_is_free(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(home) as h:
        on_each_use(h, "PRAGMA busy_timeout=200")
        with locked(h):
            asked = await h.say("@niuma are you there?")
            await h.until(lambda: _is_red(h, {"database": "locked"}), why="/readyz says locked")
            assert h.unacked() == 1 and h.seen(asked) is None
            assert "database_health" in caplog.text
        await answered_after_redelivery(h, asked)
        await h.until(h.is_ready, why="green again")


async def test_a_database_locked_while_an_answer_grows_loses_nothing(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("The first part, "), Until(more), Say("the second.")])
        asked = await h.say("@niuma tell me")
        await h.sees(asked, lambda seen: "first part" in seen.body)
        on_each_use(h, "PRAGMA busy_timeout=200")
        with locked(h):
            more.set()
            await h.sees(asked, lambda seen: "the second." in seen.body)
            await h.until(lambda: _is_red(h, {"database": "locked"}), why="/readyz says locked")
        answer = await h.finished(asked)
        assert (answer.status, answer.body.strip()) == ("Done", "The first part, the second.")
        assert len(h.messages()) == len(h.model.asked) == 1


async def test_a_full_disk_acks_nothing_and_answers_when_there_is_room(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(home) as h:
        h.model.script([Say("A short answer.")])
        pages = sqlite3.connect(home / FILE_NAME).execute("PRAGMA page_count").fetchone()[0]
        room = on_each_use(h, f"PRAGMA max_page_count={pages}")
        asked = await h.say("@niuma " + "a long question " * 20_000)
        await h.until(lambda: _is_red(h, {"database": "full"}), why="/readyz says full")
        assert h.unacked() == 1 and h.seen(asked) is None
        assert "database_health" in caplog.text
        for _ in range(20):
            await h.runtime.run_view(RunId("none"))
            assert await _is_red(h, {"database": "full"}), "reading proves nothing of a full disk"
        room()
        on_each_use(h, "PRAGMA max_page_count=1073741823")
        await answered_after_redelivery(h, asked)
        await h.until(h.is_ready, why="green again")


async def test_stored_settings_that_make_no_sense_turn_readiness_red_and_leave_the_files_in_force(home: Path) -> None:
    async with house(home) as h:
        await h.runtime.config_set("system", "models.main.fallbacks", ["nowhere"])
        answer = await h.finished(await h.say("@niuma hello"))
        assert answer.status == "Done" and "hello" in answer.body
        status, red = await h.readyz()
        assert (status, red) == (503, {"settings": "stored_settings_refused"})


async def test_a_data_folder_that_is_taken_away_is_told_and_nothing_is_acked_into_the_void(home: Path) -> None:
    async with house(home) as h:
        assert (await h.finished(await h.say("@niuma hello"))).status == "Done"
        (home / FILE_NAME).rename(home / "elsewhere.db")
        asked = await h.say("@niuma are you there?")
        await h.until(lambda: _is_red(h, {"database": "gone"}), why="/readyz says gone")
        await asyncio.sleep(0.3)
        assert h.unacked() == 1 and h.seen(asked) is None
        (home / "elsewhere.db").rename(home / FILE_NAME)
        await h.stop()
        await h.start()
        h.sim.advance(16)
        assert (await h.finished(asked)).body.strip() == "You said: are you there?"
        assert len(h.messages()) == 2
