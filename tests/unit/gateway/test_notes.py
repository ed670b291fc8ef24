"""What `/readyz` tells beside its checks: tried once, never red, and a trial that breaks or hangs holds nobody up."""

from __future__ import annotations

import asyncio

import pytest

from channels.base import Finding
from gateway.app.notes import Notes

BROKEN = Finding("warn", "sandbox_broken", {"reason": "no user namespaces"}, "sandbox_broken")


async def settled(notes: Notes) -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_a_sandbox_that_does_not_work_is_told_and_tried_once() -> None:
    tried = 0

    async def trial() -> Finding:
        nonlocal tried
        tried += 1
        return BROKEN

    notes = Notes("en", trial)
    assert notes.told() == ()
    notes.start()
    await settled(notes)
    [note] = notes.told()
    assert notes.told() == (note,)
    assert tried == 1
    assert set(note) == {"name", "code", "reason", "fix"}
    assert (note["name"], note["code"]) == ("sandbox", "sandbox_broken")
    assert "no user namespaces" in note["reason"] and "compose.yaml" in note["fix"]
    await notes.stop()


async def test_one_that_works_needs_no_word() -> None:
    async def trial() -> Finding:
        return Finding("ok", "sandbox_works", {"program": "bwrap"})

    notes = Notes("zh", trial)
    notes.start()
    await settled(notes)
    assert notes.told() == ()
    await notes.stop()


async def test_the_end_does_not_wait_for_a_trial_that_hangs() -> None:
    notes = Notes("en", lambda: asyncio.sleep(3600, BROKEN))
    notes.start()
    await settled(notes)
    await asyncio.wait_for(notes.stop(), 1)
    assert notes.told() == ()


async def test_a_trial_that_breaks_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def trial() -> Finding:
        raise ValueError("marker")

    notes = Notes("en", trial)
    notes.start()
    await settled(notes)
    await notes.stop()
    assert notes.told() == ()
    assert "not_looked" in caplog.text and "marker" in caplog.text


async def test_stopping_what_never_started_does_nothing() -> None:
    await Notes("en", lambda: asyncio.sleep(0, BROKEN)).stop()
