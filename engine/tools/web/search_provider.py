"""What a search engine must be able to do for us."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found, each text on one line. `url` is http or https."""

    title: str
    url: str
    snippet: str = ""


class SearchProvider(Protocol):
    """A search engine."""

    @property
    def host(self) -> str:
        """Give the host that questions are sent to."""
        ...

    async def search(self, query: str, count: int) -> list[Hit]:
        """Give at most `count` hits, best first.

        Raises:
            ToolFailed: it does not answer, or not in the form it should.
        """
        ...
