"""The access token of one app: asked for once, shared, renewed early.

Source: open.dingtalk.com "obtain-the-access-token-of-an-internal-app", read 2026-11-30: valid two hours; asked again
inside them, the platform gives the same one.
"""

from __future__ import annotations

import asyncio

import aiohttp

from channels.clock import Clock
from channels.dingtalk.errors import error_of
from channels.dingtalk.http import Request, send
from channels.dingtalk.settings import DingtalkSettings

_PATH = "/v1.0/oauth2/accessToken"
_EARLY_S = 300.0


class TokenSource:
    """Gives a valid token of one account. Any number of tasks may ask at once; one request is made."""

    def __init__(self, settings: DingtalkSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = asyncio.Lock()
        self._token = ""
        self._good_until_s = 0.0

    async def get(self, session: aiohttp.ClientSession) -> str:
        """Give the token, asking the platform when there is none or it is about to end.

        Raises:
            AuthFailed: the platform refuses our credentials.
            ChannelError: it could not be asked.
        """
        if self._is_good():
            return self._token
        async with self._lock:
            if not self._is_good():
                await self._fetch(session)
            return self._token

    def forget(self, token: str) -> None:
        """Drop a token that the platform refused; a newer one stays."""
        if token == self._token:
            self._good_until_s = 0.0

    def _is_good(self) -> bool:
        return bool(self._token) and self._clock.steady_s() < self._good_until_s

    async def _fetch(self, session: aiohttp.ClientSession) -> None:
        settings = self._settings
        body = {"appKey": settings.client_id, "appSecret": settings.client_secret.get_secret_value().strip()}
        answer = await send(session, Request("POST", settings.api_base + _PATH, "token", body))
        if answer.code or "accessToken" not in answer.body:
            raise error_of(
                answer.code or "no token",
                answer.message,
                status=answer.status,
                body=answer.body,
                call="token",
                now_ms=self._clock.now_ms(),
            )
        self._token = str(answer.body["accessToken"])
        self._good_until_s = self._clock.steady_s() + max(30.0, float(answer.body.get("expireIn", 7200)) - _EARLY_S)
