"""Names of people are asked for beside the work."""

from __future__ import annotations

import asyncio
import logging

import pytest

from channels.capabilities import Capabilities, MethodLimit
from channels.errors import MissingScope
from channels.names import Ask, Names
from channels.pacing import Pacer
from gateway.clock import SystemClock


def _names(ask: Ask) -> Names:
    capabilities = Capabilities(True, True, methods={"user.get": MethodLimit()})
    return Names("chat", ask, "user.get", Pacer(capabilities, SystemClock()))


async def test_a_name_is_there_the_second_time_as_one_clean_line() -> None:
    async def ask(person: str) -> str:
        return f"\u202e{person}\n👩\u200d💻"

    names = _names(ask)
    assert names.of("ada") == ""
    await asyncio.sleep(0.01)
    assert names.of("ada") == "ada 👩\u200d💻"
    await names.stop()


async def test_a_crowd_without_the_permission_is_told_of_once_and_hardly_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked: list[str] = []

    async def ask(person: str) -> str:
        asked.append(person)
        await asyncio.sleep(0.01)
        raise MissingScope(scope="users:read")

    caplog.set_level(logging.INFO)
    names = _names(ask)
    for number in range(50):
        names.of(f"u{number}")
    await asyncio.sleep(0.1)
    assert len(asked) == 4
    assert [record.message for record in caplog.records] == ["names_not_allowed"]
    await names.stop()
