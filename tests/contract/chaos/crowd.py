"""The people of the city: they ask before the former answer is done, in several places at once, and press buttons."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from tests.contract.chaos.city import City
from tests.contract.chaos.quarter import CHEN, LIN, Quarter, Shown, Where
from tests.contract.chaos.question import Kind, Question, mark_of, marks_in

_LOOK_S, _THINK_S = 0.7, (0.05, 0.4)
_PLACES: Sequence[tuple[Where, str]] = (("group", LIN), ("group", CHEN), ("direct", LIN))
_KINDS: Sequence[Kind] = ("plain", "plain", "tool", "approval")


class Crowd:
    """Asks by the dice and remembers what it asked."""

    def __init__(self, city: City, dice: random.Random) -> None:
        self._city = city
        self._dice = dice
        self._number = 0
        self.asked: list[Question] = []
        self._askers: dict[str, str] = {}

    async def wave(self) -> None:
        """Everybody asks once on every platform, in an order and with pauses by the dice; two of them in one group."""
        orders = [(quarter, where, by) for quarter in self._city.quarters for where, by in _PLACES]
        self._dice.shuffle(orders)
        for quarter, where, by in orders:
            self._ask(quarter, where, by)
            await asyncio.sleep(self._dice.uniform(*_THINK_S))

    def _ask(self, quarter: Quarter, where: Where, by: str) -> None:
        self._number += 1
        mark = mark_of(self._dice.choice(_KINDS), self._number)
        message = quarter.ask(f"tell me about {mark}", where=where, by=by)
        self.asked.append(Question(mark, quarter.name, where, message))
        self._askers[mark] = by

    async def press_buttons(self) -> None:
        """Approve what is asked, as long as it is asked; runs until it is cancelled.

        A question that comes back after a crash is denied when the note was written: the person looks first.
        """
        while True:
            for quarter in self._city.quarters:
                waiting = [each for each in quarter.shown() if "approve" in each.buttons and not each.gone]
                await asyncio.gather(*(self._press(quarter, each) for each in waiting))
            await asyncio.sleep(_LOOK_S)

    async def _press(self, quarter: Quarter, shown: Shown) -> None:
        marks = marks_in(shown.text)
        if len(marks) != 1:
            return
        is_written = any(marks[0] in line for line in self._city.notes())
        await quarter.press(shown, "deny" if is_written else "approve", by=self._askers[marks[0]])

    def unanswered(self) -> list[Question]:
        """Give what has no finished answer yet; what a platform has lost will never have one."""
        over = {
            (quarter.name, mark)
            for quarter in self._city.quarters
            for each in quarter.shown()
            if each.is_over and not each.gone
            for mark in marks_in(each.text)
        }
        return [each for each in self.asked if (each.platform, each.mark) not in over and not self.was_lost(each)]

    def was_lost(self, question: Question) -> bool:
        """Tell whether the platform lost it before any gateway had it; what is stored but not acknowledged is not."""
        quarter = next(each for each in self._city.quarters if each.name == question.platform)
        return quarter.was_lost(question.message) and question.mark not in self._city.taken()
