"""Takes the sign "queued" off a message once its answer is being shown."""

from __future__ import annotations

import asyncio

from engine.ports import Opening
from gateway.delivery.files import Place


class Signs:
    """Works beside the runs: a sign is a courtesy that holds nothing up."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def lift(self, place: Place, opening: Opening) -> None:
        """Take the sign off the message that `opening` answers, if there is one; safe to repeat."""
        anchor = opening.input.anchor
        if anchor is None:
            return
        task = asyncio.create_task(place.channel.react(place.conversation, anchor, "queued", on=False))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
