"""One short question to one model."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import AuthFailed, ModelError
from engine.models.probe import probe_model
from engine.settings import EngineSettings, ModelSettings
from gateway.clock import FakeClock, SystemClock
from tests.unit.engine.models.conftest import DONE, Wire, chunk


def settings(home: Path, base: str) -> EngineSettings:
    main = ModelSettings(model="openai/x", api_base=base, api_key="k", fallbacks=("other",))
    other = ModelSettings(model="openai/y", api_base=base, api_key="k")
    return EngineSettings(home=home, models={"main": main, "other": other}, default_model="main")


async def test_an_answer_is_timed(wire: Wire, tmp_path: Path) -> None:
    wire.scripts.append([chunk({"content": "po"}), chunk({"content": "ng"}, "stop"), DONE])
    probed = await probe_model(settings(tmp_path, wire.base), "main", SystemClock())
    assert (probed.answer, probed.is_demo) == ("pong", False)
    assert 0 < probed.first_s <= probed.whole_s
    assert len(wire.bodies) == 1


async def test_a_fallback_does_not_answer_for_it(wire: Wire, tmp_path: Path) -> None:
    wire.scripts.append((401, {}, b'{"error": {"message": "bad key"}}'))
    with pytest.raises(AuthFailed):
        await probe_model(settings(tmp_path, wire.base), "main", SystemClock())
    assert len(wire.bodies) == 1


async def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        await probe_model(settings(tmp_path, "http://127.0.0.1:9"), "other", SystemClock())


async def test_the_demo_model_is_not_asked(tmp_path: Path) -> None:
    assert (await probe_model(EngineSettings(home=tmp_path), "demo", FakeClock())).is_demo
