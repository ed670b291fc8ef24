"""Agents for child processes. What a step really did is a line in a file, so that repeats show."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any, cast

from engine.ports import Outcome, RunScope, Work
from tests.contract.processes.house import until
from tests.contract.processes.recording import RecordingSurface, lines


class Works:
    """`times` counts what happened over all processes."""

    def __init__(self, path: Path, surface: RecordingSurface) -> None:
        self._path = path
        self._notes = RecordingSurface(path)
        self._surface = surface

    def named(self, name: str) -> Work:
        return getattr(self, name)

    async def once(self, scope: RunScope, path: str, value: str, seconds: float = 0.0, **more: Any) -> str:
        async def act() -> str:
            self._notes.note("act", scope.id, path=path, attempt=scope.attempt)
            await asyncio.sleep(seconds)
            return value

        return await scope.step(path, act, result=str, **more)

    async def plain(self, scope: RunScope) -> Outcome:
        first = await self.once(scope, "a", "1")
        second = await self.once(scope, "b", "2")
        return Outcome(status="done", answer=first + second + scope.input.text)

    async def slow(self, scope: RunScope) -> Outcome:
        """Four steps of 0.3 s."""
        done = [await self.once(scope, f"slow/{n}", str(n), 0.3) for n in range(4)]
        return Outcome(status="done", answer="".join(done))

    async def one_long_step(self, scope: RunScope) -> Outcome:
        return Outcome(status="done", answer=await self.once(scope, "long", "long", 1.5 if scope.attempt == 1 else 0))

    async def lanes(self, scope: RunScope) -> Outcome:
        """Two lanes of three steps; the other one is the faster one after a crash. Kills itself in the middle."""
        fast = "A" if scope.attempt == 1 else "B"

        async def lane(name: str) -> list[str]:
            got: list[str] = []
            for n in range(3):
                before = got[-1] if got else "start"
                got.append(
                    await self.once(scope, f"lane/{name}/{n}", f"{name}{n}<{before}>", 0.02 if name == fast else 0.15)
                )
                if scope.attempt == 1 and (name, n) == ("A", 1):
                    await asyncio.sleep(0.03)
                    os.kill(os.getpid(), signal.SIGKILL)
            return got

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(lane(name)) for name in ("A", "B")]
        return Outcome(status="done", answer=" | ".join(",".join(task.result()) for task in tasks))

    async def asks(self, scope: RunScope) -> Outcome:
        """A step, a question, a step."""
        await self.once(scope, "before", "1")
        deadline_ms = int((time.time() + 60) * 1000)
        reply = await scope.wait("ask", ["approve"], nonce="n", deadline_ms=deadline_ms, who=lambda _who: True)
        await self.once(scope, "after", "2")
        return Outcome(status="done", answer=f"attempt {scope.attempt} {reply.kind if reply else None}")

    async def approved(self, scope: RunScope) -> Outcome:
        """A question, and a step after its answer that takes the first owner for ever."""
        deadline_ms = int((time.time() + 60) * 1000)
        reply = await scope.wait("ask", ["approve"], nonce="n", deadline_ms=deadline_ms, who=lambda _who: True)
        await self.once(scope, "after", "1", 60 if scope.attempt == 1 else 0)
        return Outcome(status="done", answer=f"attempt {scope.attempt} {reply.kind if reply else None}")

    async def steered(self, scope: RunScope) -> Outcome:
        """Waits for the first word, then reads what was said meanwhile."""
        await self.once(scope, "begun", scope.input.text)
        if scope.input.text == "work" and scope.attempt == 1:
            known = cast(Any, scope)
            await until(lambda: known.pending("steer"))
        steers = await scope.take_in("steer/0", events=lambda _steers: [], also=lambda _session, _steers: None)
        self._notes.note("worked", scope.id, text=scope.input.text, attempt=scope.attempt)
        return Outcome(status="done", answer="+".join([scope.input.text, *(each.input.text for each in steers)]))

    async def stoppable(self, scope: RunScope) -> Outcome:
        """Work until somebody stops it; the moment it hears of that is noted."""
        await scope.stopped()
        self._notes.note("heard", scope.id, mono_s=time.monotonic())
        return Outcome(status="stopped")

    async def old_version(self, scope: RunScope) -> Outcome:
        await self.once(scope, "draft", "the draft")
        await self.once(scope, "send", "sent", 60)
        return Outcome(status="done")

    async def new_version(self, scope: RunScope) -> Outcome:
        """The same program later: a step in front, one in the middle, and one renamed."""
        await self.once(scope, "greet", "hi")
        written = await self.once(scope, "write", "a new text", was=("draft",))
        await self.once(scope, "check", "ok")
        return Outcome(status="done", answer=f"{written}, {await self.once(scope, 'send', 'sent')}")

    async def poison(self, scope: RunScope) -> Outcome:
        """Kills the process, unless it is an innocent neighbour."""
        if scope.input.text != "poison":
            for n in range(2):
                await self.once(scope, f"work/{n}", str(n), 0.5)
            return Outcome(status="done")
        self._notes.note("poison", scope.id, attempt=scope.attempt)
        await asyncio.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    async def poison_beside_waiting(self, scope: RunScope) -> Outcome:
        """One lane waits for a person, the other kills: it must not hide behind the wait."""

        async def kill() -> str:
            self._notes.note("poison", scope.id, attempt=scope.attempt)
            await asyncio.sleep(0.1)
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError

        deadline_ms = int((time.time() + 60) * 1000)
        wait = scope.wait("ask", ["approve"], nonce="n", deadline_ms=deadline_ms, who=lambda _who: True)
        waiting = asyncio.create_task(wait)
        await asyncio.sleep(0.1)
        await scope.step("kill", kill, result=str)
        await waiting
        return Outcome(status="done")


def acts(home: Path, what: str = "act") -> list[dict[str, Any]]:
    """Give what really happened, over all processes."""
    return lines(home / "work.jsonl", what)
