"""Names of people, which events do not carry: asked for beside the work, remembered for a while.

Source: docs.slack.dev users.info (scope users:read), read 2026-08.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import cast

from channels.cards.shorten import shorten
from channels.clock import Clock
from channels.errors import ChannelError, MissingScope, Rejected
from channels.pacing import Pacer
from channels.readable import Json
from channels.slack.client import Client

USERS_INFO = "users.info"
_KEPT = 5_000
_GOOD_S = 24 * 3600.0
_UNKNOWN_S = 600.0
_NO_SCOPE_S = 3600.0
_AT_ONCE = 4
_NAME_CHARS = 40
_log = logging.getLogger(__name__)


class People:
    """Knows names by user id. Asking never holds anything up: who is seen for the first time has no name yet."""

    def __init__(self, client: Client, pacer: Pacer, clock: Clock) -> None:
        self._client = client
        self._pacer = pacer
        self._clock = clock
        self._names: OrderedDict[str, tuple[str, float]] = OrderedDict()
        """User id -> name (empty: not known) and until when it is good."""
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._quiet_until_s = float("-inf")

    def name_of(self, user: str) -> str:
        """Give a person's name, empty where it is not known (yet)."""
        if not user:
            return ""
        now_s = self._clock.steady_s()
        name, good_until_s = self._names.get(user, ("", float("-inf")))
        if now_s >= max(good_until_s, self._quiet_until_s) and user not in self._asked:
            task = asyncio.get_running_loop().create_task(self._ask(user), name="slack name")
            self._asked[user] = task
            task.add_done_callback(lambda _done: self._asked.pop(user, None))
        return name

    async def stop(self) -> None:
        """Ask nothing more."""
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, user: str) -> None:
        try:
            async with self._room:
                await self._pacer.acquire(USERS_INFO, urgent=False)
                answer = await self._client.call(USERS_INFO, {"user": user})
                self._keep(user, _name(cast("Json", answer["user"])), _GOOD_S)
        except MissingScope as error:
            _log.warning("slack_names_not_allowed", extra={"code": error.code, "scope": error.scope})
            self._quiet_until_s = self._clock.steady_s() + _NO_SCOPE_S
        except (ChannelError, KeyError, TypeError) as error:
            _log.info("slack_name_unknown", extra={"code": getattr(error, "code", "malformed")})
            self._keep(user, "", _GOOD_S if isinstance(error, Rejected) else _UNKNOWN_S)

    def _keep(self, user: str, name: str, for_s: float) -> None:
        old = self._names.get(user, ("", 0.0))[0]
        self._names[user] = (name or old, self._clock.steady_s() + for_s)
        self._names.move_to_end(user)
        while len(self._names) > _KEPT:
            self._names.popitem(last=False)


def _name(user: Json) -> str:
    """Read the name as colleagues see it: data, one line, without signs that control or turn the text."""
    profile = cast("Json", user.get("profile") or {})
    told = profile.get("display_name") or user.get("real_name") or profile.get("real_name") or user.get("name") or ""
    visible = "".join(char for char in str(told)[:1000] if char.isprintable())
    return shorten(visible, _NAME_CHARS)
