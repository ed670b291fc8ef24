"""What an older version left half done on Slack, DingTalk and Postgres is finished by this one: complete, once."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.app import running
from gateway.settings import load_settings
from gateway.texts import text
from tests.processes.postgres import PostgresPlace
from tests.replay.asked import until
from tests.replay.make_places import answered, failpoints_of
from tests.replay.places import PLACES, Left, Towns, bring_back, database, first_shown, kept, platform, settings_of
from tests.replay.stored_state import FOLDER

ALWAYS = {"slack-mid_stream_3", "dingtalk-mid_stream_3", "postgres-mid_stream_3", "postgres-after_once_1"}
"""All others are played where `NIUMA_TEST_EVERY_STATE` is set; each takes seconds."""
EVERY = bool(os.environ.get("NIUMA_TEST_EVERY_STATE"))
KEPT = [told for told in kept() if EVERY or told.stem in ALWAYS]


@pytest.fixture
def db(told: Path) -> Iterator[PostgresPlace | None]:
    with database(told.stem.partition("-")[0]) as made:
        yield made


@pytest.mark.parametrize("told", KEPT, ids=lambda told: f"{told.parent.name}-{told.stem}")
async def test_a_run_of_an_older_version_is_finished(told: Path, tmp_path: Path, db: PostgresPlace | None) -> None:
    left = bring_back(told, tmp_path, db)
    async with newest(left.place, tmp_path, db) as town:
        town.deliver_again(left.question)  # the platform got no answer, or it got lost
        found = plain(await answered(town, left.question))
        if found != plain((left.answer, left.messages)):  # the words may have changed since
            assert found == plain(await answered(town, await town.ask(left.words)))
        assert left.shown in (None, first_shown(town, left.question)), "on its first message"
    assert not list(tmp_path.rglob("outbox.txt")), "a cut effect is not repeated unasked"


def plain(seen: tuple[str, int]) -> tuple[str, int]:
    """Leave out that a person had said yes before the kill: asked again, the person said no."""
    approved = text("en", "approval.approved_unnamed").removesuffix(".")
    return "\n".join(line for line in seen[0].splitlines() if line.strip() and approved not in line), seen[1]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("version", sorted(folder.name for folder in FOLDER.iterdir()))
def test_every_failpoint_is_kept(version: str, place: str) -> None:
    told = (FOLDER / version).glob(f"{place}-*.json")
    found = {Left.model_validate_json(each.read_text(encoding="utf-8")).failpoint for each in told}
    assert found == set(failpoints_of(place))


@asynccontextmanager
async def newest(place: str, home: Path, db: PostgresPlace | None) -> AsyncIterator[Towns]:
    """Run this version on what lies in `home` and in the database."""
    async with platform(place, home) as town:
        settings = load_settings(home=home, environ={}, overrides=settings_of(town, db))
        async with running(settings, ready=lambda line: None):
            await until(lambda: town.is_connected(), "connected")
            yield town
