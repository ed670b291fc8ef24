"""A person's message: it becomes a run, a command, or a reason why not."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import replace

from channels.base import Channel
from channels.errors import ChannelError
from channels.events import InboundMessage, Toast
from engine.errors import StorageError
from engine.messages import Part, Principal, RunId, RunInput, TextPart
from engine.runtime import Runtime, Submitted
from gateway.access import Access, Admission, Refusal, is_called
from gateway.background import Background
from gateway.commands import Command, Commands, Order, Reply, Unknown, parse_command
from gateway.inbound.enclosures import enclosed_parts, is_spoken
from gateway.inbound.keys import address_of, inbox_key, message_key
from gateway.inbound.language import Languages
from gateway.inbound.waiting import Waiting
from gateway.metrics import Metrics

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
        self._background = Background()

    async def take(self, message: InboundMessage) -> Toast | None:
        """Store the message and start its run, or carry its command out.

        Gives what to tell the person where there is no message to answer; else they are told by a notice.

        Raises:
            StorageError: it is not stored.
        """
        admission = await self._access.admit(message)
        command = parse_command(message.text, is_native=message.is_command)
        if admission.refusal is not None and not _is_heard_anyway(admission.refusal, admission, command):
            return await self._refuse(message, admission.refusal)
        by = admission.by
        if message.unsupported is not None:
            is_new = await self._ignore(message, "unsupported")
            said = Reply("notice.unsupported", {"kind": message.unsupported})
            return await self._say(message, said) if is_new and is_called(message) else None
        if command is not None:
            return await self._order(message, command, by)
        if self._waiting.is_late(message):
            await self._waiting.ask_first(message, await self._input(message, by))
        elif not message.text.strip() and message.chat_kind == "direct" and not is_spoken(message):
            await self._waiting.for_words(message, await self._input(message, by))
        else:
            return await self._submit(message, by)
        return None

    async def _refuse(self, message: InboundMessage, refusal: Refusal) -> Toast | None:
        is_new = await self._ignore(message, refusal)
        telling = await self._access.telling(message, refusal) if is_new else None
        if telling is None:
            return None
        return await self._say(message, Reply(telling.key, telling.params, tone="warning"))

    async def _order(self, message: InboundMessage, command: Command | Unknown, by: Principal) -> Toast | None:
        if isinstance(command, Unknown):
            order = await self._ordered(message, Command(command.nearest), by)
            reply = await self._commands.correct(order, command.word, again=message.is_command)
        else:
            reply = await self._commands.take(await self._ordered(message, command, by), again=message.is_command)
        return None if reply is None else await self._say(message, reply)

    async def _ordered(self, message: InboundMessage, command: Command, by: Principal) -> Order:
        asks = command.name == "new" and command.rest
        return Order(
            name=command.name,
            rest=command.rest,
            key=inbox_key(message.dedupe),
            to=address_of(message),
            by=by,
            sent_at_ms=message.created_at_ms,
            is_direct=message.chat_kind == "direct",
            is_late=self._waiting.is_late(message),
            question=await self._input(replace(message, text=command.rest), by) if asks else None,
        )

    async def _input(self, message: InboundMessage, by: Principal) -> RunInput:
        return RunInput(
            to=address_of(message),
            by=by,
            parts=await self._parts(message),
            anchor=message.message_id or None,
            sent_at_ms=message.created_at_ms,
            follows=await self._followed(message),
            is_unseen=message.is_command and message.chat_kind != "direct",
        )

    async def _parts(self, message: InboundMessage) -> tuple[Part, ...]:
        """Give the words, after what came with them, which is fetched when the run begins."""
        words = [TextPart(text=message.text)] if message.text.strip() else []
        if await self._followed(message) is not None:
            message = replace(message, quoted_message_id=None)
        if not (message.attachments or message.forwards or message.quoted_message_id):
            return tuple(words)
        return (*enclosed_parts(message, await self._languages.of_message(message)), *words)

    async def _followed(self, message: InboundMessage) -> RunId | None:
        """Give the run of the message that a topic or thread goes on from: every message there refers to it."""
        is_within = message.chat_kind == "topic" or message.conversation.thread is not None
        if not is_within or message.quoted_message_id is None:
            return None
        return await self._runtime.run_of(message_key(message.dedupe, message.quoted_message_id))

    async def _submit(self, message: InboundMessage, by: Principal) -> Toast | None:
        begin_s = time.perf_counter()
        joins = self._waiting.belonging_to(message)
        if message.quoted_message_id in {each.key for each in joins}:
            message = replace(message, quoted_message_id=None)
        given = await self._input(message, by)
        submitted = await self._runtime.submit(given, key=inbox_key(message.dedupe), joins=joins)
        self._metrics.submitted(time.perf_counter() - begin_s)
        if submitted.duplicate:
            self._access.uncount(message)
        if not submitted.queued_behind or submitted.duplicate:
            return None
        if message.message_id:
            self._background.soon(self._show_queued(message, submitted))
            return None
        return await self._say(message, _in_line(submitted))

    async def _ignore(self, message: InboundMessage, reason: str) -> bool:
        return await self._runtime.ignore(inbox_key(message.dedupe), address_of(message), reason, {})

    async def _say(self, message: InboundMessage, reply: Reply) -> Toast | None:
        """Answer the message soon with a notice; without a message to answer, give what to show instead."""
        if not message.is_command:
            self._background.soon(self._tell(message, reply))
            return None
        return Toast(reply.tone, reply.words(await self._languages.of_message(message)))

    async def _tell(self, message: InboundMessage, reply: Reply) -> None:
        try:
            words = reply.words(await self._languages.of_message(message))
            await self._channel(message).send_notice(
                message.conversation,
                words,
                reply_to=message.message_id or None,
                key=f"{message.message_id or message.dedupe.key}-n",
            )
        except (ChannelError, StorageError) as error:
            logger.warning("notice_not_sent", extra={"conversation": str(message.conversation), "code": error.code})

    async def _show_queued(self, message: InboundMessage, submitted: Submitted) -> None:
        """Show that it waits; where it waits for somebody's answer, also for whose: a sign would be a riddle."""
        await self._channel(message).react(message.conversation, message.message_id, "queued", on=True)
        try:
            asked = await self._runtime.waits_in(address_of(message))
        except StorageError as error:
            logger.warning("notice_not_sent", extra={"conversation": str(message.conversation), "code": error.code})
            return
        if asked is not None and (submitted.spoke is None or submitted.spoke.does == "steer"):
            await self._tell(message, Reply(_behind(asked, message.sender.id), {"name": asked.name}))

    def _channel(self, message: InboundMessage) -> Channel:
        return self._channels[message.conversation.channel, message.conversation.account]


def _is_heard_anyway(refusal: Refusal, admission: Admission, command: Command | Unknown | None) -> bool:
    """Tell whether a refused message is a command all the same.

    Nobody but an admin can open a group that is switched off, and from nowhere else; what runs must be stopped most of
    all when too much is asked; the platform's own command without words asks for help.
    """
    name = command.name if isinstance(command, Command) else ""
    match refusal:
        case "group_off":
            return admission.by.is_admin and name == "access"
        case "person_too_fast" | "conversation_too_fast":
            return name == "stop"
        case "empty":
            return name == "help"
        case _:
            return False


def _in_line(submitted: Submitted) -> Reply:
    """Say what becomes of a question that is not worked on at once."""
    position = submitted.queued_behind
    if submitted.spoke is not None:
        return Reply(f"notice.queued_{submitted.spoke.does}")
    return Reply("notice.queued_next") if position == 1 else Reply("notice.queued", {"position": position})


def _behind(asked: Principal, sender: str) -> str:
    """Give what to tell somebody who waits until `asked` has answered a question."""
    if asked.id == sender:
        return "notice.behind_you"
    return "notice.behind" if asked.name else "notice.behind_unnamed"
