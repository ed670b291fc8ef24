"""A platform as several people know it: a group, a direct chat, and what can go wrong on the way to the bot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from channels.simulators.timeline import Entry

GROUP, DIRECT = "group", "direct"
LIN, CHEN = "lin", "chen"


@dataclass(frozen=True)
class Street:
    """One platform under the words of all: `places` and `people` give its ids by our names.

    `said` gives the bot's messages of a chat as Lin reads them, oldest first. `shows` matches the requests that change
    a card, `dials` those that ask for a connection, `word` gives what of a message's id stands in its frame.
    """

    sim: Any
    places: Mapping[str, str]
    people: Mapping[str, str]
    said: Callable[[str], list[str]]
    shows: str
    dials: str
    word: Callable[[str], str] = str

    def say(self, words: str, *, where: str = GROUP, by: str = LIN, mention: bool = True, **more: Any) -> str:
        """Write in a chat, in groups with a mention of the bot; gives the message's id."""
        text = f"@niuma {words}" if mention and where != DIRECT else words
        return str(self.sim.send(self.chat(where), self.people[by], text, **more).message_id)

    def chat(self, where: str) -> str:
        """Give the id of a place; an id is one already."""
        return self.places.get(where, where)

    def found(self, name: str) -> str:
        """Make a further group of Lin and Chen; gives its id."""
        made = self.sim.add_chat(name, list(self.people.values()))
        return str(made)

    def heard(self, where: str = GROUP) -> str:
        """Give all that the bot said in a place."""
        return "\n\n".join(self.said(self.chat(where)))

    def count(self, where: str = GROUP) -> int:
        """Give how many messages the bot has in a place."""
        return len(self.said(self.chat(where)))

    def redeliver(self, message: str) -> None:
        """Have the platform push a message once more."""
        self.sim.redeliver(message)

    def pushed(self, message: str) -> int:
        """Give how often a message was pushed to the bot."""
        return sum(self.word(message) in str(each.body) for each in self.entries("out"))

    def entries(self, kind: str, path: str = "") -> list[Entry]:
        """Give what the platform noted, of a kind and with a text in its path."""
        return [each for each in self.sim.timeline.since() if each.kind == kind and path in each.path]

    def refused(self) -> list[Entry]:
        """Give the requests that were answered with an error."""
        return [each for each in self.entries("rest") if each.code or each.status >= 400]

    def fault(self, path: str, action: Mapping[str, Any], *, times: int = 1, skip: int = 0) -> None:
        """Let something go wrong with the next requests to a path."""
        self.sim.faults.add({"match": {"path": path}, "action": dict(action), "times": times, "skip": skip})

    async def drop(self, how: str = "abort") -> None:
        """End the bot's connections."""
        await self.sim.drop(self.sim.app_id, how)
