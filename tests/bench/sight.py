"""What readers saw, and when: joins the platform's record of each card with the model's record of each piece."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Json = dict[str, Any]
_PIECE = re.compile(r"\bw(\d+)\b")
_PACE_CODES = ("ratelimited", "QpsLimit", "ApiCountLimit")
"""Of platforms that refuse without the status 429."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One visible state of a card: from when on (monotonic seconds), up to which piece, and whether it streams."""

    at_s: float
    upto: int
    streaming: bool
    kind: str


@dataclass(slots=True)
class Answer:
    """One question's way. Times are CLOCK_MONOTONIC seconds; nothing is visible before `up_s`."""

    key: str
    asked_s: float
    up_s: float
    states: list[Seen]
    sent_s: list[float] = field(default_factory=list[float])

    @property
    def first_write_s(self) -> float:
        """Give how long after the event the card appeared in the chat."""
        return self.up_s - self.asked_s

    @property
    def first_text_s(self) -> float:
        """Give how long after the event the first words of the answer could be read."""
        return self._visible_s(1) - self.asked_s

    @property
    def full_text_s(self) -> float:
        """Give how long after the last piece all words could be read."""
        return self._visible_s(len(self.sent_s)) - self.sent_s[-1]

    @property
    def final_s(self) -> float:
        """Give how long after the last piece the card was final: all words, nothing streams."""
        done = [each.at_s for each in self.states if not each.streaming and each.upto >= len(self.sent_s)]
        return done[0] - self.sent_s[-1] if done else float("inf")

    @property
    def hidden_s(self) -> list[float]:
        """Give for each piece how long it stayed hidden."""
        return [self._visible_s(number) - sent for number, sent in enumerate(self.sent_s, 1)]

    @property
    def gaps_s(self) -> list[float]:
        """Give the times between two states with new words, while words came."""
        return self.gaps_after(float("-inf"))

    def gaps_after(self, at_s: float) -> list[float]:
        """Give those of `gaps_s` that ended after a moment."""
        grown: list[float] = []
        upto = 0
        for state in self.states:
            if state.upto > upto:
                upto = state.upto
                grown.append(max(state.at_s, self.up_s))
        last = next((n for n, at in enumerate(grown) if at > self.sent_s[-1]), len(grown))
        return [after - before for before, after in pairwise(grown[:last]) if after > at_s]

    @property
    def stood_still_s(self) -> float:
        """Give the longest time without new words while words came, the time before the first included."""
        times = [self.sent_s[0], *(max(each.at_s, self.up_s) for each in self.states if each.kind != "create")]
        steps = [*(at for at in times if at < self.sent_s[-1]), self.sent_s[-1]]
        return max((after - before for before, after in pairwise(steps)), default=0.0)

    @property
    def updates(self) -> int:
        """Give how many accepted writes changed the card after it was made."""
        return sum(each.kind not in ("create", "timeout") for each in self.states)

    def _visible_s(self, number: int) -> float:
        ends = [each.upto for each in self.states]
        place = bisect_left(ends, number)
        return max(self.states[place].at_s, self.up_s) if place < len(ends) else float("inf")


def read_answer(key: str, asked_s: float, up_s: float, history: list[Json], sent_s: list[float]) -> Answer:
    """Put one answer together from the records."""
    states: list[Seen] = []
    upto = 0
    for each in history:
        upto = max(upto, max(map(int, _PIECE.findall(each["text"])), default=0))
        states.append(Seen(each["mono_s"], upto, each["streaming"], each["kind"]))
    return Answer(key, asked_s, up_s, states, sent_s)


def refusals(timeline: list[Json]) -> int:
    """Count the requests that were refused for their pace, or because the month's calls are used up."""
    return sum(each["kind"] == "rest" and _is_for_pace(each) for each in timeline)


def _is_for_pace(entry: Json) -> bool:
    return entry["status"] == 429 or any(word in str(entry["code"]) for word in _PACE_CODES)
