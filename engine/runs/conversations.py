"""Conversations as a whole: what is open in them, what people choose for them, and what a command says about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from sqlmodel import Session

from engine.messages import Address, InboxKey, Principal, RunId
from engine.runs.backlog import AGENT as BACKLOG
from engine.runs.clearing import Clearing
from engine.runs.eventlog import EventLog
from engine.runs.inbox import Inbox, Noted
from engine.runs.replica import Replica
from engine.runs.view import RunView, by_code, ended_of, last_ended, open_in, open_of
from engine.sessions.store import Memory, memory_of
from engine.settings import WhileBusy
from engine.storage.config import Choice, chosen, scope_of, store


@dataclass(frozen=True, slots=True)
class Question:
    """A question for approval that waits: of which run, for whom, and the `nonce` that its answer names."""

    run: RunView
    person: str
    nonce: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How a conversation stands. `model` is what people chose for it; `while_busy` what holds in it."""

    memory: Memory | None
    model: str | None
    while_busy: str


class Conversations:
    """Reads, and commands that speak to no single run. All methods raise `StorageError` while the database is away."""

    def __init__(self, replica: Replica, inbox: Inbox, clearing: Clearing, events: EventLog) -> None:
        self._replica = replica
        self._database = replica.database
        self._inbox = inbox
        self._clearing = clearing
        self._events = events

    async def knows(self, key: InboxKey) -> bool:
        """Tell whether an inbound is stored."""
        return await self._database.read(lambda session: self._inbox.body(session, key)) is not None

    async def note(
        self, key: InboxKey, conversation: Address, name: str, choices: Mapping[Choice, str | None] | None = None
    ) -> bool:
        """Store a command with what it chooses for its conversation, once; true when it is new. `None` chooses none."""

        def write(session: Session) -> bool:
            now_ms = self._replica.clock.now_ms()
            if not self._inbox.note(session, key, Noted(conversation, "command", name), now_ms):
                return False
            for choice, value in (choices or {}).items():
                store(session, scope_of(choice), conversation, value)
            return True

        return await self._database.run(write)

    async def clear(
        self, key: InboxKey, conversation: Address, by: Principal, *, also: Sequence[RunId] = ()
    ) -> Sequence[RunId] | None:
        """Stop what waits in a conversation and is this person's (an admin: anybody's); `None` for a repeat.

        `also` are runs of theirs elsewhere.
        """
        now_ms = self._replica.clock.now_ms()

        def take(session: Session) -> Sequence[RunId] | None:
            return self._clearing.take(session, key, by, conversation, at_ms=now_ms, also=also)

        stopped = await self._database.run(take)
        for run in stopped or ():
            self._replica.wake(run)
        return stopped

    async def open_in(self, conversation: Address, person: str) -> list[RunView]:
        """Give the runs that have not ended, in their order; last the person's own beside the conversation's line."""
        side = Address(f"{conversation}#{BACKLOG}:{person}")
        return await self._database.read(lambda session: open_in(session, conversation, side))

    async def open_of(self, person: str, beginning: str) -> list[RunView]:
        """Give a person's runs that have not ended in all conversations whose address begins so, the newest first."""
        return await self._database.read(lambda session: open_of(session, person, beginning))

    async def by_code(self, code: str) -> RunView | None:
        """Give the run that a code names, wherever it is; `None` when there is none, or it is no code."""
        return await self._database.read(lambda session: by_code(session, code))

    async def last_ended(self, conversation: Address, person: str) -> RunView | None:
        """Give a person's newest run that has ended."""
        return await self._database.read(lambda session: last_ended(session, conversation, person))

    async def ended_of(self, person: str, beginning: str) -> list[RunView]:
        """Give a person's newest runs that have ended, in all conversations whose address begins so."""
        return await self._database.read(lambda session: ended_of(session, person, beginning))

    async def question(self, run: RunView) -> Question | None:
        """Give the question for approval that a run waits with; the newest of several."""

        def read(session: Session) -> Question | None:
            asked: dict[str, Question] = {}
            for event in self._events.of_type(session, run.id, "approval"):
                content = event.content if isinstance(event.content, dict) else {}
                nonce = str(content.get("id"))
                asked.pop(nonce, None)
                if content.get("state") == "pending":
                    asked[nonce] = Question(run, str(content.get("for", "")), nonce)
            return next(reversed(asked.values()), None)

        return None if run.has_ended else await self._database.read(read)

    async def standing(self, conversation: Address, *, idle_hours: float, usual: WhileBusy) -> Standing:
        """Tell how a conversation stands."""
        now_ms = self._replica.clock.now_ms()

        def read(session: Session) -> Standing:
            memory = memory_of(session, conversation, now_ms=now_ms, idle_hours=idle_hours)
            model, mode = chosen(session, "model", conversation), chosen(session, "while_busy", conversation)
            return Standing(memory, model, mode if mode is not None and mode in get_args(WhileBusy) else usual)

        return await self._database.read(read)
