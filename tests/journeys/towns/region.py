"""All platforms at once, with everything a bot does differently on them, and one model behind the gateways.

Each question carries a mark, like `q0042x`, and so does every word of its answer: one sees what belongs together.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.journeys.scripted_model import Say, ScriptedModel, scripted_model
from tests.journeys.towns.dingtalk import Dingtalk
from tests.journeys.towns.feishu import Feishu
from tests.journeys.towns.slack import Slack
from tests.journeys.towns.street import DIRECT, GROUP
from tests.journeys.towns.town import FaultyTown, Look

MARK = re.compile(r"q\d{4}x")
REDELIVERED_S = 61
"""After so long every platform has sent once more what nobody acknowledged."""
PATIENT_STEPS = 300
"""So often is looked, 50 ms apart, before time is let pass again."""


def answer_to(mark: str, words: int) -> str:
    """Give what the model says about a question, each word with the mark of it."""
    return " ".join([*(f"{mark}{number}" for number in range(words)), f"{mark}end"])


class Newest(random.Random):
    """Has the platform give everything to the connection that was made last."""

    def choice(self, seq: Any) -> Any:
        return seq[-1]


@dataclass(frozen=True)
class Corner:
    """Somewhere to write; `has_card` is false where an answer is one message at its end."""

    name: str
    town: FaultyTown
    where: str
    has_card: bool = True

    def say(self, words: str) -> str:
        """Write; gives the message's id."""
        return self.town.street.say(words, where=self.where)

    def look(self, question: str, end: str) -> Look | None:
        """Give the answer when it has ended; `end` stands at the end of its words."""
        look = self.town.look(question)
        if look is None or end not in look.text:
            return None
        return look if look.is_over or not self.has_card else None

    def asks(self, question: str) -> bool:
        """Tell whether the answer asks a person, with something to press."""
        if not self.has_card:
            return "approve" in self._links()
        look = self.town.look(question)
        return look is not None and "approve" in look.buttons

    async def press(self, question: str, do: str) -> str:
        """Press what does this; gives the words of the platform, if any."""
        if self.has_card:
            return await self.town.press(question, do)
        sim = self.town.street.sim
        sim.press_link(self.town.street.chat(self.where), self.town.street.people["lin"], self._links()[do])
        return ""

    def _links(self) -> dict[str, str]:
        """Give the links of the last message that asks, by what they do."""
        entries = self.town.street.entries("rest")
        asked = [each.body["actionCard"]["btns"] for each in entries if "actionCard" in str(each.body)]
        urls = [each["actionURL"] for each in asked[-1]] if asked else []
        return {do: url for do in ("approve", "deny") for url in urls if do in url}


class Region:
    """The platforms and the model. Life: `start` of each is done by `region`."""

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        self.feishu, self.slack = Feishu(), Slack()
        kept = {"lost_with_socket": False, "robot_redeliveries": 20}
        self.cards, self.plain = Dingtalk(**kept), Dingtalk(account="plain", template="", **kept)
        self.towns: list[Any] = [self.feishu, self.slack, self.cards, self.plain]
        self._count = 0

    def corners(self) -> dict[str, Corner]:
        """Give a place for every way in which answers are shown."""
        made = [
            Corner("feishu", self.feishu, GROUP),
            Corner("slack-channel", self.slack, GROUP),
            Corner("slack-direct", self.slack, DIRECT),
            Corner("dingtalk-card", self.cards, GROUP),
            Corner("dingtalk-card-direct", self.cards, DIRECT),
            Corner("dingtalk-plain", self.plain, DIRECT, has_card=False),
            Corner("dingtalk-plain-group", self.plain, GROUP, has_card=False),
        ]
        return {each.name: each for each in made}

    def environment(self) -> dict[str, str]:
        """Give the settings of all accounts and of the model, as a gateway's environment."""
        settings = {
            "agent.router_asks": "false",
            "models.default": "main",
            "models.main.model": "openai/main",
            "models.main.api_base": self.model.url,
            "models.main.api_key": "sk-key-of-the-scripted-model",
        }
        for town in self.towns:
            settings |= town.settings()
        return {f"NIUMA_{key.upper().replace('.', '__')}": value for key, value in settings.items()}

    def connections(self) -> int:
        """Give how many gateways all platforms are connected to; -1 while they differ."""
        counts = {town.sim.sockets.count(town.sim.app_id) for town in self.towns}
        return counts.pop() if len(counts) == 1 else -1

    def advance(self, seconds: float) -> None:
        """Let time pass on all platforms."""
        for town in self.towns:
            town.sim.advance(seconds)

    async def settle(self) -> None:
        """Let so much time pass, step by step, that everything was delivered once more that anybody missed."""
        for _ in range(6):
            self.advance(REDELIVERED_S)
            await asyncio.sleep(0.3)

    async def acknowledged(self) -> None:
        """Let time pass until every delivery was taken.

        Once is not enough: it passes for the acknowledgements on their way, too, and what they are for waits anew.

        Raises:
            AssertionError: Nobody takes what it names.
        """
        for at in range(PATIENT_STEPS * 5):
            if not self.waiting():
                return
            if at % PATIENT_STEPS == 0:
                self.advance(REDELIVERED_S)
            await asyncio.sleep(0.05)
        raise AssertionError(f"not acknowledged: {self.waiting()}")

    def waiting(self) -> list[str]:
        """Give the messages nobody has acknowledged; DingTalk forgets what found no connection, and presses."""
        pending = [*self.feishu.sim.deliveries.pending, *self.slack.sim.deliveries.pending]
        pushes = [each for town in (self.cards, self.plain) for each in town.sim.deliveries.all]
        open_ = [each for each in pushes if each.name == "robot" and not each.acked and each.connection is not None]
        waiting = [*pending, *open_]
        return [f"{each.app.app_id} after {each.attempts} attempts" for each in waiting]

    def aim_at_newest(self) -> None:
        """Have every platform give all events to the gateway that connected last."""
        for town in self.towns:
            town.sim.sockets.random = Newest()

    def mark(self) -> str:
        """Give the next mark."""
        self._count += 1
        return f"q{self._count:04}x"

    def tell(self, mark: str, words: int = 40, *, every_s: float = 0.03) -> str:
        """Have the model answer a question with this mark, always the same; gives the answer."""
        text = answer_to(mark, words)
        self.model.script([Say(text, piece=10, every_s=every_s)], when=mark, for_ever=True)
        return text

    def writes(self, marks: Iterable[str]) -> dict[str, list[float]]:
        """Give when the platforms were asked to show something of each mark, in wall seconds, oldest first."""
        wanted, found = set(marks), defaultdict[str, list[float]](list)
        offset_s = time.time() - time.monotonic()
        for entry in (each for town in self.towns for each in town.sim.timeline.since() if each.kind == "rest"):
            for mark in wanted.intersection(MARK.findall(str(entry.body))):
                found[mark].append(entry.mono_s + offset_s)
        return {mark: sorted(at) for mark, at in found.items()}

    def conflicts(self) -> list[Any]:
        """Give the writes that a platform refused because a newer owner had written already."""
        return [each for each in self.feishu.street.entries("rest") if each.code == 300317]


@asynccontextmanager
async def region() -> AsyncIterator[Region]:
    """Start all platforms and the model in this process."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(scripted_model())
        made = Region(model)
        for town in made.towns:
            await town.start()
            stack.push_async_callback(town.stop)
        yield made
