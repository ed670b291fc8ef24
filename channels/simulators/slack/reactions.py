"""Emojis on messages: the app's calls and what people do."""

from __future__ import annotations

from channels.simulators.jsons import Json
from channels.simulators.slack.access import Access
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Handler
from channels.simulators.slack.messages import Messages
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.world import Message, Reaction


class Reactions:
    """Puts emojis on messages and takes them off."""

    def __init__(self, access: Access, messages: Messages, outbox: Outbox) -> None:
        self._access = access
        self._messages = messages
        self._outbox = outbox

    def methods(self) -> dict[str, Handler]:
        """Give the calls by name."""
        return {"reactions.add": self._add, "reactions.remove": self._remove}

    def add(self, message: Message, name: str, by: str) -> None:
        """Put an emoji on a message.

        Raises:
            ApiError: `already_reacted`.
        """
        reaction = Reaction(name, by)
        if reaction in message.reactions:
            raise ApiError("already_reacted")
        message.reactions.append(reaction)
        self._outbox.reacted(message, reaction, added=True)

    def remove(self, message: Message, name: str, by: str) -> None:
        """Take an emoji off a message.

        Raises:
            ApiError: `no_reaction`.
        """
        reaction = Reaction(name, by)
        if reaction not in message.reactions:
            raise ApiError("no_reaction")
        message.reactions.remove(reaction)
        self._outbox.reacted(message, reaction, added=False)

    def _add(self, call: Call) -> Json:
        self.add(self._message(call), _name(call), call.app.user_id)
        return {}

    def _remove(self, call: Call) -> Json:
        self.remove(self._message(call), _name(call), call.app.user_id)
        return {}

    def _message(self, call: Call) -> Message:
        chat = self._access.member_chat(call.app, call.need("channel"))
        return self._messages.find(chat.id, call.need("timestamp"))


def _name(call: Call) -> str:
    name = call.need("name").strip(":")
    if not name.replace("_", "").replace("-", "").replace("+", "").isalnum():
        raise ApiError("invalid_name")
    return name
