"""What people ask here, and what the model must answer to it: each word of an answer carries its question's mark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["plain", "tool", "approval"]
MARK = re.compile(r"q[pta]\d{3}")
_LETTERS: dict[str, Kind] = {"p": "plain", "t": "tool", "a": "approval"}
WORDS = 36


@dataclass(frozen=True, slots=True)
class Question:
    """One message of a person: its mark, where it stands, and the platform's id of it."""

    mark: str
    platform: str
    conversation: str
    message: str

    @property
    def kind(self) -> Kind:
        """What the answer needs."""
        return kind_of(self.mark)


def mark_of(kind: Kind, number: int) -> str:
    """Give the mark of a question."""
    return f"q{kind[0]}{number:03}"


def kind_of(mark: str) -> Kind:
    """Give what an answer to a mark needs."""
    return _LETTERS[mark[1]]


def answer_to(mark: str) -> str:
    """Give the last words of the answer, to the letter."""
    return " ".join(f"{mark}w{number}" for number in range(WORDS))


def words_shown(text: str) -> int:
    """Count the numbered words in a state of an answer."""
    return len(re.findall(r"q[pta]\d{3}w\d+", text))


def marks_in(text: str) -> tuple[str, ...]:
    """Give the marks a text speaks of, each once."""
    return tuple(sorted(set(MARK.findall(text))))
