"""The fixtures everybody uses, and which of the two passes of `.ci/tests` a test belongs to."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest

from gateway.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


class _Unlisted(logging.Handler):
    """Collects the names of API methods that were used and are not in `Capabilities.methods`."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.methods: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == "pacing_method_unlisted":
            self.methods.append(str(record.__dict__["method"]))


@pytest.fixture(autouse=True)
def no_method_is_unpaced(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every API method that is used has its limit, or its `MethodLimit()`, in `Capabilities.methods`."""
    heard, logger = _Unlisted(), logging.getLogger("channels.pacing.account")
    logger.addHandler(heard)
    yield
    logger.removeHandler(heard)
    if request.node.get_closest_marker("unlisted_methods") is None:
        assert not heard.methods, f"without a limit in Capabilities.methods: {heard.methods}"


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
