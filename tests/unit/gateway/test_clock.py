"""The clock a test steps: only a test, only the date, and right again without its file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gateway.clock import SteppedClock, SystemClock, clock_of
from gateway.errors import ConfigInvalid


def test_a_file_steps_the_date_forward_and_back_and_durations_stay(tmp_path: Path) -> None:
    file = tmp_path / "clock"
    clock = clock_of({"NIUMA_CLOCK": str(file), "NIUMA_TESTING": "1"})
    steady_s = clock.steady_s()
    for offset_s in ("900", "-900.5", "", "0"):
        file.write_text(offset_s)
        assert clock.now_ms() - time.time() * 1000 == pytest.approx(float(offset_s or 0) * 1000, abs=1000)
    file.unlink()
    assert clock.now_ms() - time.time() * 1000 == pytest.approx(0, abs=1000)
    assert 0 <= clock.steady_s() - steady_s < 10


def test_without_the_variable_it_is_the_systems() -> None:
    assert not isinstance(clock_of({}), SteppedClock) and isinstance(clock_of({}), SystemClock)


def test_nobody_but_a_test_makes_the_clock_wrong(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="NIUMA_CLOCK"):
        clock_of({"NIUMA_CLOCK": str(tmp_path / "clock")})
