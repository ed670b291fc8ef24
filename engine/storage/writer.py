"""The one thread that writes to the embedded database; what waits meanwhile goes into its next commit."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlmodel import Session

from engine.storage.group import Job, commit

T = TypeVar("T")
Settled = Callable[[Job], None]

MOST_AT_ONCE = 64
"""Transactions that share a commit. More would let the first of them wait for the last for too long."""


@dataclass(slots=True, eq=False)
class _Wanted(Job):
    """A job and who waits for it: a task of `loop`, or a thread when that is `None`."""

    future: Any = None
    loop: asyncio.AbstractEventLoop | None = None

    def settle(self) -> None:
        if not self.future.done():
            self.future.set_result(self.value) if self.error is None else self.future.set_exception(self.error)


class Writer:
    """Runs functions in the order of the calls. Nobody is answered before what they did is committed.

    `settled` is called in the writer's thread for each job before its caller hears of it; it may replace the error.
    """

    def __init__(self, engine: sa.Engine, settled: Settled) -> None:
        self._engine = engine
        self._settled = settled
        self._waiting: deque[_Wanted] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        self.commits = 0
        """How many commits there were, for the curious."""

    def begin(self, fn: Callable[[Session], T]) -> asyncio.Future[T]:
        """Put `fn` in line; its value is there once it is committed.

        Raises:
            RuntimeError: the writer is closed.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._put(_Wanted(fn, future=future, loop=loop))
        return future

    def run_now(self, fn: Callable[[Session], T]) -> T:
        """Run `fn` and give its value, for a thread that may block; never from within a job. Raises like `begin`."""
        if threading.current_thread() is self._thread:
            raise RuntimeError("a transaction waits for another one of the same writer")
        future: Future[T] = Future()
        self._put(_Wanted(fn, future=future))
        return future.result()

    def close(self) -> None:
        """Write everything that waits, then end."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _put(self, wanted: _Wanted) -> None:
        with self._changed:
            if self._closed:
                raise RuntimeError("the database is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="nm-write", daemon=True)
                self._thread.start()
            self._waiting.append(wanted)
            self._changed.notify()

    def _work(self) -> None:
        while group := self._take():
            wanted = [each for each in group if not each.future.cancelled()]
            if wanted:
                commit(self._engine, wanted)
                self.commits += 1
                for each in wanted:
                    self._note(each)
                _answer(wanted)

    def _note(self, job: _Wanted) -> None:
        """Tell how it went; whatever goes wrong with that is this job's error and never the end of all writing."""
        try:
            self._settled(job)
        except Exception as error:
            job.error = job.error or error

    def _take(self) -> list[_Wanted]:
        """Give what waits, oldest first; nothing when the writer is closed and all is done."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]


def _answer(wanted: Iterable[_Wanted]) -> None:
    """Tell the callers: threads directly, each loop with a single wake-up."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Wanted]] = {}
    for each in wanted:
        if each.loop is None:
            each.settle()
        else:
            by_loop.setdefault(each.loop, []).append(each)
    for loop, some in by_loop.items():
        # A loop that ended has nobody left who waits; it may end while we ask.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle_all, some)


def _settle_all(wanted: Iterable[_Wanted]) -> None:
    for each in wanted:
        each.settle()
