"""A person's message: it becomes a run, a command, or a reason why not."""

from __future__ import annotations

import logging
import time
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

from channels.base import Channel
from channels.errors import ChannelError
from channels.events import InboundMessage
from engine.errors import StorageError
from engine.messages import InboxKey, Part, Principal, RunInput, TextPart
from engine.runtime import Runtime
from gateway.access import Access
from gateway.commands import Command, Commands, Order, parse_command
from gateway.inbound.courtesies import Courtesies
from gateway.inbound.enclosures import enclosed_parts, is_spoken
from gateway.inbound.keys import address_of, inbox_key
from gateway.inbound.language import Languages
from gateway.inbound.waiting import Waiting
from gateway.metrics import Metrics
from gateway.texts import text

logger = logging.getLogger(__name__)


class Messages:
    """Takes messages. Courtesies (a reaction, a short notice) never hold up the ack and never fail it."""

    def __init__(
        self,
        runtime: Runtime,
        access: Access,
        channels: Mapping[tuple[str, str], Channel],
        metrics: Metrics,
        commands: Commands,
        waiting: Waiting,
    ) -> None:
        self._metrics = metrics
        self._commands = commands
        self._waiting = waiting
        self._runtime = runtime
        self._access = access
        self._languages = Languages(runtime)
        self._channels = channels
        self._courtesies = Courtesies()

    async def take(self, message: InboundMessage) -> None:
        """Store the message and start its run.

        Raises:
            StorageError: it is not stored.
        """
        refusal = self._access.refusal(message)
        if refusal is not None:
            if await self._ignore(message, refusal) and refusal == "empty":
                self._soon(self._tell(message, "notice.empty"))
        elif message.unsupported is not None:
            if await self._ignore(message, "unsupported"):
                self._soon(self._tell(message, "notice.unsupported", kind=message.unsupported))
        elif (command := parse_command(message.text)) is not None:
            await self._order(message, command)
        elif self._waiting.is_late(message):
            await self._waiting.ask_first(message, await self._input(message))
        elif not message.text.strip() and message.chat_kind == "direct" and not is_spoken(message):
            await self._waiting.for_words(message, await self._input(message))
        else:
            await self._submit(message)

    async def _order(self, message: InboundMessage, command: Command) -> None:
        reply = await self._commands.take(
            Order(
                command=command,
                key=inbox_key(message.dedupe),
                to=address_of(message),
                by=self._access.principal(message.conversation, message.sender),
                sent_at_ms=message.created_at_ms,
                is_late=self._waiting.is_late(message),
                question=await self._input(replace(message, text=command.rest)) if command.rest else None,
            )
        )
        if reply is not None:
            self._soon(self._tell(message, reply.key, **reply.params))

    async def _input(self, message: InboundMessage) -> RunInput:
        return RunInput(
            to=address_of(message),
            by=self._access.principal(message.conversation, message.sender),
            parts=await self._parts(message),
            anchor=message.message_id or None,
            sent_at_ms=message.created_at_ms,
        )

    async def _parts(self, message: InboundMessage) -> tuple[Part, ...]:
        """Give the words, after what came with them, which is fetched when the run begins."""
        words = [TextPart(text=message.text)] if message.text.strip() else []
        if await self._is_followed(message):
            message = replace(message, quoted_message_id=None)
        if not (message.attachments or message.forwards or message.quoted_message_id):
            return tuple(words)
        return (*enclosed_parts(message, await self._languages.of_message(message)), *words)

    async def _is_followed(self, message: InboundMessage) -> bool:
        """Tell whether a topic merely goes on from a message that was answered in it: every message there refers so."""
        if message.chat_kind != "topic" or message.quoted_message_id is None:
            return False
        key = message.dedupe
        quoted = InboxKey(channel=key.channel, account=key.account, kind="message", key=message.quoted_message_id)
        return await self._runtime.run_of(quoted) is not None

    async def _submit(self, message: InboundMessage) -> None:
        begin_s = time.perf_counter()
        joins = self._waiting.belonging_to(message)
        if message.quoted_message_id in {each.key for each in joins}:
            message = replace(message, quoted_message_id=None)
        given = await self._input(message)
        submitted = await self._runtime.submit(given, key=inbox_key(message.dedupe), joins=joins)
        self._metrics.submitted(time.perf_counter() - begin_s)
        if submitted.queued_behind and not submitted.duplicate:
            self._soon(self._show_queued(message))

    async def _ignore(self, message: InboundMessage, reason: str) -> bool:
        return await self._runtime.ignore(inbox_key(message.dedupe), address_of(message), reason, {})

    async def _tell(self, message: InboundMessage, key: str, **params: str) -> None:
        try:
            words = text(await self._languages.of_message(message), key, **params)
            await self._channel(message).send_notice(
                message.conversation,
                words,
                reply_to=message.message_id or None,
                key=f"{message.message_id or message.dedupe.key}-n",
            )
        except (ChannelError, StorageError) as error:
            logger.warning("notice_not_sent", extra={"conversation": str(message.conversation), "code": error.code})

    async def _show_queued(self, message: InboundMessage) -> None:
        """Show that it waits; where it waits for somebody's answer, also for whose: a sign would be a riddle."""
        await self._channel(message).react(message.conversation, message.message_id, "queued", on=True)
        asked = self._runtime.waits_in(address_of(message))
        if asked is not None:
            await self._tell(message, _behind(asked, message.sender.id), name=asked.name)

    def _channel(self, message: InboundMessage) -> Channel:
        return self._channels[message.conversation.channel, message.conversation.account]

    def _soon(self, courtesy: Coroutine[Any, Any, None]) -> None:
        self._courtesies.soon(courtesy)


def _behind(asked: Principal, sender: str) -> str:
    """Give what to tell somebody who waits until `asked` has answered a question."""
    if asked.id == sender:
        return "notice.behind_you"
    return "notice.behind" if asked.name else "notice.behind_unnamed"
