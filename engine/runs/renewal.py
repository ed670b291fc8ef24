"""A conversation starts over: its session ends, and what the person still has in work in it stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from engine.messages import Address, InboxKey, Principal, RunId, RunInput
from engine.permissions.grants import end_in
from engine.runs.clearing import Clearing
from engine.runs.inbox import Inbox, Noted
from engine.sessions.store import close_conversation
from engine.storage.ids import new_id


@dataclass(frozen=True, slots=True)
class Renewed:
    """What came of it: the runs that were told to stop, and the run of the question that came with it."""

    duplicate: bool = False
    stopped: Sequence[RunId] = ()
    run: RunId | None = None


class Renewal:
    """Begins sessions anew, inside the caller's transaction."""

    def __init__(self, inbox: Inbox, clearing: Clearing) -> None:
        self._inbox = inbox
        self._clearing = clearing

    def take(
        self,
        session: Session,
        key: InboxKey,
        by: Principal,
        conversation: Address,
        question: RunInput | None,
        *,
        at_ms: int,
    ) -> Renewed:
        """End the conversation's session, once for each `key`; a question of the same message begins the next one.

        Runs of this person stop (of everybody, when an admin asks); those of others end in the session they began in.
        """
        run = RunId(new_id()) if question is not None else None
        if not self._inbox.note(session, key, Noted(conversation, "command", "new", run), at_ms):
            return Renewed(duplicate=True)
        # The place in line before runs, as a message that speaks to one; runs before sessions, as steps do.
        seq = 0 if question is None else self._inbox.admission.number(session, question)
        stopped = self._clearing.stop(session, key, by, conversation, at_ms=at_ms)
        close_conversation(session, conversation)
        end_in(session, conversation)
        if run is not None and question is not None:
            self._inbox.put(session, run, question, seq, at_ms)
        return Renewed(stopped=stopped, run=run)
