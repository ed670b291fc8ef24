"""Ten thousand conversations that were used once and rest: what they cost on disk, in memory and at a start.

One real conversation is held through the gateway; all its rows, in our tables and in the queue library's, are then
copied under other ids.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.row import Row
from tests.bench.stage import Stage, stage
from tests.bench.start import timed_start
from tests.bench.tenant import chat_id

Rows = list[tuple[Any, ...]]
CHAT = 7


async def measure(*, quick: bool = False) -> list[Row]:
    """Start with one conversation, then with all of them."""
    count, rounds = (1000, 1) if quick else (10_000, 3)
    async with stage() as set_:
        async with set_.serving() as process:
            question = await set_.ask("idle", "n=20 r=50", chat=CHAT)
            await set_.finished([question], within_s=20)
            process.terminate()
            await process.ended()
        await set_.place.connected(0)
        before_s, before_mb = await _best_start(set_, rounds)
        grown = await asyncio.to_thread(multiply, set_.home / "niuma.db", count)
        after_s, after_mb = await _best_start(set_, rounds)
    return [
        Row(f"{count} idle conversations: disk, each", grown / count / 1000, "KB", 5),
        Row(f"{count} idle conversations: memory, each", (after_mb - before_mb) * 1000 / count, "KB", 5),
        Row("start with one conversation, best", before_s, "s"),
        Row("start with all of them, best", after_s, "s"),
        Row("the one as a share of the other", after_s / before_s, "x", 1.1),
    ]


async def _best_start(set_: Stage, rounds: int) -> tuple[float, float]:
    starts = [await timed_start(set_) for _ in range(rounds)]
    return min(each[0] for each in starts), min(each[1] for each in starts)


def multiply(file: Path, count: int) -> int:
    """Copy the one conversation of a database `count` times; gives the bytes the file grew by."""
    connection = sqlite3.connect(file)
    try:
        before = _size(connection)
        ids = _ids(connection)
        for table, columns in _tables(connection):
            rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
            own = [row for row in rows if any(each in str(row) for each in ids)]
            places = ",".join("?" * len(columns))
            copies = (copy for n in range(count) for copy in _copies(own, columns, ids, n))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', copies)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return _size(connection) - before
    finally:
        connection.close()


def _size(connection: sqlite3.Connection) -> int:
    pages, page_bytes = (connection.execute(f"PRAGMA {each}").fetchone()[0] for each in ("page_count", "page_size"))
    return int(pages * page_bytes)


def _ids(connection: sqlite3.Connection) -> list[str]:
    """Give what makes the conversation's rows its own: run, session, chat and message."""
    run, session = (connection.execute(f"SELECT id FROM {table}").fetchone()[0] for table in ("nm_run", "nm_session"))
    message = connection.execute("SELECT key FROM nm_inbox").fetchone()[0]
    return [run, session, chat_id(CHAT), message]


def _tables(connection: sqlite3.Connection) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """Give each table with its columns and which of them are numbers that count rows."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        facts = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
        yield table, [(each[1], each[1] == "id" and "INT" in each[2].upper()) for each in facts]


def _copies(rows: Rows, columns: list[tuple[str, bool]], ids: list[str], number: int) -> Rows:
    copies: Rows = []
    for row in rows:
        cells: list[Any] = []
        for (_, counts), cell in zip(columns, row, strict=True):
            if counts:
                cells.append(cell + (number + 1) * 1000)
            else:
                cells.append(_renamed(cell, ids, number) if isinstance(cell, str) else cell)
        copies.append(tuple(cells))
    return copies


def _renamed(text: str, ids: list[str], number: int) -> str:
    for each in ids:
        text = text.replace(each, f"{each[:-5]}{number:05}")
    return text
