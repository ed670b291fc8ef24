"""What `/readyz` tells beside its checks: good to know, and no reason to take this gateway out of service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from channels.base import Finding
from gateway.texts import Language, fix_for, text

logger = logging.getLogger(__name__)


class Notes:
    """Tries once, after the start, whether a sandbox works here; `try_sandbox` gives the finding."""

    def __init__(self, lang: Language, try_sandbox: Callable[[], Awaitable[Finding]]) -> None:
        self._lang: Language = lang
        self._try_sandbox = try_sandbox
        self._told: tuple[dict[str, Any], ...] = ()
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look; that takes some milliseconds, and `told` is empty until then."""
        self._looking = asyncio.create_task(self._look())

    async def stop(self) -> None:
        """Look no longer. What went wrong with looking is logged; nothing else depends on it."""
        if self._looking is None:
            return
        self._looking.cancel()
        await asyncio.wait([self._looking])
        error = None if self._looking.cancelled() else self._looking.exception()
        if error is not None:
            logger.error("not_looked", exc_info=error)

    async def _look(self) -> None:
        found = await self._try_sandbox()
        if found.verdict != "ok":
            logger.info("no_sandbox", extra={"code": found.code, **found.params})
            self._told = (_note("sandbox", found, self._lang),)

    def told(self) -> tuple[dict[str, Any], ...]:
        """Give the notes: `{"name", "code", "reason", "fix"}`, all texts, in the operator's language."""
        return self._told


def _note(name: str, found: Finding, lang: Language) -> dict[str, Any]:
    fix = fix_for(lang, found.advice, **found.params).strip() if found.advice else ""
    return {"name": name, "code": found.code, "reason": text(lang, f"found.{found.code}", **found.params), "fix": fix}
