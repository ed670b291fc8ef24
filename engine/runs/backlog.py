"""What becomes of messages that came too late: their writer is asked, on one card, and everything follows the answer.

It is a run like any other, so it survives restarts; it stands in a line of its own, so that nothing waits behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import InboxKey, RunInput, Value
from engine.ports import Clock, Outcome, RunScope
from engine.runs.held import Held
from engine.storage.database import Database
from engine.tools.cut import cut
from engine.tools.redaction import redact

AGENT = "backlog"
"""`RunInput.agent` of a run that asks."""
OPEN_S = 24 * 3600.0
"""How long the question stays open; then the messages count as ignored, and the card says so."""
_SHOWN = 20
_CHARS = 120

Choice = Literal["all", "last", "ignore", "expired", "stopped"]


class Asked(Value):
    """The messages of one question, oldest first."""

    v: int = 1
    keys: tuple[InboxKey, ...] = ()
    texts: tuple[str, ...] = ()


class Backlog:
    """Asks, and carries the answer out in the transaction that records it."""

    def __init__(self, database: Database, held: Held, clock: Clock, begun: Callable[[], None]) -> None:
        self._database = database
        self._held = held
        self._clock = clock
        self._begun = begun

    async def __call__(self, scope: RunScope) -> Outcome:
        """Work for a run whose input names the person and the conversation."""
        asked = await self._ask(scope)
        if not asked.keys:
            return Outcome(status="done")
        person = scope.input.by.id
        control = await scope.wait(
            "backlog/answer",
            ["choose"],
            nonce=scope.id,
            deadline_ms=scope.input.sent_at_ms + int(OPEN_S * 1000),
            who=lambda by: by == person,
        )
        choice: Choice = "stopped" if scope.stopping else "expired"
        if control is not None:
            choice = _choice_of(str(control.body.get("choice")))
        await self._carry_out(scope, asked, choice)
        self._begun()
        return Outcome(status="stopped" if choice == "stopped" else "done")

    async def _ask(self, scope: RunScope) -> Asked:
        now_ms = self._clock.now_ms()

        async def look() -> Asked:
            return await self._database.read(lambda session: self._found(session, scope.input, now_ms))

        def also(session: Session, asked: Asked) -> None:
            self._held.ask_about(session, asked.keys, scope.id)

        def events(asked: Asked) -> list[RunEvent]:
            return [_event(scope, asked, "pending", now_ms)] if asked.keys else []

        return await scope.step("backlog/ask", look, result=Asked, events=events, also=also)

    def _found(self, session: Session, given: RunInput, now_ms: int) -> Asked:
        waiting = self._held.waiting(session, "backlog", now_ms)
        mine = [each for each in waiting if not each.is_open and _belongs(each.given, given)]
        return Asked(keys=tuple(each.key for each in mine), texts=tuple(_short(each.given) for each in mine))

    async def _carry_out(self, scope: RunScope, asked: Asked, choice: Choice) -> None:
        now_ms = self._clock.now_ms()
        waiting = await self._database.read(lambda session: self._held.waiting(session, "backlog", now_ms))
        # Some may have been taken back since; their words are not told again.
        kept = [each.key for each in waiting]
        texts = tuple(text for key, text in zip(asked.keys, asked.texts, strict=True) if key in kept)

        async def chosen() -> str:
            return choice

        def also(session: Session, value: str) -> None:
            inputs = {each.key: each.given for each in self._held.waiting(session, "backlog", now_ms)}
            left = [key for key in asked.keys if key in inputs]
            wanted = {"all": left, "last": left[-1:]}.get(value, [])
            for key in left:
                if key in wanted:
                    self._held.begin(session, key, inputs[key], now_ms)
                else:
                    self._held.forget(session, key, f"backlog_{value}")

        def events(value: str) -> list[RunEvent]:
            return [_event(scope, asked.model_copy(update={"texts": texts}), value, now_ms)]

        await scope.step("backlog/done", chosen, result=str, events=events, also=also)


def _belongs(late: RunInput, given: RunInput) -> bool:
    return late.to == given.to and late.by.id == given.by.id


def _short(given: RunInput) -> str:
    return cut(redact(" ".join(given.text.split())), _CHARS)


def _choice_of(said: str) -> Choice:
    return "all" if said == "all" else "last" if said == "last" else "ignore"


def _event(scope: RunScope, asked: Asked, state: str, at_ms: int) -> RunEvent:
    content = {
        "id": scope.id,
        "code": "backlog",
        "for": scope.input.by.id,
        "count": len(asked.texts),
        "texts": list(asked.texts[-_SHOWN:]),
        "options": ["all", "last", "ignore"] if len(asked.texts) > 1 else ["all", "ignore"],
        "state": state,
    }
    status = "in_progress" if state == "pending" else "success"
    return RunEvent(
        run=scope.id, type="choice", content=content, status=status, segment="backlog", opr="replace", at_ms=at_ms
    )
