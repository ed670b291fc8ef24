"""Each kind of error of `engine/agent/recovery.py`, from a model's words to every platform's card, zh and en."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from channels.cards.model import Card, CardStatus
from channels.cards.text import plain_text
from channels.terminal.cards import CardLines, Look
from engine.agent.recovery import RECOVERIES
from engine.errors import ServiceUnavailable, ToolFailed
from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput, TextPart
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext, ToolResult
from engine.tools.read_file import ReadFile
from gateway.clock import FakeClock
from gateway.presenter import Presenter, Style
from gateway.texts import Language, text
from tests.traces.test_native_cards import RENDERERS
from tests.unit.engine.agent.conftest import Bench, FakeTool
from tests.unit.engine.agent.test_staged import act, giving, judged, plan, raising, repair

RUN = RunId("00000000000000000000000001")
QUESTIONS: dict[Language, str] = {"en": "How many lines are there?", "zh": "一共有多少行？"}
ANSWER = "THE-ANSWER"


@dataclass(frozen=True)
class Case:
    """`play` sets up the tools and the model's script; `words` are text keys that the card must show."""

    play: Callable[[Bench], None]
    status: CardStatus = CardStatus.DONE
    words: tuple[str, ...] = ()


def unreadable(bench: Bench) -> None:
    bench.plans("I would rather chat.", repeats=True)


def no_such_tool(bench: Bench) -> None:
    bench.script(Turn(calls=[call("fly")]), Turn(ANSWER))


def wrong_arguments(bench: Bench) -> None:
    bench.tools = [ReadFile()]
    bench.script(Turn(calls=[call("read_file", {"start_line": 1})]), Turn(ANSWER))


def tool_fails(bench: Bench) -> None:
    bench.tools = [FakeTool("count", raising(ToolFailed("the disk is full")))]
    bench.script(Turn(calls=[call("count")]), Turn(ANSWER))


def tool_hangs(bench: Bench) -> None:
    async def never(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        await asyncio.Event().wait()
        raise AssertionError

    bench.tools = [FakeTool("count", never)]
    bench.script(Turn(calls=[call("count")]), Turn(ANSWER))


def no_data(bench: Bench) -> None:
    bench.tools = [FakeTool("count")]
    bench.plans(plan(act("count", "lines", purpose="Count")), repair(), ANSWER)


def not_enough(bench: Bench) -> None:
    bench.tools = [FakeTool("count", giving(lines=1))]
    bench.plans(plan(act("count", "lines"), criteria=("by folder",)), judged("by folder"), repair(), ANSWER)


def service_away(bench: Bench) -> None:
    bench.tools = [FakeTool("fetch", raising(ServiceUnavailable("wiki.example cannot be reached")))]
    bench.script(Turn(calls=[call("fetch")]), Turn(ANSWER))


CASES = {
    "model_bad_output": Case(unreadable, CardStatus.FAILED, ("error.model_bad_output",)),
    "tool_not_found": Case(no_such_tool, words=("error.tool_not_found",)),
    "tool_args_invalid": Case(wrong_arguments, words=("error.tool_args_invalid",)),
    "tool_failed": Case(tool_fails, words=("error.tool_failed",)),
    "tool_timeout": Case(tool_hangs, words=("error.tool_timeout",)),
    "output_unparseable": Case(no_data, words=("error.output_unparseable", "notice.not_completed")),
    "criteria_not_met": Case(not_enough, words=("notice.criteria_not_met", "notice.not_completed")),
    "service_unavailable": Case(service_away, words=("error.service_unavailable", "notice.service_unavailable")),
}


@pytest.fixture
def bench(clock: FakeClock, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(clock, tmp_path)
    yield bench
    bench.database.close()


async def card_of(bench: Bench, lang: Language) -> Card:
    """Let the agent answer and draw what a person sees of it."""
    scope = bench.scope(QUESTIONS[lang])
    task = bench.start(scope)
    for _ in range(200):
        if task.done():
            break
        await asyncio.sleep(0.001)
        # Only what hangs is still there after so long.
        await bench.clock.advance(1)
    outcome = await asyncio.wait_for(task, 2)
    asked = RunInput(to=Address("fake:main:t:c"), by=Principal(id="lin"), parts=(TextPart(text=QUESTIONS[lang]),))
    presenter = Presenter(run=RUN, input=asked, style=Style(thinking="folded"))
    for event in scope.shown:
        presenter.add(event)
    if outcome.error:
        failed = {"code": outcome.error, "params": outcome.params}
        presenter.add(RunEvent(run=RUN, type="error", status="fail", content=failed))
    presenter.add(RunEvent(run=RUN, type="done", content={"status": outcome.status, "elapsed_ms": 1200}))
    return presenter.card()


def test_every_kind_is_here() -> None:
    assert CASES.keys() == RECOVERIES.keys()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("code", CASES)
async def test_a_person_reads_what_went_wrong_and_what_became_of_it(bench: Bench, code: str, lang: Language) -> None:
    case = CASES[code]
    case.play(bench)
    card = await card_of(bench, lang)
    assert card.header.status is case.status
    surfaces = {name: json.dumps(render(card), ensure_ascii=False) for name, render in RENDERERS.items()}
    surfaces["text"] = plain_text(card)
    lines = CardLines().of(card, Look(200))
    surfaces["terminal"] = "\n".join("".join(span.text for span in line) for line in lines)
    for where, shown in surfaces.items():
        for key in case.words:
            words = text(lang, key, missing="by folder").rstrip(".。")
            assert words in shown, f"{where}: {words}"
        assert (ANSWER in shown) == (case.status is CardStatus.DONE), where
        assert "success_criteria" not in shown and "repair_reason" not in shown, where
