"""Which direct chats' threads are answers to a message outside of threads: there the conversation is the chat."""

from __future__ import annotations

from dataclasses import replace

from channels.events import ConversationRef, Inbound, InboundMessage, StopPressed
from channels.kept import Kept
from channels.slack.identity import is_direct, ts_of

_KEPT = 5_000


class Roots:
    """Remembers questions of direct chats whose answers are streamed in a thread of their own."""

    def __init__(self) -> None:
        self._known: Kept[tuple[str, str], None] = Kept(_KEPT)

    def placed(self, inbound: Inbound) -> Inbound:
        """Note a question; give a stop the conversation of the question that it stops."""
        where = inbound.conversation
        if isinstance(inbound, InboundMessage) and is_direct(where.chat) and where.thread is None:
            self._note(where, ts_of(inbound.message_id))
        if isinstance(inbound, StopPressed) and (where.chat, where.thread or "") in self._known:
            return replace(inbound, conversation=replace(where, thread=None))
        return inbound

    def _note(self, where: ConversationRef, ts: str | None) -> None:
        if ts is None:
            return
        self._known[where.chat, ts] = None
