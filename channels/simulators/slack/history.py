"""Every visible state a message went through, and whose phone it rang."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import asdict, dataclass

from channels.simulators.clock import MovableClock
from channels.simulators.jsons import Json, dumps
from channels.simulators.slack.reading import outside_code
from channels.simulators.slack.view import View
from channels.simulators.slack.world import Message

_RINGS = re.compile(r"<!(channel|here|everyone|subteam\^\w+)[^<>]*>|<@(U\w+)(?:\|[^<>]*)?>")


@dataclass(frozen=True)
class State:
    """What the recipient read after one accepted call; `mono_s` is the machine's monotonic clock, never moved."""

    kind: str
    at_ms: int
    mono_s: float
    text: str
    streaming: bool


class History:
    """Keeps the states of messages by id."""

    def __init__(self, clock: MovableClock, view: View) -> None:
        self._clock = clock
        self._view = view
        self._states: defaultdict[str, list[State]] = defaultdict(list)
        self._rung: defaultdict[str, list[str]] = defaultdict(list)

    def record(self, message: Message, kind: str) -> None:
        """A message is new or different; `kind` is post, edit, append, stop, delete."""
        text = self._view.shown(message)
        streaming = message.stream is not None and not message.stream.end
        state = State(kind, self._clock.now_ms(), time.monotonic(), text, streaming)
        self._states[message.id].append(state)
        for name in rings_of(message):
            if name not in self._rung[message.id]:
                self._rung[message.id].append(name)

    def states(self, message_id: str) -> list[Json]:
        """Give the states of a message, oldest first."""
        return [asdict(state) for state in self._states[message_id]]

    def rung(self, message_id: str) -> list[str]:
        """Give whom a message rang in any of its states: `channel`, `here`, `everyone`, user ids, `subteam^...`."""
        return list(self._rung[message_id])


def rings_of(message: Message) -> list[str]:
    """Give the active mentions of a message as it is; those in code ring nobody."""
    blocks = message.stream.blocks() if message.stream is not None else message.blocks
    text = outside_code(message.text) + outside_code(dumps(blocks).replace("\\n", "\n"))
    return [found[1] or found[2] for found in _RINGS.finditer(text)]
