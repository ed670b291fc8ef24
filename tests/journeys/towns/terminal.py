"""A terminal as a person knows it: `niuma chat` in a process of its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from tests.journeys.sitting import Person
from tests.journeys.towns.street import Street
from tests.journeys.towns.town import Look

_KEY = re.compile(r"\[(\w)\] (\w+)")
_WORDS = {
    "Stop": "stop",
    "Retry": "retry",
    "Satisfied": "satisfied",
    "Revise": "revise",
    "Abandon": "abandon",
    "Approve": "approve",
    "In": "approve_conversation",
    "Always": "approve_always",
    "Deny": "deny",
}
_HEADS = re.compile(r"^\S (?:Working|Waiting for you|Done|Stopped|Failed)", re.M)
_READING_S = 0.8


class Terminal:
    """See `Town`; the gateway runs inside of it, with the settings that `sit` is given."""

    def __init__(self) -> None:
        self._person: Person | None = None

    async def start(self) -> None:
        """Nothing listens here."""

    async def stop(self) -> None:
        if self._person is not None:
            self._person.close()

    def sit(self, home: Path, settings: Mapping[str, str]) -> None:
        """Start the chat and wait until it takes words."""
        env = {f"NIUMA_{key.upper().replace('.', '__')}": value for key, value in settings.items()}
        self._person = Person(home, columns=100, rows=60, **env)
        self._person.sees("›", 60)

    def settings(self) -> Mapping[str, str]:
        return {}

    def is_connected(self) -> bool:
        return self._person is not None

    async def ask(self, words: str) -> str:
        self._at.say(words)
        return words

    async def ask_with_file(self, words: str, name: str, content: bytes) -> str:
        raise NotImplementedError("nothing is attached at a terminal")

    def look(self, question: str) -> Look | None:
        before, asked, text = self._at.look(0.02).rpartition(f"› {question}")
        del before
        cards = len(_HEADS.findall(text))
        if not asked or not cards:
            return None
        buttons = tuple(_WORDS[word] for _, word in _KEY.findall(text) if word in _WORDS)
        return Look(text, buttons, cards)

    @property
    def street(self) -> Street:
        raise NotImplementedError("one person sits there alone")

    def send_file(self, name: str, content: bytes) -> None:
        raise NotImplementedError("nothing is attached at a terminal")

    def rung(self) -> list[str]:
        """Nobody else is there."""
        return []

    async def press(self, question: str, do: str, *, by: str = "lin") -> str:
        await asyncio.sleep(_READING_S)
        text = self._at.look(0.02)
        key = next(key for key, word in reversed(_KEY.findall(text)) if _WORDS.get(word) == do)
        self._at.say(key)
        return ""

    def files(self) -> Mapping[str, bytes]:
        return {}

    @property
    def _at(self) -> Person:
        assert self._person is not None
        return self._person
