"""A message is taken back: what waits becomes nothing, what is in work stops, what has not come yet never begins."""

from __future__ import annotations

from sqlmodel import Session

from engine.messages import Address, InboxKey, RunId
from engine.ports import Control
from engine.runs.controls import put
from engine.runs.held import Held
from engine.runs.inbox import Inbox, Noted
from engine.storage.statement import Dialect

_WHY = "recalled"


class Recall:
    """Takes messages back, inside the caller's transaction; a repeat changes nothing."""

    def __init__(self, dialect: Dialect, inbox: Inbox, held: Held) -> None:
        self._dialect = dialect
        self._inbox = inbox
        self._held = held

    def take(self, session: Session, message: InboxKey, conversation: Address, at_ms: int) -> RunId | None:
        """Take one back; gives the run that was told to stop.

        Events overtake each other: a message that is delivered after its recall finds its key taken.
        """
        if self._inbox.note(session, message, Noted(conversation, "ignored", _WHY), at_ms):
            return None
        asking = Inbox.run_of(session, message)
        waited = self._held.forget(session, message, _WHY)
        # The run which asks goes on while there are others to be asked about.
        run = asking if waited else Inbox.begun_by(session, message)
        if run is None or (waited and self._held.is_asked_about(session, run)):
            return None
        control = Control(id=f"recall-{message.key}", kind="stop", by="", body={"reason": _WHY})
        put(session, self._dialect, run, control, at_ms)
        return run
