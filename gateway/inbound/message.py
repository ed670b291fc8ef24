"""A person's message: it becomes a run, a command, or a reason why not."""

from __future__ import annotations

import time
from dataclasses import replace

from channels.events import InboundMessage, Toast
from engine.errors import StorageError
from engine.messages import Part, Principal, RunId, RunInput, TextPart
from engine.runtime import Overload, Runtime
from gateway.access import Access, Admission, Refusal, is_called
from gateway.commands import Command, Commands, Order, Reply, Unknown, parse_command
from gateway.inbound.enclosures import enclosed_parts, is_spoken
from gateway.inbound.keys import address_of, inbox_key, message_key
from gateway.inbound.notices import Notices
from gateway.inbound.waiting import Waiting
from gateway.metrics import Metrics
from gateway.settings.names import account_name


class Messages:
    """Takes messages."""

    def __init__(
        self,
        runtime: Runtime,
        access: Access,
        notices: Notices,
        metrics: Metrics,
        commands: Commands,
        waiting: Waiting,
    ) -> None:
        self._notices = notices
        self._metrics = metrics
        self._commands = commands
        self._waiting = waiting
        self._runtime = runtime
        self._access = access

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
        try:
            return await self._admitted(message, command, admission)
        except StorageError:
            self._uncount(message, admission)
            raise

    async def _admitted(
        self, message: InboundMessage, command: Command | Unknown | None, admission: Admission
    ) -> Toast | None:
        by = admission.by
        if message.unsupported is not None:
            is_new = await self._ignore(message, "unsupported")
            self._uncount(message, admission, unless=is_new)
            said = Reply("notice.unsupported", {"kind": message.unsupported})
            return await self._notices.say(message, said) if is_new and is_called(message) else None
        if command is not None:
            return await self._order(message, command, by)
        if self._waiting.is_late(message):
            kept = await self._waiting.ask_first(message, await self._input(message, by))
        elif not message.text.strip() and message.chat_kind == "direct" and not is_spoken(message):
            kept = await self._waiting.for_words(message, await self._input(message, by))
        else:
            return await self._submit(message, admission)
        self._uncount(message, admission, unless=kept.is_new)
        return None if kept.overload is None else await self._say_full(message, kept.overload)

    def _uncount(self, message: InboundMessage, admission: Admission, *, unless: bool = False) -> None:
        """Count a message no more that turns out to be a repeat; who was refused took nobody's place."""
        if not unless and admission.refusal is None:
            self._access.give_back(message)

    async def _say_full(self, message: InboundMessage, overload: Overload) -> Toast | None:
        """Tell what to do about a message that was not taken in."""
        if not message.is_command and not self._access.may_tell_full(message, overload):
            return None
        return await self._notices.say(
            message, Reply(f"notice.{overload.reason}", {"count": overload.count}, tone="warning")
        )

    async def _refuse(self, message: InboundMessage, refusal: Refusal) -> Toast | None:
        is_new = await self._ignore(message, refusal)
        telling = await self._access.telling(message, refusal) if is_new else None
        if telling is None:
            return None
        return await self._notices.say(message, Reply(telling.key, telling.params, tone="warning"))

    async def _order(self, message: InboundMessage, command: Command | Unknown, by: Principal) -> Toast | None:
        if isinstance(command, Unknown):
            order = await self._ordered(message, Command(command.nearest), by)
            reply = await self._commands.correct(order, command.word, again=message.is_command)
        else:
            reply = await self._commands.take(await self._ordered(message, command, by), again=message.is_command)
        return None if reply is None else await self._notices.say(message, reply)

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
            account=account_name(message.conversation.channel, message.conversation.account),
            way_back=message.way_back,
        )

    async def _parts(self, message: InboundMessage) -> tuple[Part, ...]:
        """Give the words, after what came with them, which is fetched when the run begins."""
        words = [TextPart(text=message.text)] if message.text.strip() else []
        if await self._followed(message) is not None:
            message = replace(message, quoted_message_id=None)
        if not (message.attachments or message.forwards or message.quoted_message_id):
            return tuple(words)
        return (*enclosed_parts(message, await self._notices.languages.of_message(message)), *words)

    async def _followed(self, message: InboundMessage) -> RunId | None:
        """Give the run of the message that a topic or thread goes on from: every message there refers to it."""
        is_within = message.chat_kind == "topic" or message.conversation.thread is not None
        if not is_within or message.quoted_message_id is None:
            return None
        return await self._runtime.run_of(message_key(message.dedupe, message.quoted_message_id))

    async def _submit(self, message: InboundMessage, admission: Admission) -> Toast | None:
        begin_s = time.perf_counter()
        joins = self._waiting.belonging_to(message)
        if message.quoted_message_id in {each.key for each in joins}:
            message = replace(message, quoted_message_id=None)
        given = await self._input(message, admission.by)
        submitted = await self._runtime.submit(given, key=inbox_key(message.dedupe), joins=joins)
        self._metrics.submitted(time.perf_counter() - begin_s)
        self._uncount(message, admission, unless=not submitted.duplicate)
        if submitted.overload is not None:
            return await self._say_full(message, submitted.overload)
        return None if submitted.duplicate else await self._notices.submitted(message, submitted)

    async def _ignore(self, message: InboundMessage, reason: str) -> bool:
        return await self._runtime.ignore(inbox_key(message.dedupe), address_of(message), reason, {})


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
