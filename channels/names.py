"""Names of people, which events do not carry: asked for beside the work, remembered for a while."""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections.abc import Awaitable, Callable

from channels.cards.shorten import shorten
from channels.errors import ChannelError, MissingScope, Rejected
from channels.kept import Kept
from channels.pacing import Pacer

Ask = Callable[[str], Awaitable[str]]
"""Asks the platform for the name of a person, by id; may raise `KeyError` or `TypeError` for an answer without one."""

_KEPT = 5_000
_GOOD_S = 24 * 3600.0
_UNKNOWN_S = 600.0
_NO_SCOPE_S = 3600.0
_AT_ONCE = 4
_WAITING = 500
_NAME_CHARS = 40
_log = logging.getLogger(__name__)


class Names:
    """Knows names by a person's id. Asking never holds anything up: who is seen for the first time has no name yet."""

    def __init__(self, channel: str, ask: Ask, method: str, pacer: Pacer) -> None:
        """`method` is the budget that asking is taken from; `channel` is for the log."""
        self._channel = channel
        self._ask_platform = ask
        self._method = method
        self._pacer = pacer
        self._clock = pacer.clock
        self._names: Kept[str, tuple[str, float]] = Kept(_KEPT)
        """Id -> name (empty: not known) and until when it is good."""
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._quiet_until_s = float("-inf")

    def of(self, person: str) -> str:
        """Give a person's name, empty where it is not known (yet)."""
        if not person:
            return ""
        known = self._names.get(person)
        name, good_until_s = known or ("", float("-inf"))
        if known is not None:
            self._names[person] = known
        if self._clock.steady_s() >= max(good_until_s, self._quiet_until_s) and self._may_ask(person):
            task = asyncio.get_running_loop().create_task(self._ask(person), name=f"{self._channel} name")
            self._asked[person] = task
            task.add_done_callback(lambda _done: self._asked.pop(person, None))
        return name

    def _may_ask(self, person: str) -> bool:
        """Tell whether to ask now: of a crowd that comes at once some are asked about at their next message."""
        return person not in self._asked and len(self._asked) < _WAITING

    async def stop(self) -> None:
        """Ask nothing more."""
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def _is_quiet(self) -> bool:
        return self._clock.steady_s() < self._quiet_until_s

    async def _ask(self, person: str) -> None:
        try:
            async with self._room:
                if self._is_quiet:
                    return
                await self._pacer.acquire(self._method, urgent=False)
                self._keep(person, clean_name(await self._ask_platform(person)), _GOOD_S)
        except MissingScope as error:
            if not self._is_quiet:
                extra = {"channel": self._channel, "code": error.code, "scope": error.scope}
                _log.warning("names_not_allowed", extra=extra)
            self._quiet_until_s = self._clock.steady_s() + _NO_SCOPE_S
        except (ChannelError, KeyError, TypeError) as error:
            _log.info("name_unknown", extra={"channel": self._channel, "code": getattr(error, "code", "malformed")})
            self._keep(person, "", _GOOD_S if isinstance(error, Rejected) else _UNKNOWN_S)

    def _keep(self, person: str, name: str, for_s: float) -> None:
        old = self._names.get(person, ("", 0.0))[0]
        self._names[person] = (name or old, self._clock.steady_s() + for_s)


def clean_name(name: str) -> str:
    """Give a name as data: one line without control and direction signs, of at most 40 visible characters."""
    letters = (" " if unicodedata.category(char) in ("Zl", "Zp", "Cc") else char for char in name[: 16 * _NAME_CHARS])
    visible = (char for char in letters if unicodedata.category(char) not in ("Cf", "Cs", "Co") or char == "\u200d")
    return shorten("".join(visible), _NAME_CHARS)
