"""Who may not have got their answer is told once: later when the platform is away, never a second time."""

from __future__ import annotations

from pathlib import Path

import pytest

from channels.base import CardOpening, SentFinal
from channels.cards.model import Card, CardStatus, Header, Note
from channels.cards.ports import Journal
from channels.errors import ChannelError, NotDispatched, Rejected, Unproven
from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from engine.ports import UNPROVEN, Owed
from gateway.clock import FakeClock
from gateway.delivery.doubt import Doubt
from gateway.delivery.journal import CardJournal

WORDS = Card(header=Header("q", CardStatus.DONE, "Done"), blocks=(Note("n", "it may not have arrived", "error"),))


class Moody(FakeChannel):
    """Fails as it is told to, before anything is sent."""

    mood: ChannelError | None = None

    async def send_final(self, opening: CardOpening, journal: Journal) -> SentFinal:
        if self.mood is not None:
            raise self.mood
        return await super().send_final(opening, journal)


@pytest.fixture
def channel(tmp_path: Path) -> Moody:
    return Moody(tmp_path / "platform", FakeClock())


async def told(channel: Moody, journal: MemoryJournal) -> Owed:
    opening = CardOpening(channel.conversation(), "r" * 26 + "-doubt", 1, None, WORDS)
    return await Doubt(channel, CardJournal(journal)).tell(opening)


def messages(channel: Moody) -> int:
    channel.platform.world.refresh()
    return len(channel.platform.world.messages)


async def test_it_is_told_when_the_platform_is_back_and_only_once(channel: Moody) -> None:
    journal = MemoryJournal()
    channel.mood = NotDispatched()
    assert await told(channel, journal) == Owed(reason=UNPROVEN, away=True)
    channel.mood = None
    for _ in range(2):
        journal = journal.next_attempt()
        assert await told(channel, journal) == Owed(reason=UNPROVEN, permanent=True)
        assert messages(channel) == 1
    assert all(path.startswith("doubt/") for path in journal.rows)


@pytest.mark.parametrize("mood", [Unproven(), Rejected()])
async def test_what_was_perhaps_told_or_never_can_be_ends(channel: Moody, mood: ChannelError) -> None:
    channel.mood = mood
    result = await told(channel, MemoryJournal())
    assert (result.reason, result.permanent, messages(channel)) == (UNPROVEN, True, 0)
