"""Decides who is answered, anew each time: what an admin changes holds from the next message on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from channels.clock import Clock
from channels.events import ConversationRef, InboundMessage, Sender
from engine.messages import Address, Principal
from gateway.access.admission import SILENT, Admission, Refusal, Telling
from gateway.access.bot_turns import BotTurns
from gateway.access.pace import Pace
from gateway.access.rules import Rules, chat_of, name_of
from gateway.settings.access import AccessSection
from gateway.stores.people import Known, People


class Access:
    """The rules in force, with who was let in. All methods that look at the database raise `StorageError`.

    `has_run_in` tells whether the bot was ever asked in a conversation, its thread included.
    """

    def __init__(
        self, section: AccessSection, people: People, clock: Clock, *, has_run_in: Callable[[Address], Awaitable[bool]]
    ) -> None:
        self.rules = Rules(section)
        self.people = people
        self._clock = clock
        self._has_run_in = has_run_in
        self._persons = Pace(section.per_person_per_minute, clock)
        self._chats = Pace(section.per_conversation_per_minute, clock)
        self._bots = BotTurns(section.bot_turns, clock)

    async def admit(self, message: InboundMessage) -> Admission:
        """Decide about a message, and count it when it is let in."""
        where, sender = message.conversation, message.sender
        known = await self._known(where, sender)
        by = self._principal(where, sender, known)
        if not sender.is_bot:
            self._bots.person_spoke(chat_of(where))
        return Admission(by, await self._refusal(message, known) or self._too_much(message))

    def uncount(self, message: InboundMessage) -> None:
        """Take back the count of a message that was let in and had come before: a platform's repeats use up no room."""
        self._persons.give_back(name_of(message.conversation, message.sender))
        self._chats.give_back(chat_of(message.conversation))

    async def telling(self, message: InboundMessage, refusal: Refusal) -> Telling | None:
        """Give what the writer of a refused message is told; `None` when that is nothing, or nothing any more.

        A stranger who may ask to be let in gets a code with it.
        """
        where, person = message.conversation, name_of(message.conversation, message.sender)
        match refusal:
            case "person_too_fast":
                may_tell = self._persons.may_tell(person)
            case "conversation_too_fast":
                may_tell = self._chats.may_tell(chat_of(where))
            case "bot_turns":
                # One line for all bots: it is written for the people who watch.
                may_tell = await self._may_tell("", where)
            case _ if refusal in SILENT or not is_called(message):
                may_tell = False
            case "not_paired":
                return await self._invitation(where, message.sender)
            case _:
                may_tell = refusal == "empty" or await self._may_tell(person, where)
        return Telling(f"notice.{refusal}", {"person": person}) if may_tell else None

    async def principal(self, where: ConversationRef, sender: Sender) -> Principal:
        """Give the person as the engine knows them: by their id on this account, with their rank."""
        return self._principal(where, sender, await self._known(where, sender))

    async def may_talk(self, where: ConversationRef, sender: Sender, *, direct: bool) -> bool:
        """Tell whether what this person begins here is answered."""
        return self.rules.refusal(where, sender, await self._known(where, sender), direct=direct) is None

    async def _refusal(self, message: InboundMessage, known: Known) -> Refusal | None:
        where, sender = message.conversation, message.sender
        direct = message.chat_kind == "direct"
        if sender.is_bot and not self.rules.may_come(where, sender):
            return "bot"
        if not direct and not await self._is_addressed(message, known):
            return "not_mentioned"
        refused = self.rules.refusal(where, sender, known, direct=direct)
        if refused is not None:
            return refused
        if sender.is_bot and not self._bots.take(chat_of(where)):
            return "bot_turns"
        return None

    async def _is_addressed(self, message: InboundMessage, known: Known) -> bool:
        where = message.conversation
        if message.mentions_me or self.rules.groups(where, known) == "open":
            return True
        if where.thread is None or self.rules.threads(where, known) == "mention":
            return False
        return await self._has_run_in(Address(str(where)))

    def _too_much(self, message: InboundMessage) -> Refusal | None:
        """Count the message; one that is refused takes nobody's place."""
        person, chat = name_of(message.conversation, message.sender), chat_of(message.conversation)
        if not self._persons.is_free(person):
            return "person_too_fast"
        if not self._chats.is_free(chat):
            return "conversation_too_fast"
        self._persons.take(person)
        self._chats.take(chat)
        has_nothing = not (message.text.strip() or message.attachments or message.forwards or message.unsupported)
        return "empty" if has_nothing else None

    async def _invitation(self, where: ConversationRef, sender: Sender) -> Telling | None:
        person = name_of(where, sender)
        asked = await self.people.ask(person, sender.name, now_ms=self._clock.now_ms())
        may_tell = await self._may_tell(person, where)
        if asked.state == "new" or (asked.state == "known" and may_tell):
            return Telling("notice.not_paired", {"code": asked.code})
        key = "notice.pairing_full" if asked.state == "full" else "notice.not_listed"
        return Telling(key, {"person": person}) if may_tell else None

    async def _may_tell(self, person: str, where: ConversationRef) -> bool:
        return await self.people.may_tell(person, str(where), now_ms=self._clock.now_ms())

    async def _known(self, where: ConversationRef, sender: Sender) -> Known:
        return await self.people.known(name_of(where, sender), chat_of(where))

    def _principal(self, where: ConversationRef, sender: Sender, known: Known) -> Principal:
        return Principal(
            id=sender.id, tenant=sender.tenant, name=sender.name, rank=self.rules.rank(where, sender, known)
        )


def is_called(message: InboundMessage) -> bool:
    """Tell whether the writer spoke to the bot and to nobody else, so that they wait for an answer."""
    return message.chat_kind == "direct" or message.mentions_me
