"""One question of a run at a time: a card has one set of buttons, and a message answers one question."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from engine.agent.state import Pass


@asynccontextmanager
async def one_at_a_time(work: Pass, asked: str) -> AsyncGenerator[None]:
    """Wait until no other lane of the run asks; `asked` is the step that puts the question.

    One that was put before a crash stands on the card and goes on at once, beside whichever others do.
    """
    if work.scope.recorded(asked):
        yield
        return
    async with work.questions:
        yield
