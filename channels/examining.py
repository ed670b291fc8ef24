"""What the examinations of all platforms share: a question asked once for several, and the comparison of clocks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeVar

from channels.base import Finding
from channels.errors import ChannelError

T = TypeVar("T")
Examine = Callable[[], Awaitable[Finding]]

ANSWER_WITHIN_S = 3.5
"""For one request. Twice that, for the token and the call, is less than an examination may take."""
_SKEW_WARN_S = 10.0
_SKEW_FAIL_S = 300.0


class AskedOnce(Generic[T]):
    """A question whose answer several examinations need: asked for the first of them, awaited by all."""

    def __init__(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._ask = ask
        self._asked: asyncio.Task[T] | None = None

    async def answer(self) -> T:
        """Give the answer. Raises what the question raised, each time."""
        if self._asked is None:
            self._asked = asyncio.get_running_loop().create_task(self._ask())
        return await asyncio.shield(self._asked)

    async def close(self) -> None:
        """Give up what is under way."""
        if self._asked is not None:
            self._asked.cancel()
            await asyncio.gather(self._asked, return_exceptions=True)

    def before(self, examine: Examine, refused: Callable[[ChannelError], Finding]) -> Examine:
        """Give an examination that is skipped where the question was refused, which another one tells.

        `refused` tells what the examination itself met.
        """

        async def examined() -> Finding:
            try:
                await self.answer()
            except ChannelError:
                return Finding("skipped", "needs_credentials")
            try:
                return await examine()
            except ChannelError as error:
                return refused(error)

        return examined


async def compare_clocks(ask_date: Callable[[], Awaitable[str]]) -> Finding:
    """Compare this machine's clock with the platform's: `ask_date` gives the `Date` of an answer, or an empty text."""
    before_ms = time.time() * 1000
    try:
        theirs_ms = parsedate_to_datetime(await ask_date()).timestamp() * 1000
    except ChannelError as error:
        return Finding("skipped", "no_answer", {"reason": str(error)})
    except ValueError:
        return Finding("skipped", "no_date")
    # The header has whole seconds: half of one is its best guess.
    skew_s = ((before_ms + time.time() * 1000) / 2 - theirs_ms - 500) / 1000
    facts = {"skew_s": f"{skew_s:+.1f}"}
    if abs(skew_s) < _SKEW_WARN_S:
        return Finding("ok", "clock_right", facts)
    return Finding("fail" if abs(skew_s) >= _SKEW_FAIL_S else "warn", "clock_skewed", facts, "clock_skewed")
