"""What the person does, in the words of `channels.events`."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Literal

from channels.cards.model import Action
from channels.clock import Clock
from channels.events import CardAction, ConversationRef, DedupeKey, InboundMessage, Sender

NAME = "terminal"
Command = Literal["quit", "help"]
_COMMANDS: dict[str, Command] = {"/quit": "quit", "/exit": "quit", "/help": "help"}


def parse_command(text: str) -> Command | None:
    """Give the command to the window that a line is; all others are the host's."""
    return _COMMANDS.get(text.strip().casefold())


@dataclass(frozen=True, slots=True)
class Person:
    """Who sits at the terminal, and in which conversation."""

    account: str
    id: str
    name: str
    chat: str
    clock: Clock

    @property
    def conversation(self) -> ConversationRef:
        """Give where their next message goes."""
        return ConversationRef(NAME, self.account, "", self.chat)

    def says(self, text: str, message_id: str) -> InboundMessage:
        """Give a message of theirs."""
        return InboundMessage(
            dedupe=DedupeKey(NAME, self.account, "message", message_id),
            conversation=self.conversation,
            chat_kind="direct",
            message_id=message_id,
            sender=self._sender(),
            text=text,
            mentions_me=True,
            created_at_ms=self.clock.now_ms(),
        )

    def presses(self, action: Action, card: str) -> CardAction:
        """Give a press on a button of the card `card`."""
        return CardAction(
            dedupe=DedupeKey(NAME, self.account, "action", uuid.uuid4().hex),
            conversation=self.conversation,
            message_id=card,
            sender=self._sender(),
            value=action.value(),
            created_at_ms=self.clock.now_ms(),
        )

    def _sender(self) -> Sender:
        return Sender(self.id, "", self.name)
