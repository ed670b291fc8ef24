"""A surface that writes down what people would see, in a file, so that kills are real."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from engine.events import RunEvent
from engine.messages import RunId
from engine.ports import Delivered, JournalStep, Json, Opening, Outcome, Owed, Unchanged


class RecordingSurface:
    """Each call is a line of JSON. `refuse` makes finals fail, `close_s` makes them slow."""

    def __init__(self, path: Path, *, open_s: float = 0.0, close_s: float = 0.0) -> None:
        self._path = path
        self._open_s = open_s
        self._close_s = close_s
        self._states: dict[str, Json] = {}
        self._journals: dict[str, JournalStep] = {}
        self.refuse: Owed | None = None
        self.refuse_deliver: Owed | Unchanged | None = None
        self.opened: Json | None = None
        """State of what `deliver` opens itself."""
        self.broken: set[str] = set()

    def note(self, what: str, run: str, **facts: Any) -> None:
        line = json.dumps({"what": what, "run": run, "pid": os.getpid(), "at": time.time(), **facts}) + "\n"
        with open(self._path, "ab", buffering=0) as file:
            file.write(line.encode())

    async def open(self, opening: Opening, journal: JournalStep) -> None:
        self._break("open")
        self._journals[opening.run] = journal
        history = [event.type for event in opening.history]
        self.note("open", opening.run, attempt=opening.attempt, known=opening.known, history=history)
        await asyncio.sleep(self._open_s)

        async def create() -> Json:
            self.note("create", opening.run)
            return {"card": f"card-{opening.run}"}

        async def send() -> Json:
            self.note("send", opening.run)
            return {"message": f"message-{opening.run}"}

        entity = await journal.step("open/entity", create)
        message = await journal.step("open/send", send)
        self._states[opening.run] = {**entity, **message}
        self.note("opened", opening.run, attempt=opening.attempt)

    def show(self, event: RunEvent) -> None:
        self._break("show")
        self.note("show", event.run, type=event.type, content=event.content, segment=event.segment, n=event.n)

    def state(self, run: RunId) -> Json | None:
        return self._states.get(run)

    async def close(self, run: RunId, outcome: Outcome, *, within_s: float) -> Delivered | Owed:
        self._break("close")
        await self._journals[run].guard()
        await asyncio.sleep(self._close_s)
        if self.refuse is not None:
            self.note("refused", run)
            return self.refuse
        self.note("final", run, status=outcome.status, answer=outcome.answer, error=outcome.error)
        return Delivered(receipt={"run": run})

    async def suspend(self, run: RunId, *, resumes: bool) -> Delivered | Owed:
        self.note("suspend", run, resumes=resumes)
        return Delivered(receipt={"suspended": True})

    def abandon(self, run: RunId) -> None:
        self.note("abandon", run)

    async def deliver(self, opening: Opening, outcome: Outcome, journal: JournalStep) -> Delivered | Owed | Unchanged:
        self._break("deliver")
        await journal.guard()
        history = [event.type for event in opening.history]
        facts = {"attempt": opening.attempt, "known": opening.known, "history": history, "status": outcome.status}
        facts["seen"], facts["again"] = opening.seen, opening.again
        if self.refuse_deliver is not None:
            self.note("deliver_refused", opening.run, **facts)
            return self.refuse_deliver
        self.note("deliver", opening.run, answer=outcome.answer, error=outcome.error, **facts)
        return Delivered(receipt={"run": opening.run}, state=self.opened)

    def _break(self, where: str) -> None:
        if where in self.broken:
            raise RuntimeError(f"surface broken in {where}")


def lines(path: Path, what: str | None = None, run: str | None = None) -> list[dict[str, Any]]:
    """Give what was written down so far."""
    if not path.exists():
        return []
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in found if what in (None, line["what"]) and run in (None, line["run"])]
