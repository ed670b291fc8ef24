"""Golden delivery traces: scripted cards in, the ordered requests of a card sink out, on a clock that tests move."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from channels.cards.model import Action, Block, Card, CardStatus, Header, Note, Text, ToolPanel
from channels.cards.ports import CardSink, Write
from channels.cards.stream import CardStream, Closed
from channels.clock import Clock
from channels.errors import ChannelError
from channels.events import Receipt
from channels.pacing import Pacer
from channels.readable import Json

_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """At `at_s`, change the card: what is `None` stays. `repeat` does it again every `every_s`."""

    at_s: float
    append: str | None = None
    status: CardStatus | None = None
    tool: tuple[str, Literal["pending", "in_progress", "success", "fail"]] | None = None
    note: str | None = None
    approve: bool | None = None
    fault: tuple[str, int] | None = None
    """Error and times; who runs the trace knows how to make it happen."""
    restart: bool = False
    """The process dies before this step; the next one takes the card up where the platform has it."""
    repeat: int = 1
    every_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script of what a run shows. The last step's card is given to `close`."""

    name: str
    about: str
    steps: tuple[ScenarioStep, ...]
    within_s: float = 10.0

    @classmethod
    def load(cls, path: Path) -> Scenario:
        """Read a scenario file.

        Raises:
            KeyError, TypeError, ValueError: the file is not one.
        """
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        steps = tuple(_step(raw) for raw in data["step"])
        return cls(path.stem, data["about"], steps, float(data.get("within_s", 10.0)))

    def moments(self) -> list[tuple[float, ScenarioStep]]:
        """Give every step with its time in seconds, repeated ones again and again, in order."""
        moments = [(step.at_s + n * step.every_s, step) for step in self.steps for n in range(step.repeat)]
        return sorted(moments, key=lambda moment: moment[0])


@dataclass(slots=True)
class Trace:
    """What was asked for and what became of it, one JSON line each."""

    clock: Clock
    started_s: float = field(init=False)
    lines: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.started_s = self.clock.steady_s()

    def add(self, **fields: object) -> None:
        """Write a line down, with the time since the start in seconds."""
        at_s = round(self.clock.steady_s() - self.started_s, 2)
        self.lines.append(json.dumps({"at": at_s, **fields}, ensure_ascii=False))


class TracedSink:
    """Passes everything on to a sink and writes each request down."""

    def __init__(self, sink: CardSink, trace: Trace) -> None:
        self._sink = sink
        self._trace = trace

    @property
    def mode(self) -> Literal["stream", "patch", "message", "dead"]:
        """Give the sink's mode."""
        return self._sink.mode

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """Plan as the sink does."""
        return self._sink.plan(card, final=final)

    async def send(self, write: Write) -> None:
        """Send as the sink does, and write down how it went."""
        shows = _shorten(write.payload)
        try:
            await self._sink.send(write)
        except ChannelError as error:
            self._trace.add(method=write.method, kind=write.kind, shows=shows, refused=error.code)
            raise
        self._trace.add(method=write.method, kind=write.kind, shows=shows)

    def renewal(self) -> Sequence[Write]:
        """Give the sink's renewal."""
        return self._sink.renewal()

    def quiet(self, card: Card) -> Sequence[Write]:
        """Give what the sink gives."""
        return self._sink.quiet(card)

    @property
    def unrest(self) -> Literal["", "status", "active"]:
        """Tell what the sink tells."""
        return self._sink.unrest

    def shows(self, card: Card) -> bool:
        """Tell what the sink tells."""
        return self._sink.shows(card)

    def state(self) -> Json:
        """Give the sink's state."""
        return self._sink.state()

    def receipt(self) -> Receipt:
        """Give the sink's receipt."""
        return self._sink.receipt()


async def play(
    scenario: Scenario,
    stream: CardStream,
    trace: Trace,
    *,
    advance: Callable[[float], Awaitable[None]],
    fault: Callable[[str, int], None],
    take_up: Callable[[CardSink], CardStream],
) -> Closed:
    """Play a scenario on a stream whose sink is traced, and add how it ended.

    `take_up` gives the stream of the process that follows the one of this sink.
    """
    card = Card(Header("question", CardStatus.WORKING))
    moments = scenario.moments()
    for at_s, step in moments[:-1]:
        await advance(trace.started_s + at_s - trace.clock.steady_s())
        card = changed(card, step)
        if step.restart:
            stream.abandon()
            trace.add(restart=True)
            stream = take_up(stream.sink)
        if step.fault is not None:
            fault(*step.fault)
        stream.show(card)
    at_s, step = moments[-1]
    await advance(trace.started_s + at_s - trace.clock.steady_s())
    if step.fault is not None:
        fault(*step.fault)
    closing = asyncio.ensure_future(_close(stream, changed(card, step), scenario.within_s, trace))
    await advance(scenario.within_s + 1)
    return await closing


async def _close(stream: CardStream, card: Card, within_s: float, trace: Trace) -> Closed:
    closed = await stream.close(card, within_s)
    trace.add(state=stream.state, seen=closed.seen, reason=closed.reason, counts=dict(stream.counts))
    return closed


def traced(sink: CardSink, pacer: Pacer, clock: Clock) -> tuple[CardStream, Trace]:
    """Give a stream over a traced sink, and its trace."""

    async def guard() -> None:
        return None

    trace = Trace(clock)
    return CardStream(TracedSink(sink, trace), pacer=pacer, guard=guard, clock=clock), trace


def changed(card: Card, step: ScenarioStep) -> Card:
    """Give the card after a step."""
    status = step.status or card.header.status
    blocks: dict[str, Block] = {block.id: block for block in card.blocks}
    if step.tool is not None:
        title, state = step.tool
        blocks[f"tool {title}"] = ToolPanel(f"tool {title}", "tool", title, state)
    if step.note is not None:
        blocks["note"] = Note("note", step.note)
    old = blocks.get("answer")
    text = (old.markdown if isinstance(old, Text) else "") + (step.append or "")
    if text:
        blocks["answer"] = Text("answer", text, streaming=status is CardStatus.WORKING)
    actions = card.actions
    if step.approve is not None:
        actions = (Action("approve", "Approve", "run1", "n1"),) if step.approve else ()
    return replace(card, header=replace(card.header, status=status), blocks=tuple(blocks.values()), actions=actions)


def _step(raw: dict[str, Any]) -> ScenarioStep:
    raw = dict(raw)
    at_s = float(raw.pop("at"))
    if "append" in raw:
        raw["append"] = str(raw["append"]) * int(raw.pop("times", 1))
    if "status" in raw:
        raw["status"] = CardStatus(raw["status"])
    if "tool" in raw:
        title, state = raw["tool"]
        raw["tool"] = (title, state)
    if "fault" in raw:
        error, times = raw["fault"]
        raw["fault"] = (str(error), int(times))
    return ScenarioStep(at_s, **raw)


def _shorten(payload: object) -> str:
    text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False, sort_keys=True, default=str)
    if len(text) <= _LONGEST_SHOWN * 2:
        return text
    return f"{text[:_LONGEST_SHOWN]} …{len(text)}… {text[-_LONGEST_SHOWN:]}"
