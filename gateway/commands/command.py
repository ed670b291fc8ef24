"""What counts as a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

CommandName = Literal["new"]
_NAMES: dict[str, CommandName] = {name: name for name in get_args(CommandName)}
_SLASHES = "/／"


@dataclass(frozen=True, slots=True)
class Command:
    """A known command word; `rest` is what was written after it."""

    name: CommandName
    rest: str = ""


def parse_command(text: str) -> Command | None:
    """Give the command a message is; `None` for anything else, also for words that merely begin with a slash.

    Example: `parse_command("/new what is next?")` is `Command("new", "what is next?")`; `"/etc/hosts"` is none.
    """
    word, _, rest = text.strip().replace("\n", " \n", 1).partition(" ")
    name = _NAMES.get(word[1:].casefold()) if word[:1] in tuple(_SLASHES) else None
    return None if name is None else Command(name, rest.strip())
