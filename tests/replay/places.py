"""A gateway's surroundings in which a version of ours was killed: a platform, a database, and what lies in both.

Kept as `state/<version>/<place>-<failpoint>`, each three files like those of `stored_state`; on Postgres the database
is what `pg_dump` says of it.
"""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from pydantic import BaseModel

from engine.storage.database import FILE_NAME
from tests.journeys.towns.dingtalk import Dingtalk
from tests.journeys.towns.feishu import Feishu
from tests.journeys.towns.slack import Slack
from tests.processes.postgres import PostgresPlace, empty_database
from tests.replay.stored_state import FOLDER, Move, pack

PLATFORM = "platform.json"
Towns = Feishu | Slack | Dingtalk


@dataclass(frozen=True, slots=True)
class Surroundings:
    """One kind of place: the platform's town, and which database."""

    town: type[Feishu] | type[Slack] | type[Dingtalk]
    postgres: bool = False
    options: tuple[tuple[str, Any], ...] = ()
    creates_apart: bool = False
    """Whether a card is created before it is sent, so that `after_create` is a place to be killed."""


PLACES = {
    "slack": Surroundings(Slack),
    "dingtalk": Surroundings(Dingtalk, options=(("lost_with_socket", False),)),
    "postgres": Surroundings(Feishu, postgres=True, creates_apart=True),
}


class Left(BaseModel):
    """What happened until the kill."""

    version: str
    revision: str
    """Of the schema."""
    place: str
    failpoint: str
    made_at_ms: int
    question: str
    words: str
    shown: str | None
    """Id of the first message of the answer; `None`: nobody had seen one yet."""
    answer: str
    """What a reader of that version saw at the end of an undisturbed run."""
    messages: int
    """In how many messages."""

    @property
    def name(self) -> str:
        """Give the name of its files."""
        return f"{self.place}-{self.failpoint.replace(':', '_')}"

    @property
    def folder(self) -> Path:
        """Give where they lie."""
        return FOLDER / self.version


def kept() -> list[Path]:
    """Find everything that is kept, by the file that tells what happened."""
    return sorted(FOLDER.glob("*/*-*.json"))


@asynccontextmanager
async def platform(place: str, home: Path) -> AsyncIterator[Towns]:
    """Run the platform of a place with the state that lies in `home`."""
    here = PLACES[place]
    home.mkdir(parents=True, exist_ok=True)
    town = here.town(state_file=home / PLATFORM, **dict(here.options))
    await town.start()
    try:
        yield town
    finally:
        await town.stop()


@contextmanager
def database(place: str) -> Iterator[PostgresPlace | None]:
    """Make the place's database; `None` where it is a file in the data folder. Skips where there is no server."""
    if not PLACES[place].postgres:
        yield None
        return
    with empty_database() as made:
        yield made


def settings_of(town: Towns, database: PostgresPlace | None) -> dict[str, str]:
    """Give the settings of a gateway there, as dotted keys."""
    url = {} if database is None else {"database.url": database.url}
    return {**town.settings(), **url, "server.port": "0", "runs.lease_ttl_s": "2", "runs.drain_s": "0.2"}


def first_shown(town: Towns, question: str) -> str | None:
    """Give the id of the first message of an answer."""
    found: list[Mapping[str, Any]] = list(town._answers(question))
    return str(found[0].get("id") or found[0].get("message_id")) if found else None


def keep(home: Path, left: Left, database: PostgresPlace | None) -> None:
    """Keep what lies in `home` and in the database."""
    left.folder.mkdir(parents=True, exist_ok=True)
    if database is not None:
        dump = subprocess.run(
            ["pg_dump", "--no-owner", "--no-privileges", "--inserts", database.url], check=True, capture_output=True
        )
        (home / "dump.sql").write_bytes(dump.stdout)
        pack(home / "dump.sql", left.folder / f"{left.name}.sql.gz")
    else:
        with closing(sqlite3.connect(home / FILE_NAME, isolation_level=None)) as connection:
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE", "VACUUM"):
                connection.execute(statement)
        pack(home / FILE_NAME, left.folder / f"{left.name}.db.gz")
    pack(home / PLATFORM, left.folder / f"{left.name}.platform.json.gz")
    (left.folder / f"{left.name}.json").write_text(left.model_dump_json(indent=1) + "\n", encoding="utf-8")


def bring_back(told: Path, home: Path, database: PostgresPlace | None) -> Left:
    """Unpack into `home` and the empty database, as if the kill had been a moment ago."""
    left = Left.model_validate_json(told.read_text(encoding="utf-8"))
    move = Move(left.made_at_ms, time.time_ns() // 1_000_000 - left.made_at_ms)
    named = {"question": move.text(left.question), "shown": left.shown and move.text(left.shown)}
    packed = told.parent / left.name
    text = gzip.decompress(packed.with_suffix(".platform.json.gz").read_bytes()).decode()
    (home / PLATFORM).write_text(move.text(text), encoding="utf-8")
    if database is not None:
        dump = gzip.decompress(packed.with_suffix(".sql.gz").read_bytes()).decode()
        # Newer tools put commands of their own client into a dump.
        plain = "\n".join(line for line in move.text(dump).splitlines() if not line.startswith("\\"))
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute(plain)  # type: ignore[arg-type]
        return left.model_copy(update=named)
    with gzip.open(packed.with_suffix(".db.gz")) as source, (home / FILE_NAME).open("wb") as file:
        shutil.copyfileobj(source, file)
    with closing(sqlite3.connect(home / FILE_NAME)) as connection, connection:
        move.database(connection)
    return left.model_copy(update=named)
