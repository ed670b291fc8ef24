"""The rules that ship: safe for guests and teams, and the agent of a conversation can still work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.permissions import LivePolicy, Touches
from engine.permissions.request import Request
from gateway.paths import config_folder

WRITE = Request("write_file", effect="idempotent", usual="ask", touches=Touches(writes=("a.txt",)))
EDIT = Request("edit_file", effect="once", usual="ask", touches=Touches(writes=("a.txt",)))
SHELL = Request("shell_command", effect="once", usual="ask", touches=Touches(command="ls"))
READ = Request("read_file", touches=Touches(reads=("a.txt",)))
SEND = Request("send_note", effect="once", usual="ask", touches=Touches(writes=("outbox.txt",)))


@pytest.fixture(scope="module")
def shipped() -> LivePolicy:
    return LivePolicy((config_folder(),))


@pytest.mark.parametrize(
    ("request_", "more", "verdict"),
    [
        (READ, {}, "allow"),
        (WRITE, {}, "ask"),
        (EDIT, {}, "ask"),
        (SHELL, {"usual": "allow"}, "ask"),
        (READ, {"rank": "guest"}, "allow"),
        (WRITE, {"rank": "guest"}, "deny"),
        (SHELL, {"rank": "guest"}, "deny"),
        (SEND, {"rank": "guest"}, "deny"),
        (EDIT, {"role": "build"}, "ask"),
        (EDIT, {"role": "member"}, "deny"),
        (WRITE, {"role": "check"}, "deny"),
        (SHELL, {"role": "check"}, "ask"),
        (SHELL, {"role": "explore"}, "deny"),
        (Request("deploy", effect="once", usual="allow"), {"role": "explore"}, "deny"),
        (READ, {"role": "explore"}, "allow"),
        (READ, {"role": "nobody"}, "deny"),
    ],
)
def test_what_ships(shipped: LivePolicy, request_: Request, more: dict[str, str], verdict: str) -> None:
    assert shipped.judge(replace(request_, **more)).verdict == verdict  # type: ignore[arg-type]


def test_an_allowed_command_of_ones_own_runs_and_carries_no_guests_f63(tmp_path: Path) -> None:
    own = '[[rules]]\nid = "git"\nverdict = "allow"\ntool = ["shell_command"]\ncommand = ["git status"]\n'
    (tmp_path / "permissions.toml").write_text(own)
    policy = LivePolicy((config_folder(), tmp_path))

    def verdict(command: str, **more: str) -> str:
        return policy.judge(replace(SHELL, touches=Touches(command=command), **more)).verdict  # type: ignore[arg-type]

    assert verdict("git status") == "allow"
    assert verdict("git status; touch pwned") == verdict("git status && touch pwned") == "ask"
    assert verdict("git status", rank="guest") == "deny"
