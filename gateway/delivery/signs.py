"""Takes the sign "queued" off a message once its answer is being shown, or its words were taken in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from channels.base import SignFinder
from engine.events import RunEvent
from engine.ports import Opening
from gateway.background import Background
from gateway.delivery.place import Place


class Signs:
    """Works beside the runs: a sign is a courtesy that holds nothing up.

    A message from before `since_ms`, when this process began, may have a sign that another process set.
    """

    def __init__(self, since_ms: int = 0) -> None:
        self._since_ms = since_ms
        self._background = Background()

    def lift(self, place: Place, opening: Opening) -> None:
        """Take the sign off all messages that `opening` answers; safe to repeat."""
        is_old = opening.attempt > 1 or opening.input.sent_at_ms < self._since_ms
        for anchor in (opening.input.anchor, *_taken_in(opening.history)):
            self._lift(place, anchor, is_old=is_old)

    def lift_taken_in(self, place: Place, event: RunEvent) -> None:
        """Take the sign off the message whose words an event says were taken in; any other event is none of ours."""
        for anchor in _taken_in([event]):
            self._lift(place, anchor, is_old=False)

    def _lift(self, place: Place, anchor: str | None, *, is_old: bool) -> None:
        if anchor is None:
            return
        if is_old and isinstance(place.channel, SignFinder):
            self._background.soon(place.channel.clear_sign(place.conversation, anchor, "queued"))
        else:
            self._background.soon(place.channel.react(place.conversation, anchor, "queued", on=False))


def _taken_in(events: Sequence[RunEvent]) -> Iterator[str]:
    for event in events:
        content = event.content if event.type == "notice" and isinstance(event.content, dict) else {}
        if content.get("code") == "steered" and content.get("anchor"):
            yield str(content["anchor"])
