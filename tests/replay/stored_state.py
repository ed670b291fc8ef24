"""A data folder and a platform as a version of ours left them when it was killed, kept in files and brought back.

Each is three files: `<name>.db.gz` (the database), `<name>.platform.json.gz` (the simulator) and `<name>.json` (what
happened). Times are moved on when it is brought back, so that no time passes for it while it lies here.
"""

from __future__ import annotations

import gzip
import re
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from engine.storage.database import FILE_NAME

FOLDER = Path(__file__).parent / "state"
PLATFORM = "feishu.json"
_HOUR_MS = 3_600_000
_TIME = re.compile(r"(?<![\d.])\d{13}(?![\d.])")
"""UTC milliseconds of our days inside of texts."""
_STAMP = re.compile(r"(?<![\d.])(\d{10})\.(\d{6})(?!\d)")
"""What Slack calls a message: the second in which it was sent, and more."""


class Killed(BaseModel):
    """What happened until the kill."""

    version: str
    failpoint: str
    made_at_ms: int
    question: str
    """Id of the message that was asked."""
    words: str
    shown: str | None
    """Id of the message with the answer's card; `None`: nobody had seen one yet."""
    nonce: str = ""
    """Of the question that a person had answered before the kill."""
    answer: str
    """What a reader of that version saw at the end of an undisturbed run."""

    @property
    def name(self) -> str:
        """Give the name of its files."""
        return self.failpoint.replace(":", "_")


def stored() -> list[Path]:
    """Find all of this kind that is kept, by the file that tells what happened; `places` has names with a dash."""
    return sorted(told for told in FOLDER.glob("*/*.json") if "-" not in told.stem)


def store(home: Path, killed: Killed) -> None:
    """Keep the data folder `home`, with the platform in it. What the database's log held is in the file then."""
    folder = FOLDER / killed.version
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(home / FILE_NAME, isolation_level=None)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("VACUUM")
    pack(home / FILE_NAME, folder / f"{killed.name}.db.gz")
    pack(home / PLATFORM, folder / f"{killed.name}.platform.json.gz")
    (folder / f"{killed.name}.json").write_text(killed.model_dump_json(indent=1) + "\n", encoding="utf-8")


def bring_back(told: Path, home: Path) -> Killed:
    """Unpack into the data folder `home`, as if the kill had been a moment ago."""
    killed = Killed.model_validate_json(told.read_text(encoding="utf-8"))
    for suffix, name in (("db", FILE_NAME), ("platform.json", PLATFORM)):
        with gzip.open(told.parent / f"{killed.name}.{suffix}.gz") as packed, (home / name).open("wb") as file:
            shutil.copyfileobj(packed, file)
    move = Move(killed.made_at_ms, time.time_ns() // 1_000_000 - killed.made_at_ms)
    platform = home / PLATFORM
    platform.write_text(move.text(platform.read_text(encoding="utf-8")), encoding="utf-8")
    with closing(sqlite3.connect(home / FILE_NAME)) as database, database:
        move.database(database)
    return killed


class Move:
    """Moves times near `made_at_ms` by the same amount; nothing else looks like them."""

    def __init__(self, made_at_ms: int, by_ms: int) -> None:
        self._made_at_ms = made_at_ms
        self._by_ms = by_ms

    def value(self, value: Any) -> Any:
        if isinstance(value, int):
            return value + self._by_ms if abs(value - self._made_at_ms) < _HOUR_MS else value
        return self.text(value) if isinstance(value, str) else value

    def text(self, text: str) -> str:
        """Move what stands inside a text; what a platform made of a time as a name stays the same name everywhere."""
        moved = _TIME.sub(lambda found: str(self.value(int(found.group()))), text)
        return _STAMP.sub(lambda found: self._stamp(*found.groups()), moved)

    def _stamp(self, seconds: str, micros: str) -> str:
        ms = self.value(int(seconds) * 1000 + int(micros[:3]))
        return f"{ms // 1000}.{ms % 1000:03}{micros[3:]}"

    def database(self, database: sqlite3.Connection) -> None:
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in tables.fetchall():
            columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
            for column in columns:
                self._column(database, table, column)

    def _column(self, database: sqlite3.Connection, table: str, column: str) -> None:
        for (value,) in database.execute(f'SELECT DISTINCT "{column}" FROM "{table}"').fetchall():
            if (moved := self.value(value)) != value:
                database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE "{column}" = ?', (moved, value))


def pack(source: Path, target: Path) -> None:
    target.write_bytes(gzip.compress(source.read_bytes(), mtime=0))
