"""Who may talk to the bot, and who may press a button. Asked before any visible sign."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from channels.events import ConversationRef, InboundMessage, Sender
from engine.messages import Principal, RunInput

Refusal = Literal["bot", "not_mentioned", "other_tenant", "empty"]


@dataclass(frozen=True, slots=True)
class Access:
    """The rules in force. `admins` may act on anybody's run: entries `channel:account:person`."""

    admins: Collection[str] = ()

    def refusal(self, message: InboundMessage) -> Refusal | None:
        """Tell why a message starts nothing; `None` when it does."""
        if message.sender.is_bot:
            return "bot"
        if message.chat_kind != "direct" and not message.mentions_me:
            return "not_mentioned"
        if self.is_foreign(message.conversation, message.sender):
            return "other_tenant"
        if not message.text.strip() and not (message.attachments or message.forwards or message.unsupported):
            return "empty"
        return None

    def principal(self, where: ConversationRef, sender: Sender) -> Principal:
        """Give the person as the engine knows them."""
        rank = "admin" if self._is_admin(where, sender) else "member"
        return Principal(id=sender.id, tenant=sender.tenant, name=sender.name, rank=rank)

    def may_act_on(self, where: ConversationRef, sender: Sender, run: RunInput) -> bool:
        """Tell whether this person may stop, judge or repeat a run of this chat: who asked for it, or an admin."""
        return sender.id == run.by.id or self._is_admin(where, sender)

    def is_foreign(self, where: ConversationRef, sender: Sender) -> bool:
        """Tell whether this person is of another organisation than the account, and no admin."""
        return where.tenant != sender.tenant and not self._is_admin(where, sender)

    def _is_admin(self, where: ConversationRef, sender: Sender) -> bool:
        return f"{where.channel}:{where.account}:{sender.id}" in self.admins
