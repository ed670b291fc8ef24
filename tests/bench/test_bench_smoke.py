"""The bench itself works: its smallest measurement runs as a user runs it. No figure is judged here."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.bench import machine
from tests.bench.row import Row, percentile, table
from tests.bench.sight import Answer, Seen

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
