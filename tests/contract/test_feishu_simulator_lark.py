"""The simulator proven from outside: the vendor's own client works against it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from channels.simulators.feishu import FeishuSimulator

SCRIPT = Path(__file__).with_name("lark_client.py")


@pytest.mark.timeout(60)
async def test_the_vendors_client_receives_answers_streams_and_is_refused() -> None:
    simulator = FeishuSimulator()
    await simulator.start()
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SCRIPT), simulator.url, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )  # fmt: skip
    try:
        async with asyncio.timeout(40):
            async for change in simulator.feed.listen():
                if change["kind"] == "connection":
                    break
            simulator.send("oc_team", "ou_lin", "@niuma hello")
            assert process.stdout is not None
            ready = (await process.stdout.readline()).decode().split()
            simulator.options.part_bytes = 300
            clicked = await simulator.click(ready[1], "ou_chen", {"run": "r1", "action": "stop"})
            out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await simulator.stop()

    assert process.returncode == 0, errors.decode()
    seen = json.loads(out.splitlines()[-1])
    assert seen["events"] == [{"text": "@_user_1 hello", "mention": "ou_niuma"}]
    assert (seen["create"], seen["reply"], seen["stream"], seen["repeated"]) == (0, 0, [0, 0], 300317)
    assert seen["clicks"] == [{"value": {"run": "r1", "action": "stop"}, "by": "ou_chen"}]
    assert clicked == {"code": 0, "toast": {"type": "success", "content": "Stopping"}}
    assert simulator.message(seen["message_id"])["text"] == "One, two\n[Stop]"
    frames = [(entry.kind, entry.method) for entry in simulator.timeline.since() if entry.kind in ("in", "out")]
    assert ("in", "ping") in frames and ("out", "pong") in frames
    acks = [
        json.loads(entry.body) for entry in simulator.timeline.since() if (entry.kind, entry.method) == ("in", "event")
    ]
    assert [ack["code"] for ack in acks] == [200, 200]
