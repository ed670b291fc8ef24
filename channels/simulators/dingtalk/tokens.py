"""Access tokens: given, aged, revoked.

Source: open.dingtalk.com "Obtain the access token of an internal app", read 2026-08.
"""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass

from channels.simulators.clock import MovableClock
from channels.simulators.dingtalk.errors import ApiError, OapiError
from channels.simulators.dingtalk.options import Options
from channels.simulators.dingtalk.world import App, World
from channels.simulators.jsons import Json


@dataclass
class Token:
    """One token; `ends_s` is on the simulator's steady clock."""

    value: str
    app_id: str
    ends_s: float


class Tokens:
    """Gives tokens and checks them; within its life an app always gets the same one."""

    def __init__(self, world: World, options: Options, clock: MovableClock) -> None:
        self._world = world
        self._options = options
        self._clock = clock
        self._tokens: dict[str, Token] = {}

    def give(self, body: Json) -> Json:
        """Answer the token call.

        Raises:
            ApiError: `invalidClientIdOrSecret`.
        """
        app = self._world.apps.get(str(body.get("appKey", "")))
        if app is None or body.get("appSecret") != app.app_secret:
            raise ApiError("invalidClientIdOrSecret")
        token = self._current(app.app_id)
        return {"accessToken": token.value, "expireIn": math.ceil(token.ends_s - self._clock.steady_s())}

    def check(self, value: str | None) -> App:
        """Give the app a request speaks for.

        Raises:
            ApiError: `InvalidAuthentication`: missing, expired or revoked.
        """
        token = self._alive(value)
        if token is None:
            raise ApiError("InvalidAuthentication", status=self._options.token_error_status)
        return self._world.apps[token.app_id]

    def check_oapi(self, value: str | None) -> App:
        """Give the app a request to the old host speaks for.

        Raises:
            OapiError: 40014.
        """
        token = self._alive(value)
        if token is None:
            raise OapiError(40014)
        return self._world.apps[token.app_id]

    def revoke(self, app_id: str | None = None) -> None:
        """Make every token of an app invalid (of all apps without one)."""
        self._tokens = {value: token for value, token in self._tokens.items() if app_id not in (None, token.app_id)}

    def _alive(self, value: str | None) -> Token | None:
        token = self._tokens.get(value or "")
        return token if token is not None and token.ends_s > self._clock.steady_s() else None

    def _current(self, app_id: str) -> Token:
        now_s = self._clock.steady_s()
        fit = [token for token in self._tokens.values() if token.app_id == app_id and token.ends_s > now_s + 1]
        if fit:
            return fit[-1]
        token = Token(uuid.uuid4().hex, app_id, now_s + self._options.token_life_s)
        self._tokens[token.value] = token
        return token
