"""What an operator does not use costs no import."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [("gateway.app", "slack_"), ("channels.registry", "slack_"), ("channels.slack.adapter", "slack_bolt")],
)
def test_the_sdk_is_loaded_when_it_is_needed(module: str, unwanted: str) -> None:
    program = f"import sys, {module}; print([name for name in sys.modules if name.startswith({unwanted!r})])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
