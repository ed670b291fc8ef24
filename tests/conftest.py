"""The fixtures everybody uses, and which of the two passes of `.ci/tests` a test belongs to."""

from __future__ import annotations

import os

import pytest

from gateway.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the other pass runs; `NIUMA_TEST_PASS` names this one. Without it all tests run."""
    this = os.environ.get("NIUMA_TEST_PASS")
    if not this:
        return
    if this not in ("together", "alone"):
        raise pytest.UsageError(f"NIUMA_TEST_PASS is together or alone, not {this!r}")
    mine = [item for item in items if _pass_of(item) == this]
    config.hook.pytest_deselected(items=[item for item in items if _pass_of(item) != this])
    items[:] = mine


def _pass_of(item: pytest.Item) -> str:
    return "alone" if item.get_closest_marker("alone") or item.get_closest_marker("browser") else "together"
