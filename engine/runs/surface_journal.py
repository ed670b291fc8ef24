"""The journal as the surface sees it: what it creates on a platform is a step of the run, under its own prefix."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from engine.errors import DuplicatePath
from engine.failpoints import failpoint
from engine.runs.journal import Entry
from engine.runs.ports import SURFACE

Json = dict[str, Any]
Record = Callable[[Entry], Awaitable[object]]
Guard = Callable[[], Awaitable[None]]


class SurfaceJournal:
    """Satisfies `engine.ports.JournalStep`, during a run and after its end."""

    def __init__(self, steps: Mapping[str, str], guard: Guard, record: Record) -> None:
        self._steps = steps
        self._guard = guard
        self._record = record
        self._used: set[str] = set()
        self._mine: dict[str, str] = {}

    async def step(self, path: str, fn: Callable[[], Awaitable[Json]]) -> Json:
        """Run `fn` once in the life of the run and give its result.

        Raises:
            DuplicatePath: the path is in use in this attempt.
        """
        known = self.recorded(path)
        if path in self._used:
            raise DuplicatePath(f"surface path {path!r} is taken")
        self._used.add(path)
        if known is not None:
            return known
        try:
            await self._guard()
            value = await fn()
        except Exception:
            self._used.discard(path)
            raise
        _pass_failpoints(path)
        raw = json.dumps(value)
        await self._record(Entry(SURFACE + path, raw))
        self._mine[path] = raw
        return value

    def recorded(self, path: str) -> Json | None:
        """Give what was recorded under `path`."""
        raw = self._mine.get(path) or self._steps.get(SURFACE + path)
        return None if raw is None else cast(Json, json.loads(raw))

    async def guard(self) -> None:
        """Return while this process may write."""
        await self._guard()


def _pass_failpoints(path: str) -> None:
    """A path is `open/send` or `final/send/2`: which cards, what, which of them; `file/<key>` sends a file.

    `card` makes and sends one in a single request.
    """
    first, *rest = path.split("/")
    what = "send" if first == "file" and len(rest) == 1 else rest[0] if rest else ""
    if what == "entity":
        failpoint("after_create")
    elif what in ("send", "card"):
        failpoint("after_send")
