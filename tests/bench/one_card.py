"""One live card at its usual pace: how often it changes, and how long words stay hidden, also beside a busy tool."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.tools.workspace import workspace_for
from tests.bench.row import Row, percentile
from tests.bench.sight import Answer
from tests.bench.stage import Stage, stage
from tests.bench.tenant import chat_id

FILES = 6000


async def measure(*, quick: bool = False) -> list[Row]:
    """Stream one answer alone, then one while another conversation's tool scans a large folder again and again."""
    seconds = 4 if quick else 12
    async with stage() as set_, set_.serving(NIUMA_AGENT__MAX_IDENTICAL_ROUNDS="20", NIUMA_AGENT__MAX_TOOL_ROUNDS="20"):
        warm = await set_.ask("warm", "n=2 r=50")
        await set_.finished([warm], within_s=20)
        alone = await _alone(set_, seconds)
        beside, own = await _with_tool(set_, seconds)
    gaps = [1000 * gap for gap in alone.gaps_s]
    return [
        Row("one card: gap p50", percentile(gaps, 0.5), "ms", 215, 185),
        Row("one card: gap p95", percentile(gaps, 0.95), "ms", 240),
        Row("one card: age of hidden text p95", 1000 * percentile(alone.hidden_s, 0.95), "ms", 300),
        Row("beside a running tool: gap p95", 1000 * percentile(beside.gaps_s, 0.95), "ms"),
        Row("beside a running tool: hidden p95", 1000 * percentile(beside.hidden_s, 0.95), "ms", 300),
        Row("text before its own tool call: hidden p95", 1000 * percentile(own.hidden_s, 0.95), "ms", 300),
    ]


async def _alone(set_: Stage, seconds: int) -> Answer:
    question = await set_.ask("alone", f"n={50 * seconds} r=50")
    await set_.finished([question], within_s=seconds + 20)
    return (await set_.answers({"alone": question}))[0]


async def _with_tool(set_: Stage, seconds: int) -> tuple[Answer, Answer]:
    _fill(workspace_for(set_.home, f"feishu:main:tenant_demo:{chat_id(1)}"))
    scanner = await set_.ask("own", f"n=25 r=50 tools={seconds}", chat=1)
    await asyncio.sleep(0.5)
    question = await set_.ask("beside", f"n={50 * seconds} r=50", chat=2)
    await set_.finished([question, scanner], within_s=3 * seconds + 30)
    beside, own = await set_.answers({"beside": question, "own": scanner})
    return beside, own


def _fill(folder: Path) -> None:
    """Make a workspace that takes a scan about a second."""
    for number in range(FILES):
        if number % 100 == 0:
            (folder / f"part{number // 100}").mkdir()
        (folder / f"part{number // 100}" / f"file{number}.py").write_text("line\n" * 200)
