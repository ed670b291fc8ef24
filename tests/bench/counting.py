"""`python -m tests.bench.counting FILE -m gateway.cli serve`: runs a program and counts what it asks of the database.

FILE gets one JSON object at the end, and at each SIGUSR1: how often each statement was executed, how many transactions
were committed and rolled back, how many connections were taken from the pool, how many jobs went to threads.
"""

from __future__ import annotations

import json
import runpy
import signal
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import Pool

ASKED_CHARS = 110


class Counts:
    """What was counted so far."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._statements: Counter[str] = Counter()
        self._others: Counter[str] = Counter()

    def attach(self) -> None:
        """Count from now on."""
        event.listen(Engine, "before_cursor_execute", self._executed)
        event.listen(Engine, "commit", lambda connection: self._ended("commit", connection))
        event.listen(Engine, "rollback", lambda connection: self._ended("rollback", connection))
        event.listen(Pool, "checkout", lambda *_: self._others.update(["checkout"]))
        submit = ThreadPoolExecutor.submit

        def counted(pool: ThreadPoolExecutor, *words: Any, **more: Any) -> Any:
            self._others.update(["thread job"])
            return submit(pool, *words, **more)

        ThreadPoolExecutor.submit = counted  # type: ignore[method-assign]
        signal.signal(signal.SIGUSR1, lambda *_: self.write())

    def write(self) -> None:
        """Write the file, all at once."""
        told = {"statements": dict(self._statements), "others": dict(self._others)}
        part = self._file.with_suffix(".part")
        part.write_text(json.dumps(told), encoding="utf-8")
        part.rename(self._file)

    def _executed(self, _connection: sa.Connection, _cursor: Any, statement: str, *_more: Any) -> None:
        self._statements[" ".join(statement.split())[:ASKED_CHARS]] += 1

    def _ended(self, how: str, connection: sa.Connection) -> None:
        self._others[f"{how} of one statement" if _is_single(connection) else how] += 1


def _is_single(connection: sa.Connection) -> bool:
    return connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT"


def main() -> None:
    """Count while the program runs."""
    file, option, module, *words = sys.argv[1:]
    assert option == "-m", option
    counts = Counts(Path(file))
    counts.attach()
    sys.argv = [module, *words]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        counts.write()


if __name__ == "__main__":
    main()
