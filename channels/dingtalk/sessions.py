"""What came with people's messages and is needed to answer them: the session's own address, and until when it works."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from channels.clock import Clock
from channels.events import Quote
from channels.kept import Kept

_KEPT = 2000
_EARLY_MS = 30_000
"""An address this close to its end is not used any more. Source: 90 minutes in all official samples."""


@dataclass(frozen=True, slots=True)
class Session:
    """One message's way back. `conversation_id` is the platform's own, for signs; `staff_id` may be empty."""

    chat: str
    message_id: str
    conversation_id: str
    staff_id: str
    webhook: str
    expires_ms: int

    def way_back(self) -> str:
        """Give it as text, to be kept with the message for the next process."""
        return json.dumps(asdict(self))


class Sessions:
    """Remembers the newest messages of this process, and takes in what an earlier one kept with a message.

    After a restart other chats than guests' are reached by the robot's own calls.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by_message: Kept[str, Session] = Kept(_KEPT)
        self._newest: Kept[str, Session] = Kept(_KEPT)
        self._quotes: Kept[str, Sequence[Quote]] = Kept(_KEPT)

    def note(self, session: Session) -> None:
        """Remember a message."""
        self._by_message[session.message_id] = session
        self._newest[session.chat] = session

    def take_up(self, way_back: str) -> None:
        """Remember again what was kept with a message, where this process does not know better."""
        if not way_back:
            return
        kept = json.loads(way_back)
        # Another version may have kept more with it.
        session = Session(**{each.name: kept[each.name] for each in fields(Session) if each.name in kept})
        if session.message_id not in self._by_message:
            self._by_message[session.message_id] = session

    def of_message(self, message_id: str | None) -> Session | None:
        """Give what came with a message."""
        return self._by_message.get(message_id or "")

    def valid(self, chat: str, reply_to: str | None) -> Session | None:
        """Give a way back into a chat that is still open: of the message that is answered, or of a newer one."""
        until_ms = self._clock.now_ms() + _EARLY_MS
        for session in (self.of_message(reply_to), self._newest.get(chat)):
            if session is not None and session.chat == chat and session.webhook and session.expires_ms > until_ms:
                return session
        return None

    def close(self, session: Session) -> None:
        """Forget an address that the platform refused: all that came before it is as old."""
        for known in [self._newest.get(session.chat), self._by_message.get(session.message_id)]:
            if known is not None and known.webhook == session.webhook:
                ended = Session(known.chat, known.message_id, known.conversation_id, known.staff_id, "", 0)
                self._by_message[known.message_id] = ended
                if self._newest.get(known.chat) is known:
                    self._newest[known.chat] = ended

    def note_quote(self, message_id: str, quotes: Sequence[Quote]) -> None:
        """Remember a message that somebody quoted: the platform has no call to read it."""
        self._quotes[message_id] = quotes

    def quote(self, message_id: str) -> Sequence[Quote] | None:
        """Give a message that somebody quoted."""
        return self._quotes.get(message_id)
