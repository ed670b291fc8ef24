"""The Dockerfile as data: its stages, instruction by instruction."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Instruction:
    """One of them; continued lines are joined."""

    word: str
    rest: str

    @property
    def words(self) -> list[str]:
        """Give what follows in exec form; anything else fails."""
        found = json.loads(self.rest)
        assert isinstance(found, list), self.rest
        return [str(each) for each in found]


def stages() -> list[list[Instruction]]:
    """Give the instructions of each stage, each beginning with its FROM."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    text = re.sub(r"(?m)^\s*#.*\n", "", text)
    lines = [line.strip() for line in re.sub(r"\\\n\s*", " ", text).splitlines() if line.strip()]
    found: list[list[Instruction]] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append([])
        if found:
            found[-1].append(Instruction(word, rest.strip()))
    return found


def last(word: str) -> Instruction:
    """Give the only instruction of this kind in the stage that becomes the image."""
    [found] = [each for each in stages()[-1] if each.word == word]
    return found


def environment() -> dict[str, str]:
    """Give the variables of the image."""
    return dict(pair.split("=", 1) for pair in shlex.split(last("ENV").rest))


def health_command() -> list[str]:
    """Give the command of the health check."""
    return Instruction("CMD", last("HEALTHCHECK").rest.partition(" CMD ")[2]).words
