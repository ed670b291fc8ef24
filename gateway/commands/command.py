"""What counts as a command."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from gateway.commands.table import NAMES

_SLASHES = ("/", "／")
_LOOKS_LIKE_ONE = re.compile(r"[/／]\w{2,20}")
_NEAR = 0.7


@dataclass(frozen=True, slots=True)
class Command:
    """A command word of the table, by its row's name; `rest` is what was written after it."""

    name: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Somebody's `word` with a slash, alone, that is no command; `nearest` is the name of the one they may mean."""

    word: str
    nearest: str


def parse_command(text: str, *, is_native: bool = False) -> Command | Unknown | None:
    """Give the command a message is; `None` for anything else, also for words that merely begin with a slash.

    `is_native`: the platform's own slash command was typed, so the first word needs none. Then nothing is `/help`, and
    a word followed by what its command does not take begins a question ("stop worrying about it").

    Example: `parse_command("/new what is next?")` is `Command("new", "what is next?")`; `"/etc/hosts"` is none.
    """
    word, _, rest = text.strip().replace("\n", " \n", 1).partition(" ")
    rest = rest.strip()
    if word.startswith(_SLASHES):
        row = NAMES.get(word[1:].casefold())
        return Command(row.name, rest) if row is not None else None if rest else _near(word)
    if not is_native:
        return None
    row = NAMES.get((word or "help").casefold())
    return Command(row.name, rest) if row is not None and row.takes(rest) else None


def _near(word: str) -> Unknown | None:
    if not _LOOKS_LIKE_ONE.fullmatch(word):
        return None
    near = get_close_matches(word[1:].casefold(), NAMES, n=1, cutoff=_NEAR)
    return Unknown(word, NAMES[near[0]].name) if near else None
