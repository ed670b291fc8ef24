"""Threads for what blocks: a program must be able to end while one of them waits for a dead name server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class AbandonedThreads(ThreadPoolExecutor):
    """The event loop's executor, with a thread a call, none of which anybody waits for at the end.

    The usual one is joined when the loop and the interpreter end: a look-up of a name that nobody answers would hold
    the program for as long as the system tries.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` in a thread of its own."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, name="doctor", daemon=True).start()
        return future

    def shutdown(self, *_args: Any, **_kwargs: Any) -> None:
        """Wait for nothing."""
