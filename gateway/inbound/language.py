"""In which language a person is told something short: the one they last wrote in."""

from __future__ import annotations

from channels.events import CardAction, InboundMessage
from engine.messages import Address
from engine.runtime import Runtime, RunView
from gateway.commands import Command, parse_command
from gateway.inbound.keys import address_of
from gateway.texts import Language, language_of


class Languages:
    """Looks at what a person wrote; their name tells nothing."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def of_press(self, action: CardAction, run: RunView | None) -> Language:
        """Give the language of the card that was pressed; of a card nobody knows any more, the person's."""
        if run is not None:
            return language_of(run.input.text)
        return await self._of_person(address_of(action), action.sender.id)

    async def of_message(self, message: InboundMessage) -> Language:
        """Give the language of the message; without words of its own, that of the person's last ones in this chat."""
        words = _words(message)
        if any(char.isalpha() for char in words):
            return language_of(words)
        return await self._of_person(address_of(message), message.sender.id)

    async def _of_person(self, conversation: Address, person: str) -> Language:
        return language_of(await self._runtime.last_words(conversation, person))


def _words(message: InboundMessage) -> str:
    """Give the words that tell a language: a command's own name and its code tell none, unless they are Chinese."""
    command = parse_command(message.text, is_native=message.is_command)
    if command is None:
        return message.text
    if isinstance(command, Command) and command.name == "new":
        return command.rest
    return "".join(char for char in message.text if not char.isascii())
