"""A platform as a person in a direct chat with the bot knows it, so that one script can be played on all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tests.journeys.towns.street import Street


@dataclass(frozen=True)
class Look:
    """What a person sees of the answer to one question: all words, what the buttons do, and its messages."""

    text: str
    buttons: tuple[str, ...]
    messages: int

    @property
    def is_over(self) -> bool:
        """Tell whether the answer has ended: it can be judged or asked again, and not be stopped."""
        return "stop" not in self.buttons and bool({"retry", "satisfied"} & set(self.buttons))


class Town(Protocol):
    """One simulated platform. Life: `start`, everything else, `stop`."""

    @property
    def street(self) -> Street:
        """Give the same platform as several people know it."""
        ...

    async def start(self) -> None:
        """Let the platform listen."""
        ...

    async def stop(self) -> None:
        """Let it end."""
        ...

    def settings(self) -> Mapping[str, str]:
        """Give the settings of the bot's account here, as dotted keys."""
        ...

    def is_connected(self) -> bool:
        """Tell whether the bot is there."""
        ...

    async def ask(self, words: str) -> str:
        """Write to the bot; gives what names the question."""
        ...

    async def ask_with_file(self, words: str, name: str, content: bytes) -> str:
        """Write to the bot, with a file, in one message or as people here send two."""
        ...

    def look(self, question: str) -> Look | None:
        """Give the answer as it is now; `None` while there is none."""
        ...

    async def press(self, question: str, do: str, *, by: str = "lin") -> str:
        """Press the button of the answer that does this; gives the words of the platform, if any."""
        ...

    def send_file(self, name: str, content: bytes) -> None:
        """Send a file alone."""
        ...

    def rung(self) -> list[str]:
        """Give whom any state of any message of the bot rang."""
        ...

    def files(self) -> Mapping[str, bytes]:
        """Give the files the bot sent, by name."""
        ...


class FaultyTown(Town, Protocol):
    """A platform behind a network, where things go wrong on demand."""

    def refuse_writes(self, times: int) -> None:
        """Refuse the next writes to chats as the platform does when there are too many."""
        ...

    def lose_next_answer(self) -> None:
        """Carry out the next write to a chat, and break the connection in the place of its answer."""
        ...

    def break_next_write(self) -> None:
        """Break the connection of the next write to a chat before it has any effect."""
        ...

    def deliver_again(self, question: str) -> None:
        """Push a question to the bot once more, as platforms do that missed its acknowledgement."""
        ...

    def end_streams(self) -> None:
        """End what streams on the platform, before the bot does."""
        ...

    async def cut_connections(self) -> None:
        """Cut every long connection of the bot."""
        ...
