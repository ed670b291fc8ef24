"""What an older version left half done is finished by this one: complete, once, on the first card."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from channels.simulators.feishu.simulator import FeishuSimulator
from engine.failpoints import NAMES
from gateway.app import running
from gateway.settings import load_settings
from gateway.texts import text
from tests.replay.asked import Asked, connections, until, without_figures
from tests.replay.stored_state import FOLDER, PLATFORM, Killed, bring_back, stored

STORED = stored()


@pytest.mark.parametrize("told", STORED, ids=lambda told: f"{told.parent.name}-{told.stem}")
async def test_a_run_of_an_older_version_is_finished(told: Path, tmp_path: Path) -> None:
    killed = bring_back(told, tmp_path)
    async with newest(tmp_path) as sim:
        asked = Asked(sim, killed.question)
        sim.redeliver(killed.question)  # the platform got no answer, or it got lost
        if killed.nonce:
            await asked.asks(instead_of=killed.nonce)
            await asked.press("deny")
        answer = await asked.answered()
        finished = without_the_first_yes(answer) if killed.nonce else answer
        if finished != without_figures(killed.answer):  # the words may have changed since
            assert finished == await undisturbed(sim, killed)
        assert asked.read() == answer
        (message,) = asked.messages()
        assert killed.shown in (None, message["message_id"]), "on its first card"
    assert not list(tmp_path.rglob("outbox.txt")), "a cut effect is not repeated unasked"


def without_the_first_yes(answer: str) -> str:
    """Leave out that a person had said yes before the kill: asked again, the person said no."""
    approved = text("en", "approval.approved_unnamed")
    return "\n".join(line for line in answer.splitlines() if approved not in line)


async def undisturbed(sim: FeishuSimulator, killed: Killed) -> str:
    """Give what this version answers to the same question."""
    asked = await Asked.ask(sim, killed.words)
    if killed.nonce:
        await asked.asks()
        await asked.press("deny")
    return await asked.answered()


LATER = {"0.1.0": {"steer_read", "after_steer"}}
"""Failpoints that came after a version's databases were made; those are never made anew."""


@pytest.mark.parametrize("version", sorted(folder.name for folder in FOLDER.iterdir()))
def test_every_failpoint_is_kept(version: str) -> None:
    kept = {told.stem.rpartition("_")[0] for told in STORED if told.parent.name == version}
    assert kept == NAMES - LATER[version]


@asynccontextmanager
async def newest(home: Path) -> AsyncIterator[FeishuSimulator]:
    """Run this version on the data folder `home`, with the platform that is in it."""
    sim = FeishuSimulator(state_file=home / PLATFORM)
    await sim.start()
    account = {"app_id": sim.app_id, "app_secret": sim.app_secret, "domain": sim.url}
    overrides = {f"channels.feishu.main.{key}": value for key, value in account.items()}
    overrides |= {"server.port": "0", "runs.lease_ttl_s": "2"}
    try:
        async with running(load_settings(home=home, environ={}, overrides=overrides), ready=lambda line: None):
            await until(lambda: connections(sim) > 0, "connected")
            yield sim
    finally:
        await sim.stop()
