"""Signs of life where many cards share the workspace's budget: the line under a thread that says what goes on.

Source: docs.slack.dev assistant.threads.setStatus (scope chat:write, cleared after two minutes), read 2026-08.
"""

from __future__ import annotations

import logging
from weakref import WeakSet

from channels.cards.model import Card
from channels.cards.ports import Write
from channels.clock import Clock
from channels.errors import ChannelError, RateLimited
from channels.pacing import Pacer
from channels.readable import Json
from channels.slack.client import Client
from channels.slack.elements import fitted

SET_STATUS = "assistant.threads.setStatus"
MANY_CARDS = 5
"""With more live cards than this an edit comes every eight seconds and later."""
_AGAIN_AFTER_S = 90.0
_CHARS = 100
_log = logging.getLogger(__name__)


class Statuses:
    """The status lines of one account. A courtesy: where the platform refuses it, cards go without."""

    def __init__(self, client: Client, pacer: Pacer, clock: Clock) -> None:
        self.client = client
        self.pacer = pacer
        self.clock = clock
        self.is_refused = False
        self._live: WeakSet[Status] = WeakSet()

    @property
    def are_wanted(self) -> bool:
        """Tell whether there are so many live cards that edits come late."""
        return not self.is_refused and len(self._live) > MANY_CARDS

    def of(self, channel: str, thread: str | None) -> Status:
        """Give the status line of one live card."""
        status = Status(self, channel, thread)
        self._live.add(status)
        return status

    def ended(self, status: Status) -> None:
        """Note that a card is not live any more."""
        self._live.discard(status)


class Status:
    """The status line of one card."""

    def __init__(self, statuses: Statuses, channel: str, thread: str | None) -> None:
        self._statuses = statuses
        self._channel = channel
        self._thread = thread
        self._shown_s: float | None = None

    def showing(self, card: Card) -> list[Write]:
        """Give the write that shows or renews the line; none where it is not wanted or still good."""
        now_s = self._statuses.clock.steady_s()
        is_good = self._shown_s is not None and now_s - self._shown_s < _AGAIN_AFTER_S
        if self._thread is None or is_good or card.header.status.is_terminal or not self._statuses.are_wanted:
            return []
        words = fitted(card.header.subtitle or card.header.status.value, _CHARS)
        return [Write(SET_STATUS, "settings", words)]

    def clearing(self) -> list[Write]:
        """Give the write that takes the line away; the card is at its end."""
        self._statuses.ended(self)
        return [Write(SET_STATUS, "settings", "")] if self._shown_s is not None else []

    async def send(self, write: Write) -> None:
        """Show or clear; a refusal costs the line, never the card."""
        words: str = write.payload
        self._shown_s = self._statuses.clock.steady_s() if words else None
        body: Json = {"channel_id": self._channel, "thread_ts": self._thread, "status": words}
        try:
            await self._statuses.client.call(SET_STATUS, body)
        except RateLimited as error:
            self._statuses.pacer.refused(SET_STATUS, error)
        except ChannelError as error:
            self._statuses.is_refused = self._statuses.is_refused or not error.works_again
            _log.info("slack_status_refused", extra={"code": error.code})
