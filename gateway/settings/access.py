"""The section `[access]`: who may talk to the bot, where, and how much."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gateway.settings.names import parse_conversation, parse_name, parse_person
from gateway.settings.section import Id, Section

DirectMode = Literal["open", "pairing", "allowlist"]
GroupMode = Literal["mention", "open", "allowlist", "off"]
ThreadMode = Literal["follow", "mention"]

Person = Annotated[str, AfterValidator(parse_person)]
Conversation = Annotated[str, AfterValidator(parse_conversation)]
Listed = Annotated[str, AfterValidator(lambda written: parse_name(written)[1])]


class ConversationRule(Section):
    """What is different in one conversation; what is left out is as everywhere."""

    id: Id
    conversation: Conversation
    groups: GroupMode | None = None
    threads: ThreadMode | None = None


class AccessSection(Section):
    """The rules in force. People, conversations and organisations are written as in `gateway.settings.names`."""

    groups: GroupMode = "mention"
    threads: ThreadMode = "follow"
    dm: DirectMode = "open"
    allow: tuple[Listed, ...] = ()
    owners: tuple[Person, ...] = ()
    admins: tuple[Person, ...] = ()
    bots: tuple[Person, ...] = ()
    bot_turns: int = Field(default=3, ge=1, le=1000)
    per_person_per_minute: int = Field(default=120, ge=0, le=10_000)
    per_conversation_per_minute: int = Field(default=240, ge=0, le=10_000)
    conversations: tuple[ConversationRule, ...] = ()
