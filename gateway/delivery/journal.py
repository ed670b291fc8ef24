"""The engine's journal and lease guard in the shape cards ask for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from channels.cards.ports import Json
from engine.failpoints import failpoint
from engine.ports import JournalStep


class CardJournal:
    """Passes a run's journal to an adapter, and its lease guard to the card's writer; `root` begins all paths."""

    def __init__(self, journal: JournalStep, root: str = "") -> None:
        self._journal = journal
        self._root = root

    def under(self, root: str) -> CardJournal:
        """Give the same journal for another message of the run, whose steps lie below `root` (with a slash)."""
        return CardJournal(self._journal, self._root + root)

    async def step(self, path: str, fn: Callable[[], Awaitable[Json]]) -> Json:
        """See `channels.cards.ports.Journal.step`."""
        return await self._journal.step(self._root + path, fn)

    def recorded(self, path: str) -> Json | None:
        """See `channels.cards.ports.Journal.recorded`."""
        return self._journal.recorded(self._root + path)

    async def guard(self) -> None:
        """See `channels.cards.ports.Journal.guard`."""
        await self._journal.guard()

    async def write_guard(self) -> None:
        """Return while this process owns the run, directly before a card write."""
        await self._journal.guard()
        failpoint("mid_stream")
