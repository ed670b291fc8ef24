"""What became of each question of a soak: judged when it is settled, then forgotten, so that an hour fits in memory."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from channels.simulators.feishu import elements
from channels.simulators.feishu.cards import Card, Visible
from channels.simulators.feishu.reading import read_card
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.simulators.feishu.world import Message
from tests.bench.paced_model import PacedModel

GRACE_S = 5.0
"""So long a settled answer stays, so that a second one is seen beside it; one that comes later is counted too."""
_PIECE = re.compile(r"\bw(\d+)\b")


@dataclass(slots=True)
class Asked:
    """A question: its key for the model, how many pieces its answer has, and what came of it so far."""

    key: str
    pieces: int
    at_s: float
    answers: list[str] = field(default_factory=list[str])
    up_s: float = 0.0
    settled_s: float = 0.0


@dataclass(slots=True)
class Period:
    """What was seen since the last sample. `doubled` and `broken` name questions and stay empty where all is well."""

    asked: int = 0
    settled: int = 0
    refused: int = 0
    doubled: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    first_ms: list[float] = field(default_factory=list[float])
    full_ms: list[float] = field(default_factory=list[float])


class Witness:
    """Sees every message and every state of a card in the moment in which a reader would."""

    def __init__(self, simulator: FeishuSimulator, model: PacedModel) -> None:
        self._simulator = simulator
        self._model = model
        self._open: dict[str, Asked] = {}
        self._over: set[str] = set()
        self._seen: set[str] = set()
        self._period = Period()
        self._timeline_from = 0
        # A listener gets names instead of whole messages: it looks for itself.
        simulator.feed.render = lambda message_id: {"message_id": message_id}

    def note(self, question: str, asked: Asked) -> None:
        """Expect an answer."""
        self._open[question] = asked
        self._period.asked += 1

    async def watch(self) -> None:
        """See what happens, for ever."""
        async for change in self._simulator.feed.listen():
            if change["kind"] == "message":
                self._look(str(change["message"]["message_id"]))

    def sample(self) -> dict[str, Any]:
        """Give what was seen since the last sample and how many questions are open; forgets what has settled."""
        self._forget()
        for entry in self._simulator.timeline.since(self._timeline_from):
            self._timeline_from = entry.n + 1
            self._period.refused += entry.kind == "rest" and entry.code not in (0, None)
        self._simulator.timeline.clear()
        told = {**asdict(self._period), "open": sum(not each.settled_s for each in self._open.values())}
        self._period = Period()
        return told

    def unanswered(self) -> list[str]:
        """Give the keys of the questions without a whole answer."""
        return [each.key for each in self._open.values() if not each.settled_s]

    def _look(self, message_id: str) -> None:
        message = self._simulator.world.messages.get(message_id)
        if message is None or message.sender_type != "bot" or message.parent_id is None:
            return
        if message_id not in self._seen:
            self._seen.add(message_id)
            self._appeared(message)
        asked, card = self._open.get(message.parent_id), self._simulator.cards.by_id.get(message.card_id or "")
        if asked is not None and card is not None and not asked.settled_s and not elements.is_streaming(card.tree):
            self._settle(asked, card)

    def _appeared(self, message: Message) -> None:
        question = str(message.parent_id)
        asked = self._open.get(question)
        if asked is None:
            if question in self._over:
                self._period.doubled.append(question)
            return
        asked.answers.append(message.message_id)
        if len(asked.answers) > 1:
            self._period.doubled.append(asked.key)
            return
        asked.up_s = time.monotonic()
        self._period.first_ms.append(1000 * (asked.up_s - asked.at_s))

    def _settle(self, asked: Asked, card: Card) -> None:
        """Take the answer for whole when all its words stand there and nothing streams any more."""
        numbers = _pieces(card.history[-1])
        if len(numbers) < asked.pieces:
            return
        asked.settled_s = time.monotonic()
        self._period.settled += 1
        if numbers != list(range(1, asked.pieces + 1)):
            self._period.broken.append(asked.key)
        whole_s = next(each.mono_s for each in card.history if len(_pieces(each)) >= asked.pieces)
        self._period.full_ms.append(1000 * (max(whole_s, asked.up_s) - self._model.sent[asked.key][-1]))

    def _forget(self) -> None:
        before_s = time.monotonic() - GRACE_S
        over = [question for question, each in self._open.items() if 0 < each.settled_s < before_s]
        for question in over:
            asked = self._open.pop(question)
            self._over.add(question)
            self._model.sent.pop(asked.key, None)
            for answer in asked.answers:
                message = self._simulator.world.messages.pop(answer)
                self._simulator.cards.by_id.pop(message.card_id or "", None)


def _pieces(state: Visible) -> list[int]:
    return [int(number) for number in _PIECE.findall(read_card(state.tree))]
