"""Names of people, which events do not carry: asked for beside the work, remembered for a while.

Source: open.feishu.cn "获取单个用户信息" (contact-v3), read 2026-02: the name needs a contact scope.
"""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections import OrderedDict
from dataclasses import replace

from channels.cards.shorten import shorten
from channels.clock import Clock
from channels.errors import ChannelError, MissingScope, Rejected
from channels.events import Inbound
from channels.feishu.client import Client
from channels.pacing import Pacer

_KEPT = 5_000
_GOOD_S = 24 * 3600.0
_UNKNOWN_S = 600.0
_NO_SCOPE_S = 3600.0
_AT_ONCE = 4
_NAME_CHARS = 40
_log = logging.getLogger(__name__)


class People:
    """Knows names by open id. Asking never holds anything up: who is seen for the first time has no name yet."""

    def __init__(self, client: Client, pacer: Pacer, clock: Clock) -> None:
        self._client = client
        self._pacer = pacer
        self._clock = clock
        self._names: OrderedDict[str, tuple[str, float]] = OrderedDict()
        """Open id -> name (empty: not known) and until when it is good."""
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._quiet_until_s = float("-inf")

    def named(self, inbound: Inbound) -> Inbound:
        """Give what came in with its sender's name where it is known, and ask for it where it is not."""
        sender = inbound.sender
        if sender is None or sender.name or sender.is_bot:
            return inbound
        name = self._look_up(sender.id)
        return replace(inbound, sender=replace(sender, name=name)) if name else inbound

    def name_of(self, open_id: str) -> str:
        """Give a person's name, empty where it is not known (yet)."""
        return self._look_up(open_id)

    async def stop(self) -> None:
        """Ask nothing more."""
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _look_up(self, open_id: str) -> str:
        now_s = self._clock.steady_s()
        name, good_until_s = self._names.get(open_id, ("", float("-inf")))
        if open_id in self._names:
            self._names.move_to_end(open_id)
        if now_s >= good_until_s and now_s >= self._quiet_until_s and open_id not in self._asked:
            task = asyncio.get_running_loop().create_task(self._ask(open_id), name="feishu name")
            self._asked[open_id] = task
            task.add_done_callback(lambda _done: self._asked.pop(open_id, None))
        return name

    async def _ask(self, open_id: str) -> None:
        try:
            async with self._room:
                if self._clock.steady_s() < self._quiet_until_s:
                    return
                await self._pacer.acquire("user.get", urgent=False)
                self._keep(open_id, clean_name(await self._client.user_name(open_id)), _GOOD_S)
        except MissingScope as error:
            if self._clock.steady_s() >= self._quiet_until_s:
                _log.warning("feishu_names_not_allowed", extra={"code": error.code, "scope": error.scope})
            self._quiet_until_s = self._clock.steady_s() + _NO_SCOPE_S
        except (ChannelError, KeyError, TypeError) as error:
            _log.info("feishu_name_unknown", extra={"code": getattr(error, "code", "malformed")})
            self._keep(open_id, "", _GOOD_S if isinstance(error, Rejected) else _UNKNOWN_S)

    def _keep(self, open_id: str, name: str, for_s: float) -> None:
        old = self._names.get(open_id, ("", 0.0))[0]
        self._names[open_id] = (name or old, self._clock.steady_s() + for_s)
        self._names.move_to_end(open_id)
        while len(self._names) > _KEPT:
            self._names.popitem(last=False)


def clean_name(name: str) -> str:
    """Give a name as data: one line without control and direction signs, of at most 40 visible characters."""
    letters = (" " if unicodedata.category(char) in ("Zl", "Zp", "Cc") else char for char in name[: 16 * _NAME_CHARS])
    visible = (char for char in letters if unicodedata.category(char) not in ("Cf", "Cs", "Co") or char == "\u200d")
    return shorten("".join(visible), _NAME_CHARS)
