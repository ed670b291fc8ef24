"""Domain agents as a router sees them: by name and description like skills, and by the words their files give."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

from engine.router.request import Request
from engine.router.specialists import NAMED_WEIGHT, Directory, Specialist

KEYWORD_WEIGHT = 4
"""A request that uses a word from an agent's file: less than its name, more than words of its description."""


class Domain(Protocol):
    """A domain agent, as far as a router reads it."""

    @property
    def id(self) -> str:
        """Give what names it in a route."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """Give what people call it."""
        ...

    @property
    def keywords(self) -> Sequence[str]:
        """Give the words that send a request to it."""
        ...

    @property
    def when_to_use(self) -> str:
        """Give what it is for."""
        ...


class _Described:
    def __init__(self, domain: Domain) -> None:
        self.name, self.when_to_use = domain.id, domain.when_to_use


class Domains(Directory):
    """The domain agents there are; build it anew when they change."""

    def __init__(self, domains: Sequence[Domain] = ()) -> None:
        described: list[Specialist] = [_Described(each) for each in domains]
        super().__init__(described)
        self._said = [(each.id, _any_of(each.names), _any_of(each.keywords)) for each in domains]

    def fitting(self, request: Request) -> dict[str, int]:
        """Give the names of those that fit, with their weight, the best first."""
        fits = super().fitting(request)
        for name, called, keywords in self._said:
            weight = NAMED_WEIGHT if called and called.search(request.ask) else 0
            weight = weight or (KEYWORD_WEIGHT if keywords and keywords.search(request.ask) else 0)
            if weight:
                fits[name] = max(weight, fits.get(name, 0))
        return dict(sorted(fits.items(), key=lambda each: -each[1]))


def _any_of(words: Sequence[str]) -> re.Pattern[str] | None:
    """Give a pattern for any of the words; Latin ones as whole words."""
    plain = [unicodedata.normalize("NFKC", word).lower().strip() for word in words]
    patterns = [
        rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else re.escape(word) for word in plain if word
    ]
    return re.compile("|".join(patterns)) if patterns else None
