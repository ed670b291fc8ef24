"""What people do besides writing and pressing: recalls, signs, the menu, coming and going."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import assert_never

from channels.base import Channel
from channels.errors import ChannelError
from channels.events import (
    ChatEntered,
    ConversationRef,
    Edited,
    InboundMessage,
    MembershipChanged,
    MenuChosen,
    Notice,
    Reacted,
    Recalled,
    Sender,
    StopPressed,
)
from engine.runtime import Runtime
from gateway.access import Access
from gateway.background import Background
from gateway.commands import Commands, Order
from gateway.inbound.direct_chats import DirectChats
from gateway.inbound.keys import address_of, inbox_key, message_key
from gateway.inbound.message import Messages
from gateway.texts import LANGUAGES, text

logger = logging.getLogger(__name__)

GREETED = "greeted"
"""Scope in the database of the conversations that were greeted: a direct chat is entered every day."""


class Happenings:
    """Takes what is no message. A recalled message stops its run; a menu entry is asked like a message."""

    def __init__(
        self,
        runtime: Runtime,
        access: Access,
        channels: Mapping[tuple[str, str], Channel],
        messages: Messages,
        commands: Commands,
        chats: DirectChats,
    ) -> None:
        self._runtime = runtime
        self._access = access
        self._channels = channels
        self._messages = messages
        self._commands = commands
        self._chats = chats
        self._background = Background()

    async def take(self, notice: Notice) -> None:
        """Store it and do what follows from it.

        Raises:
            StorageError: it is not stored.
        """
        match notice:
            case Recalled():
                await self._take_back(notice)
            case MenuChosen():
                await self._choose(notice)
            case MembershipChanged():
                await self._came_or_went(notice)
            case ChatEntered():
                if notice.sender is not None:
                    await self._chats.learn(notice.conversation, notice.sender)
                await self._greet(notice, notice.conversation)
            case Edited():
                await self._correct(notice)
            case StopPressed():
                await self._stop(notice)
            case Reacted():
                await self._note(notice)
            case _:
                assert_never(notice)

    async def _take_back(self, notice: Recalled) -> None:
        await self._note(notice)
        await self._runtime.recall(message_key(notice.dedupe, notice.message_id), address_of(notice))

    async def _correct(self, edited: Edited) -> None:
        """Ask a message that waits in its new words; one that is being answered keeps the old ones."""
        if edited.text.strip():
            message, at_ms = message_key(edited.dedupe, edited.message_id), edited.created_at_ms
            await self._runtime.reword(message, edited.text, address_of(edited), edited_at_ms=at_ms)
        await self._note(edited)

    async def _stop(self, pressed: StopPressed) -> None:
        """Do what `/stop` does; the platform shows that by itself, so nothing is said."""
        who, where = pressed.sender, pressed.conversation
        if who is None:
            await self._note(pressed)
            return
        order = Order(
            name="stop",
            key=inbox_key(pressed.dedupe),
            to=address_of(pressed),
            by=await self._access.principal(where, who),
            sent_at_ms=pressed.created_at_ms,
        )
        await self._commands.take(order)

    async def _choose(self, chosen: MenuChosen) -> None:
        """Ask in the direct chat, which has the session and the queue; a menu's event may name the person alone."""
        assert chosen.sender is not None, "a menu is chosen by somebody"
        where = await self._chats.of(chosen.conversation, chosen.sender)
        await self._messages.take(_as_message(chosen, chosen.sender, where))

    async def _came_or_went(self, notice: MembershipChanged) -> None:
        if notice.is_in:
            await self._greet(notice, notice.conversation)
        else:
            await self._note(notice)
            await self._runtime.config_set(GREETED, str(notice.conversation), None)

    async def _greet(self, notice: ChatEntered | MembershipChanged, where: ConversationRef) -> None:
        """Say hello once for every chat; noted before it is said, so that nobody is greeted twice.

        Who may not talk to the bot gets no sign of it.
        """
        if not await self._note(notice) or await self._runtime.config_get(GREETED, str(where)):
            return
        is_group = isinstance(notice, MembershipChanged)
        if notice.sender is not None and not await self._access.may_talk(where, notice.sender, direct=not is_group):
            return
        await self._runtime.config_set(GREETED, str(where), notice.created_at_ms)
        key = "notice.hello_group" if is_group else "notice.hello"
        # Nobody has written yet, so nobody's language is known.
        words = "\n".join(text(language, key) for language in LANGUAGES)
        self._background.soon(self._say(where, words, f"hello-{notice.dedupe.key}"))

    async def _say(self, where: ConversationRef, words: str, key: str) -> None:
        try:
            await self._channels[where.channel, where.account].send_notice(where, words, reply_to=None, key=key)
        except ChannelError as error:
            logger.warning("greeting_not_sent", extra={"conversation": str(where), "code": error.code})

    async def _note(self, notice: Notice) -> bool:
        return await self._runtime.ignore(inbox_key(notice.dedupe), address_of(notice), notice.dedupe.kind, {})


def _as_message(chosen: MenuChosen, sender: Sender, where: ConversationRef) -> InboundMessage:
    """Give a menu entry as the words its operator wrote for it."""
    return InboundMessage(
        dedupe=chosen.dedupe,
        conversation=where,
        chat_kind="direct",
        message_id="",
        sender=sender,
        text=chosen.key,
        mentions_me=True,
        created_at_ms=chosen.created_at_ms,
    )
