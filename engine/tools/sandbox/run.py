"""Running an order from start to end: output, limits, stop, and nothing left behind."""

from __future__ import annotations

import asyncio
import selectors
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from engine.tools.sandbox.gathered import Gathered
from engine.tools.sandbox.order import Confinement, Ending, Finished, Order, Tell, Tree
from engine.tools.sandbox.watch import Watch

_LOOK_EVERY_S = 0.02
_ENDED_WITHIN_S = 15.0


async def run(confinement: Confinement, order: Order, *, tell: Tell, stop: threading.Event | None = None) -> Finished:
    """Run the program on a thread of its own and give what came of it; `stop` ends it early, and so does cancelling.

    Either way all of its processes are gone before this returns.

    Raises:
        ToolFailed: it could not be started, or something of it cannot be ended.
    """
    stop = stop or threading.Event()
    executor = ThreadPoolExecutor(1, thread_name_prefix="sandbox")
    working = asyncio.get_running_loop().run_in_executor(executor, _run, confinement, order, tell, stop)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({working}, timeout=_ENDED_WITHIN_S)
        raise
    finally:
        executor.shutdown(wait=False)


def _run(confinement: Confinement, order: Order, tell: Tell, stop: threading.Event) -> Finished:
    # Bubblewrap ends with the thread that started it, not with the process: this thread stays to the end.
    began_s = time.monotonic()
    tree = confinement.start(order)
    gathered = Gathered(tree.process, order.limits.output_bytes, tell)
    try:
        ended = _watched(tree, order, gathered, stop)
    finally:
        try:
            tree.kill()
        finally:
            gathered.drain()
    gathered.tell_lines(now=True)
    if ended == "exited" and gathered.is_full:
        ended = "output"
    return Finished(
        ended=ended,
        exit_code=_exit_code(tree.process.returncode) if ended == "exited" else None,
        stdout=gathered.stdout,
        stderr=gathered.stderr,
        duration_ms=round((time.monotonic() - began_s) * 1000),
    )


def _watched(tree: Tree, order: Order, gathered: Gathered, stop: threading.Event) -> Ending:
    watch, until_s = Watch(tree, order.limits), time.monotonic() + order.limits.time_s
    with selectors.DefaultSelector() as selector:
        for name, pipe in gathered.pipes.items():
            selector.register(pipe, selectors.EVENT_READ, name)
        while tree.process.poll() is None:
            for key, _ in selector.select(_LOOK_EVERY_S):
                if not gathered.take(key.data):
                    selector.unregister(key.fd)
            gathered.tell_lines()
            if stop.is_set():
                return "stopped"
            if gathered.is_full:
                return "output"
            if time.monotonic() >= until_s:
                return "time"
            over = watch.exceeded()
            if over is not None:
                return over
    return "exited"


def _exit_code(code: int) -> int:
    return code if code >= 0 else 128 - code
