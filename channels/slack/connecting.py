"""Finding and opening the account's line, and when not to try any more."""

from __future__ import annotations

import asyncio
import logging

from channels.clock import Clock
from channels.connection import Link
from channels.errors import AuthFailed, NotConnected, RateLimited
from channels.slack.client import Client
from channels.slack.errors import FOR_GOOD
from channels.slack.identity import BotIdentity
from channels.slack.line import Line
from channels.slack.settings import SlackSettings
from channels.slack.socket import Answerer, Socket, connect

_log = logging.getLogger(__name__)


class Dialler:
    """Opens lines for one account: each socket has an address of its own, asked for directly before."""

    def __init__(self, settings: SlackSettings, client: Client, clock: Clock, me: BotIdentity) -> None:
        self._settings = settings
        self._client = client
        self._clock = clock
        self._me = me
        self._line: Line | None = None
        self._dialled = 0
        self._refused: AuthFailed | None = None
        self._not_before_s = float("-inf")

    @property
    def strangers(self) -> int:
        """Give how many sockets of this app belong to other processes, as far as the platform told.

        One that broke may still be counted by the platform when the next one is greeted.
        """
        ghosts = 1 if self._dialled > 1 else 0
        return max(0, self._line.strangers - ghosts) if self._line is not None else 0

    async def dial(self, answer: Answerer) -> Link:
        """Find out who we are, and open a line.

        Raises:
            AuthFailed: refused; after `invalid_auth` or `link_disabled` the platform is not asked again.
            ChannelError: it did not come about.
        """
        self._line = None
        if self._refused is not None:
            raise self._refused
        try:
            if not self._me.is_known:
                self._me.learn(*await self._client.identify())
            first = await self._open(answer)
        except AuthFailed as error:
            self.given_up(error)
            raise
        self._dialled += 1
        within_s = 3 * self._settings.connect_timeout_s
        self._line = Line(
            first, lambda: self._open(answer), self._clock, dial_timeout_s=within_s, refused=self.given_up
        )
        return self._line

    def given_up(self, error: AuthFailed) -> None:
        """Remember a refusal that only an operator can end."""
        if error.code in FOR_GOOD:
            _log.error("slack_connection_given_up", extra={"account": self._settings.id, "code": error.code})
            self._refused = error

    async def _open(self, answer: Answerer) -> Socket:
        wait_s = self._not_before_s - self._clock.steady_s()
        if wait_s > 0:
            raise NotConnected(f"asked to wait for {wait_s:.0f} s", code="ratelimited")
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                url = await self._client.socket_url()
        except TimeoutError:
            raise NotConnected("apps.connections.open: no answer") from None
        except RateLimited as error:
            self._not_before_s = self._clock.steady_s() + error.retry_after_s
            raise
        within_s = self._settings.connect_timeout_s
        socket = await connect(self._client.session, url, self._clock, answer, within_s=within_s)
        if socket.connections > 1:
            _log.info("slack_connections", extra={"account": self._settings.id, "count": socket.connections})
        return socket
