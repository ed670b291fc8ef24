"""The rules as settings and database give them, for one person in one conversation. Looks nothing up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from channels.events import ConversationRef, Sender
from gateway.access.admission import Refusal
from gateway.settings.access import AccessSection, ConversationRule, GroupMode, ThreadMode
from gateway.settings.names import conversation_name, organisation_name, person_name
from gateway.stores.people import Known, Rank


def name_of(where: ConversationRef, sender: Sender) -> str:
    """Give a person's name by id; the same person has another one on each account."""
    return person_name(where.channel, where.account, sender.id)


def chat_of(where: ConversationRef) -> str:
    """Give a conversation's name without its thread: rules hold for the whole chat."""
    return conversation_name(where.channel, where.account, where.tenant, where.chat)


@dataclass(frozen=True, slots=True)
class Rules:
    """What `[access]` says. Files and environment are stronger than what was decided in chat."""

    section: AccessSection

    def rank(self, where: ConversationRef, sender: Sender, known: Known) -> Rank:
        """Give a person's standing; strangers of the own organisation are members, all others guests."""
        name = name_of(where, sender)
        if name in self._owners:
            return "owner"
        if name in self.section.admins:
            return "admin"
        if known.rank is not None:
            return cast("Rank", known.rank)
        return "member" if where.tenant == sender.tenant and not sender.is_bot else "guest"

    def refusal(self, where: ConversationRef, sender: Sender, known: Known, *, direct: bool) -> Refusal | None:
        """Tell why a person may not talk here at all; `None` when they may."""
        if self._is_foreign(where, sender) and not self._is_expected(where, sender, known):
            return "other_tenant"
        if not direct:
            return self._refusal_in_group(where, sender, known)
        if self.section.dm == "open" or self._is_expected(where, sender, known):
            return None
        return "not_paired" if self.section.dm == "pairing" else "not_listed"

    def _refusal_in_group(self, where: ConversationRef, sender: Sender, known: Known) -> Refusal | None:
        mode = self.groups(where, known)
        if mode == "off":
            return "group_off"
        return "not_listed" if mode == "allowlist" and not self._is_expected(where, sender, known) else None

    def groups(self, where: ConversationRef, known: Known) -> GroupMode:
        """Give when the bot listens in this group."""
        rule = self.rule(where)
        fixed = rule.groups if rule is not None else None
        return fixed or cast("GroupMode | None", known.groups) or self.section.groups

    def threads(self, where: ConversationRef, known: Known) -> ThreadMode:
        """Give whether the bot follows the threads of this group."""
        rule = self.rule(where)
        fixed = rule.threads if rule is not None else None
        return fixed or cast("ThreadMode | None", known.threads) or self.section.threads

    def rule(self, where: ConversationRef) -> ConversationRule | None:
        """Give the rule that settings have for this conversation."""
        chat = chat_of(where)
        return next((each for each in self.section.conversations if each.conversation == chat), None)

    def may_come(self, where: ConversationRef, bot: Sender) -> bool:
        """Tell whether this bot is answered."""
        return name_of(where, bot) in self.section.bots

    @property
    def _owners(self) -> tuple[str, ...]:
        return self.section.owners or self.section.admins[:1]

    def _is_foreign(self, where: ConversationRef, sender: Sender) -> bool:
        return where.tenant != sender.tenant and not sender.is_bot

    def _is_expected(self, where: ConversationRef, sender: Sender, known: Known) -> bool:
        """Tell whether somebody named the person, their organisation or this conversation."""
        names = {
            name_of(where, sender),
            chat_of(where),
            organisation_name(where.channel, where.account, sender.tenant),
        }
        is_named = not names.isdisjoint((*self.section.allow, *self.section.admins, *self._owners))
        return known.rank is not None or is_named or (sender.is_bot and self.may_come(where, sender))
