"""The model of the city: what it says depends on the mark of the question and the tools that answered, on nothing else.

So an answer is the same however often a crash has the same step asked again.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.contract.chaos.question import MARK, answer_to, kind_of
from tests.journeys.scripted_model import Asked, Call, Reply, Say, ScriptedModel, served

PIECE_CHARS, EVERY_S = 12, 0.03
"""A good second an answer: faults hit every part of it."""


class MarkedModel(ScriptedModel):
    """Answers marked questions; anything else is a mistake of the test."""

    def _reply(self, asked: Asked) -> Reply:
        mark, step = step_of(asked)
        if step == 0 and kind_of(mark) == "tool":
            return (Say(f"{mark} looks. ", PIECE_CHARS, EVERY_S), Call("project_scan", "{}", id=f"call_{mark}"))
        if step == 0 and kind_of(mark) == "approval":
            return (Call("send_note", json.dumps({"text": f"{mark} note"}), id=f"call_{mark}"),)
        return (Say(answer_to(mark), PIECE_CHARS, EVERY_S),)

    def steps(self) -> list[tuple[str, int]]:
        """Give the mark and the number of the step of every request so far, in their order."""
        return [step_of(asked) for asked in self.asked]


def step_of(asked: Asked) -> tuple[str, int]:
    """Give what a request is about, and how many tools have answered since the question."""
    messages = asked.body["messages"]
    last = max(place for place, each in enumerate(messages) if each["role"] == "user")
    found = MARK.findall(asked.question)
    assert found, f"a question without a mark: {asked.question!r}"
    return str(found[-1]), sum(each["role"] == "tool" for each in messages[last:])


@asynccontextmanager
async def marked_model() -> AsyncIterator[MarkedModel]:
    """Run the endpoint on a loopback port."""
    async with served(MarkedModel()) as model:
        yield model
