"""In which language a person is told something short: the one they last wrote in."""

from __future__ import annotations

from channels.events import CardAction, InboundMessage
from engine.messages import Address
from engine.runtime import Runtime, RunView
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
        """Give the language of the message; without words, that of the person's last ones in this chat."""
        if any(char.isalpha() for char in message.text):
            return language_of(message.text)
        return await self._of_person(address_of(message), message.sender.id)

    async def _of_person(self, conversation: Address, person: str) -> Language:
        return language_of(await self._runtime.last_words(conversation, person))
