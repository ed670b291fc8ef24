"""Tenant access tokens: given, aged, revoked."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from channels.simulators.clock import MovableClock
from channels.simulators.feishu.errors import ApiError
from channels.simulators.feishu.options import Options
from channels.simulators.feishu.world import App, World
from channels.simulators.jsons import Json

RENEW_BELOW_S = 1800
"""Asked with at least this much left, the same token is given.

Source: open.feishu.cn "tenant_access_token for a custom app", read 2026-02.
"""


@dataclass
class Token:
    """One token; `ends_s` is on the simulator's steady clock."""

    value: str
    app_id: str
    ends_s: float


class Tokens:
    """Gives tokens and checks them."""

    def __init__(self, world: World, options: Options, clock: MovableClock) -> None:
        self._world = world
        self._options = options
        self._clock = clock
        self._tokens: dict[str, Token] = {}

    def give(self, body: Json) -> Json:
        """Answer the token call.

        Raises:
            ApiError: 10003 no such app, 10014 wrong secret; both with HTTP 200.
        """
        app = self._world.apps.get(str(body.get("app_id", "")))
        if app is None:
            raise ApiError(10003, status=200)
        if body.get("app_secret") != app.app_secret:
            raise ApiError(10014, status=200)
        token = self._current(app.app_id)
        return {"tenant_access_token": token.value, "expire": int(token.ends_s - self._clock.steady_s())}

    def check(self, header: str | None) -> App:
        """Give the app a request speaks for.

        Raises:
            ApiError: 99991661 no token, 99991671 no tenant token, 99991663 expired or revoked.
        """
        kind, _, value = (header or "").partition(" ")
        if kind.lower() != "bearer" or not value:
            raise ApiError(99991661)
        if not value.startswith(("t-", "u-")):
            raise ApiError(99991671)
        token = self._tokens.get(value)
        if token is None or token.ends_s <= self._clock.steady_s():
            raise ApiError(99991663)
        return self._world.apps[token.app_id]

    def revoke(self, app_id: str | None = None) -> None:
        """Make every token of an app invalid (of all apps without one)."""
        self._tokens = {value: token for value, token in self._tokens.items() if app_id not in (None, token.app_id)}

    def _current(self, app_id: str) -> Token:
        now_s = self._clock.steady_s()
        fit = [t for t in self._tokens.values() if t.app_id == app_id and t.ends_s - now_s >= RENEW_BELOW_S]
        if fit:
            return fit[-1]
        token = Token(f"t-{uuid.uuid4().hex}", app_id, now_s + self._options.token_life_s)
        self._tokens[token.value] = token
        return token
