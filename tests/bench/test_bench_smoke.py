"""The bench itself works: its smallest measurement runs as a user runs it. No figure is judged here."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.bench import machine, overload
from tests.bench.crowd import Way
from tests.bench.place import Place
from tests.bench.row import Row, percentile, table
from tests.bench.sight import Answer, Seen, refusals

ONLY_LINUX = pytest.mark.skipif(not machine.is_measurable(), reason="the bench needs Linux")


def test_a_row_tells_its_budget() -> None:
    within, under, over = Row("gap", 200, "ms", 215, 185), Row("gap", 100, "ms", 215, 185), Row("gap", 301, "ms", 300)
    assert (within.ok, under.ok, over.ok, Row("told", 1, "s").ok) == (True, False, False, None)
    drawn = table("name", [within, over])
    assert "185..215 ms" in drawn
    assert "OVER" in drawn
    assert percentile([3, 1, 2], 0.5) == 2


def test_ages_count_from_the_model_to_the_reader() -> None:
    states = [Seen(10.1, 0, True, "create"), Seen(10.4, 2, True, "content"), Seen(10.6, 3, False, "update")]
    answer = Answer("k", asked_s=10.0, up_s=10.2, states=states, sent_s=[10.1, 10.3, 10.35])
    assert answer.first_write_s == pytest.approx(0.2)
    assert answer.first_text_s == pytest.approx(0.4)
    assert answer.hidden_s == pytest.approx([0.3, 0.1, 0.25])
    assert answer.full_text_s == answer.final_s == pytest.approx(0.25)


def test_gaps_are_counted_while_words_come_and_from_a_moment_on() -> None:
    grown = [Seen(float(second), second, True, "content") for second in range(1, 6)]
    answer = Answer("k", asked_s=0.0, up_s=0.5, states=grown, sent_s=[0.6, 1.6, 2.6, 3.6, 4.2])
    assert answer.gaps_s == [1.0, 1.0, 1.0], "the last state came after the last word"
    assert answer.gaps_after(2.5) == [1.0, 1.0]


def test_a_crowds_gap_is_its_share_of_what_is_not_kept_back() -> None:
    way = Way(Place, budget=50, per_s=60, floor_s=0.2, seconds=1)
    assert [round(way.gap_s(live), 2) for live in (1, 5, 20)] == [1.22, 6.67, 40.0]
    assert Way(Place, budget=60, per_s=1, floor_s=0.5, seconds=1).gap_s(20) == 0.5, "the card's own pace"


def test_each_platforms_word_for_too_many_calls_counts() -> None:
    told = [
        (429, ""),
        (429, "ratelimited"),
        (200, "ratelimited"),
        (403, "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"),
    ]
    calls = [{"kind": "rest", "status": status, "code": code} for status, code in [*told, (200, 0), (400, "other")]]
    assert refusals(calls) == len(told)


@pytest.mark.alone
@ONLY_LINUX
@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_the_smallest_bench_runs(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    words = ["-m", "tests.bench", "--only", "first_write", "--quick", "--json", str(figures)]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    assert "first visible write, idle" in out.decode()
    rows = json.loads(figures.read_text())["benches"]["first_write"]["rows"]
    assert [row["unit"] for row in rows] == ["ms"] * 3


@pytest.mark.alone
@ONLY_LINUX
@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_a_short_overload_loses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIUMA_BENCH_OVERLOAD_S", "3")
    rows = {row.what: row for row in await overload.measure(quick=True)}
    assert rows["refused, each stored with its reason"].figure > 0 and rows["refusals that were said"].figure > 0
    over = [row for row in rows.values() if row.ok is False and not row.what.startswith("memory at the end")]
    assert not over, over
