"""Make what `test_state.py` finishes: this version of ours, killed at every failpoint.

    python -m tests.replay.make_state          # all of them, at each version that CHANGELOG.md names
    python -m tests.replay.make_state mid_stream:6

Once made they are never made anew for the same version: newer code must finish what that version really left.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from channels.simulators.feishu.simulator import FeishuSimulator
from tests.processes.gateway import gateway
from tests.replay.asked import HELLO, NOTE, Asked, until
from tests.replay.stored_state import PLATFORM, Killed, store

WORDS = {
    "before_ingest:1": HELLO,
    "after_ingest:1": HELLO,
    "after_create:1": HELLO,
    "after_send:1": HELLO,
    "mid_stream:1": HELLO,
    "mid_stream:6": HELLO,
    "after_final:1": HELLO,
    "during_drain:1": HELLO,
    "after_once:1": NOTE,
}
QUICK = {"NIUMA_TESTING": "1", "NIUMA_RUNS__LEASE_TTL_S": "2", "NIUMA_RUNS__DRAIN_S": "0.2"}


async def make(failpoint: str, home: Path, answer: str) -> None:
    """Ask, be killed at the failpoint, and keep what is left."""
    words = WORDS[failpoint]
    async with platform(home) as sim, gateway(home, sim.url, **QUICK, NIUMA_FAILPOINT=failpoint) as process:
        asked = await Asked.ask(sim, words)
        nonce = ""
        if failpoint.startswith("after_once"):
            nonce = await asked.asks()
            await asked.press("approve")
        if failpoint.startswith("during_drain"):
            await until(lambda: bool(asked.messages()), "a card")
            process.terminate()
        assert await process.ended() == -9, process.log()
        shown = asked.messages()
        sim.save()
        killed = Killed(
            version=version("niuma"),
            failpoint=failpoint,
            made_at_ms=time.time_ns() // 1_000_000,
            question=asked.question,
            words=words,
            shown=shown[0]["message_id"] if shown else None,
            nonce=nonce,
            answer=answer,
        )
    store(home, killed)


async def undisturbed(words: str, home: Path) -> str:
    """Give what a person reads at the end when nothing goes wrong; a question of ours is answered with no."""
    async with platform(home) as sim, gateway(home, sim.url, **QUICK):
        asked = await Asked.ask(sim, words)
        if words == NOTE:
            await asked.asks()
            await asked.press("deny")
        return await asked.answered()


@asynccontextmanager
async def platform(home: Path) -> AsyncIterator[FeishuSimulator]:
    home.mkdir(parents=True, exist_ok=True)
    sim = FeishuSimulator(state_file=home / PLATFORM)
    await sim.start()
    try:
        yield sim
    finally:
        await sim.stop()


async def main(failpoints: list[str]) -> None:
    """Make them one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        answers: dict[str, str] = {}
        for failpoint in failpoints:
            words = WORDS[failpoint]
            if words not in answers:
                answers[words] = await undisturbed(words, Path(folder, f"undisturbed-{len(answers)}"))
            await make(failpoint, Path(folder, failpoint.replace(":", "_")), answers[words])
            print(f"kept {failpoint}")  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:] or list(WORDS)))
