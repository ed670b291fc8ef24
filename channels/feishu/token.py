"""The tenant access token of one app: asked for once, shared, renewed early.

Source: open.feishu.cn "自建应用获取 tenant_access_token", read 2026-02: valid two hours; asked with 30 minutes or more
left the platform gives the same one again, below that a new one, and both work meanwhile.
"""

from __future__ import annotations

import asyncio

import aiohttp

from channels.clock import Clock
from channels.feishu.errors import error_of
from channels.feishu.http import Request, send
from channels.feishu.settings import FeishuSettings

_PATH = "/open-apis/auth/v3/tenant_access_token/internal"
_EARLY_S = 20 * 60
"""Renew with this much left: inside the last 30 minutes, when the platform gives a new one."""


class TokenSource:
    """Gives a valid token. Any number of tasks may ask at once; one request is made."""

    def __init__(self, settings: FeishuSettings, clock: Clock) -> None:
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
        """Ask for a token."""
        settings = self._settings
        body = {"app_id": settings.app_id, "app_secret": settings.app_secret.get_secret_value()}
        answer = await send(session, Request("POST", settings.domain + _PATH, "token", body))
        if answer.code != 0:
            message = str(answer.body.get("msg", ""))
            raise error_of(answer.code, message, status=answer.status, headers=answer.headers, call="token")
        self._token = str(answer.body["tenant_access_token"])
        self._good_until_s = self._clock.steady_s() + max(30.0, float(answer.body.get("expire", 7200)) - _EARLY_S)
