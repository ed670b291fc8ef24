"""Who said what, told to a model as data: `[Lin Wei] ...`, where more than one person speaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count

from engine.messages import Message, UserMessage
from engine.models.naming import as_name

MAX_NAME_CHARS = 40
"""As a reader counts them; in code points, at most four times as many."""


class Speakers:
    """The people of a conversation, told apart by id: names are whatever people call themselves.

    A name comes as one line, cut, and without the brackets that frame it. People without one are numbered; of several
    with the same name, all but the first carry a number. A message that was stored without an id is of whoever has its
    name.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        said = [(message.by, _label(message.name)) for message in messages if isinstance(message, UserMessage)]
        self._by_name: dict[str, str] = {}
        for by, name in said:
            if by and name:
                self._by_name.setdefault(name, by)
        names: dict[str, str] = {}
        for by, name in said:
            if person := self._person(by, name):
                names[person] = name or names.get(person, "")
        self._labels = _told_apart(names)

    def prefix(self, message: UserMessage) -> str:
        """Give what stands before the person's words; empty while only one person speaks."""
        label = self._labels.get(self._person(message.by, _label(message.name)))
        return f"[{label}] " if label and len(self._labels) > 1 else ""

    def _person(self, by: str, name: str) -> str:
        """Give the id, else the name; empty for nobody, as with our own instructions."""
        return by or self._by_name.get(name, name)


def _told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Give each person a label of their own; nobody can take another's by the name they chose."""
    labels: dict[str, str] = {}
    for person, name in names.items():
        wanted: Iterable[str] = (f"person {n}" for n in count(1))
        if name:
            wanted = chain([name], (f"{name} ({n})" for n in count(2)))
        taken = set(labels.values())
        labels[person] = next(label for label in wanted if label not in taken)
    return labels


def _label(name: str) -> str:
    return as_name(name, MAX_NAME_CHARS)
