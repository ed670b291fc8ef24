"""Who may talk to the bot, and who may press a button. Asked before any visible sign."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from channels.events import InboundMessage, Sender
from engine.messages import Principal, RunInput

Refusal = Literal["bot", "not_mentioned", "other_tenant", "empty"]


@dataclass(frozen=True, slots=True)
class Access:
    """The rules in force. `admins` are platform ids of people who may act on anybody's run."""

    admins: Collection[str] = ()

    def refusal(self, message: InboundMessage) -> Refusal | None:
        """Tell why a message starts nothing; `None` when it does."""
        if message.sender.is_bot:
            return "bot"
        if message.chat_kind != "direct" and not message.mentions_me:
            return "not_mentioned"
        if self._is_foreign(message):
            return "other_tenant"
        if not message.text.strip() and not message.attachments and message.unsupported is None:
            return "empty"
        return None

    def principal(self, sender: Sender) -> Principal:
        """Give the person as the engine knows them."""
        rank = "admin" if sender.id in self.admins else "member"
        return Principal(id=sender.id, tenant=sender.tenant, name=sender.name, rank=rank)

    def may_act_on(self, sender: Sender, run: RunInput) -> bool:
        """Tell whether this person may stop, judge or repeat the run: who asked for it, or an admin."""
        return sender.id == run.by.id or sender.id in self.admins

    def _is_foreign(self, message: InboundMessage) -> bool:
        own, theirs = message.conversation.tenant, message.sender.tenant
        return bool(own and theirs) and own != theirs and message.sender.id not in self.admins
