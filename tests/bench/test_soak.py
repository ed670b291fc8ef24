"""The soak sees what it is for: growth, a second answer, a missing word; and a short one runs as a user runs it."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from channels.simulators.feishu.simulator import FeishuSimulator
from channels.simulators.feishu.world import Chat, Message
from tests.bench import machine, witness
from tests.bench.gauges import Held, Stored
from tests.bench.paced_model import PacedModel
from tests.bench.slope import per_minute
from tests.bench.soak import Sample, judge
from tests.bench.witness import Asked, Witness

ONLY_LINUX = pytest.mark.skipif(not machine.is_measurable(), reason="the soak reads /proc")
CHAT, QUESTION = "oc_chat", "om_question"


def test_a_slope_is_that_of_most_points() -> None:
    times_s = [10.0 * n for n in range(30)]
    assert per_minute(times_s, [100 + 0.05 * at_s for at_s in times_s]) == pytest.approx(3.0)
    with_jerk = [100.0 if at_s != 150 else 400.0 for at_s in times_s]
    assert per_minute(times_s, with_jerk) == 0
    assert per_minute([1.0], [5.0]) == 0


def test_growth_is_over_its_limit_and_an_even_soak_is_not() -> None:
    assert _over(_samples()) == set()
    assert _over(_samples(mb_per_min=1.5)) == {"memory of the largest gateway, growth in the second half"}
    assert _over(_samples(ms_per_min=5.0)) == {"event -> first write p50, growth in the second half"}
    assert _over(_samples(files_per_min=3)) == {"open files, growth in the second half"}


@pytest.mark.parametrize(
    ("seen", "row"),
    [
        ({"doubled": ["k1"]}, "answered twice"),
        ({"broken": ["k1"]}, "answers with words missing or doubled"),
        ({"refused": 1}, "refused by the platform"),
        ({"asked": 201}, "questions without a whole answer"),
    ],
)
def test_a_single_fault_is_over_its_limit(seen: dict[str, Any], row: str) -> None:
    samples = _samples()
    samples[10].seen.update(seen)
    assert _over(samples) == {row}


async def test_a_whole_answer_settles_and_a_second_one_is_seen_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "GRACE_S", 0.0)
    simulator, seen = _scene("k1", pieces=2)
    _answer(simulator, "om_first", "w1 one w2 two")
    seen.look("om_first")
    told = seen.witness.sample()
    assert (told["settled"], told["doubled"], told["broken"], told["open"]) == (1, [], [], 0)
    assert simulator.cards.by_id == {}, "what is settled is forgotten"
    _answer(simulator, "om_second", "w1 one w2 two")
    seen.look("om_second")
    assert seen.witness.sample()["doubled"] == [QUESTION]


async def test_words_that_are_doubled_or_missing_are_seen() -> None:
    simulator, seen = _scene("k1", pieces=2)
    _answer(simulator, "om_first", "w1 one w1 one w2 two")
    seen.look("om_first")
    assert seen.witness.sample()["broken"] == ["k1"]
    simulator, seen = _scene("k2", pieces=3)
    _answer(simulator, "om_first", "w1 one w2 two")
    seen.look("om_first")
    assert seen.witness.unanswered() == ["k2"]


@pytest.mark.alone
@ONLY_LINUX
@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_a_short_soak_runs(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    words = ["--profile", "sqlite", "--seconds", "3", "--rate", "4", "--json", str(figures)]
    command = (sys.executable, "-m", "tests.bench.soak", *words)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    rows = {row["what"]: row for row in json.loads(figures.read_text())["sqlite"]["rows"]}
    assert rows["questions without a whole answer"]["figure"] == 0
    assert sum(each["settled"] for each in json.loads(figures.read_text())["sqlite"]["samples"]) >= 8


class _Seen:
    """A witness whose looks are taken by hand."""

    def __init__(self, witness: Witness) -> None:
        self.witness = witness

    def look(self, message_id: str) -> None:
        self.witness._look(message_id)  # pyright: ignore[reportPrivateUsage]


def _scene(key: str, *, pieces: int) -> tuple[FeishuSimulator, _Seen]:
    simulator, model = FeishuSimulator(), PacedModel()
    simulator.world.chats[CHAT] = Chat(CHAT, "Chat", "group")
    model.sent[key] = [time.monotonic()] * pieces
    seen = Witness(simulator, model)
    seen.note(QUESTION, Asked(key, pieces, time.monotonic()))
    return simulator, _Seen(seen)


def _answer(simulator: FeishuSimulator, message_id: str, text: str) -> None:
    tree = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "element_id": "b_1", "content": text}]}}
    card = simulator.cards.create("cli", tree, message_id)
    message = Message(message_id, CHAT, "bot", "cli", "interactive", "", 0, 0, parent_id=QUESTION)
    message.card_id = card.card_id
    simulator.world.messages[message_id] = message


def _over(samples: list[Sample]) -> set[str]:
    return {row.what for row in judge(samples) if row.ok is False}


def _samples(*, mb_per_min: float = 0, ms_per_min: float = 0, files_per_min: int = 0) -> list[Sample]:
    """Give ten minutes of even load, one look every ten seconds, and one after the end."""
    found: list[Sample] = []
    for number in range(62):
        at_min = number / 6
        held = Held(120 + mb_per_min * at_min, number * 5.0, 40 + int(files_per_min * at_min), 20)
        seen = {
            "asked": 200,
            "settled": 200,
            "refused": 0,
            "open": 0,
            "doubled": [],
            "broken": [],
            "first_ms": [20 + ms_per_min * at_min] * 9,
            "full_ms": [150.0] * 9,
        }
        found.append(Sample(number * 10.0, held, Stored(0, 0, 0, 10 + number, 200 * number), seen))
    return found
