"""What people are told beside answers: short notices and signs. They never hold up an ack and never fail it."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from channels.base import Channel
from channels.clock import Clock
from channels.errors import ChannelError
from channels.events import InboundMessage, Toast
from engine.errors import StorageError
from engine.messages import Principal
from engine.runtime import Runtime, Submitted
from gateway.background import Background
from gateway.commands import Reply
from gateway.inbound.keys import address_of
from gateway.inbound.language import Languages
from gateway.inbound.line import Line

logger = logging.getLogger(__name__)


class Notices:
    """Sends them beside the work, a bounded number at once."""

    def __init__(self, runtime: Runtime, channels: Mapping[tuple[str, str], Channel], clock: Clock) -> None:
        self._runtime = runtime
        self._channels = channels
        self.languages = Languages(runtime)
        self._line = Line(runtime, channels, clock)
        self._background = Background()

    async def close(self) -> None:
        """Say nothing more about who waits."""
        await self._line.close()

    async def say(self, message: InboundMessage, reply: Reply) -> Toast | None:
        """Answer the message soon with a notice; without a message to answer, give what to show instead."""
        if not message.is_command:
            self._background.soon(self._tell(message, reply))
            return None
        return Toast(reply.tone, reply.words(await self.languages.of_message(message)))

    async def submitted(self, message: InboundMessage, submitted: Submitted) -> Toast | None:
        """Show that a question waits, when it does: behind others of its conversation, or because all is busy."""
        if submitted.spoke is not None and submitted.spoke.does == "answer":
            return None if message.message_id else await self.say(message, Reply("toast.answered"))
        self._line.entered(message, submitted.run)
        if not submitted.queued_behind:
            return None
        if message.message_id:
            self._background.soon(self._show_queued(message, submitted))
            return None
        return await self.say(message, _in_line(submitted))

    async def _tell(self, message: InboundMessage, reply: Reply) -> None:
        try:
            words = reply.words(await self.languages.of_message(message))
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
