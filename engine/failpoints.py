"""Named places where a test may kill this process.

`NIUMA_FAILPOINT=name:n` sends SIGKILL to the process itself at the n-th pass (from 1) of `failpoint(name)`. It works
only together with `NIUMA_TESTING=1`; `refusal` tells the runtime to refuse to start otherwise.
"""

from __future__ import annotations

import os
import signal
import threading

NAMES = frozenset(
    {
        "before_ingest",
        "after_ingest",
        "after_create",
        "after_send",
        "mid_stream",
        "after_final",
        "during_drain",
        "after_once",
        "steer_read",
        "after_steer",
    }
)
"""Where a kill can be asked for. `after_ingest`: stored, not acked; `after_create`, `after_send`, `after_once`: done on
the outside, not recorded; `after_final`: shown, the receipt not recorded;
`steer_read`, `after_steer`: words of a person read by a run that works, not recorded yet, and recorded."""

_lock = threading.Lock()
_passes: dict[str, int] = {}


def failpoint(name: str) -> None:
    """Pass the place called `name`; does not come back when a test asked for a kill here."""
    wanted = os.environ.get("NIUMA_FAILPOINT")
    if not wanted or not wanted.startswith(f"{name}:"):
        return
    with _lock:
        _passes[name] = _passes.get(name, 0) + 1
        reached = _passes[name] == int(wanted.partition(":")[2])
    if reached:
        os.kill(os.getpid(), signal.SIGKILL)


def refusal() -> str | None:
    """Give the reason why this process must not start with this environment, or `None` when it may."""
    wanted = os.environ.get("NIUMA_FAILPOINT")
    if not wanted:
        return None
    if os.environ.get("NIUMA_TESTING") != "1":
        return "NIUMA_FAILPOINT kills this process on purpose and needs NIUMA_TESTING=1"
    name, _, number = wanted.partition(":")
    if name not in NAMES or not number.isdigit() or int(number) < 1:
        return f"NIUMA_FAILPOINT={wanted!r} is not name:n with one of {', '.join(sorted(NAMES))}"
    return None
