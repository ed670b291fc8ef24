from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from engine.errors import SettingsInvalid
from engine.failpoints import failpoint, refusal
from engine.runtime import check_environment

PASS = "from engine.failpoints import failpoint\nfor n in range(3):\n failpoint('after_send')\n print(n, flush=True)"


def test_it_kills_at_the_nth_pass() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PASS],
        env={**os.environ, "NIUMA_FAILPOINT": "after_send:3", "NIUMA_TESTING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "0\n1\n")


def test_without_the_variable_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NIUMA_FAILPOINT", raising=False)
    failpoint("after_send")
    assert refusal() is None


@pytest.mark.parametrize(
    ("value", "testing"),
    [("after_send:1", ""), ("after_send:0", "1"), ("after_send", "1"), ("nowhere:1", "1"), ("after_send:x", "1")],
)
def test_a_process_that_must_not_have_it_refuses_to_start(
    monkeypatch: pytest.MonkeyPatch, value: str, testing: str
) -> None:
    monkeypatch.setenv("NIUMA_FAILPOINT", value)
    monkeypatch.setenv("NIUMA_TESTING", testing)
    with pytest.raises(SettingsInvalid):
        check_environment()
