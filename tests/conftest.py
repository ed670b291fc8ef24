"""The fixtures everybody uses."""

from __future__ import annotations

import pytest

from gateway.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
