"""Files of rules while the product runs: a change is taken in, a mistake changes nothing and is told."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engine.errors import SettingsInvalid
from engine.permissions import LivePolicy
from engine.permissions.request import Request

DENY = '[[rules]]\nid = "no_notes"\nverdict = "deny"\ntool = ["send_note"]\n'
NOTE = Request("send_note", effect="once", usual="ask")


class Rules:
    """A shipped folder, a data folder, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.shipped, self.own = folder / "shipped", folder / "own"
        self.now_s = 0.0
        for each in (self.shipped, self.own):
            each.mkdir()
        self.write(self.shipped, "", name="permissions.toml")
        self.write(self.shipped, "[main]\n", name="roles.toml")

    def write(self, folder: Path, text: str, *, name: str = "permissions.toml", age_s: float = 60) -> Path:
        file = folder / name
        file.write_text(text)
        at_s = time.time() - age_s
        os.utime(file, (at_s, at_s))
        return file

    def live(self) -> LivePolicy:
        return LivePolicy((self.shipped, self.own), lambda: self.now_s)


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    return Rules(tmp_path)


def test_a_changed_file_is_taken_in(rules: Rules) -> None:
    live = rules.live()
    assert live.judge(NOTE).verdict == "ask"
    rules.write(rules.own, DENY, age_s=30)
    assert live.judge(NOTE).verdict == "ask", "looked at a moment ago"
    rules.now_s += 1.1
    assert (live.judge(NOTE).verdict, live.judge(NOTE).basis) == ("deny", "no_notes")
    rules.write(rules.own, "", age_s=10)
    rules.now_s += 1.1
    assert live.judge(NOTE).verdict == "ask" and live.problem == ""


def test_a_broken_file_changes_nothing_and_is_told(rules: Rules) -> None:
    rules.write(rules.own, DENY)
    live = rules.live()
    rules.write(rules.own, DENY.replace("tool", "tol"), age_s=30)
    rules.now_s += 1.1
    assert live.judge(NOTE).verdict == "deny"
    assert "did you mean 'tool'" in live.problem
    rules.now_s += 1.1
    assert "did you mean 'tool'" in live.problem, "said until it is mended"
    rules.write(rules.own, "", age_s=10)
    rules.now_s += 1.1
    assert live.problem == "" and live.judge(NOTE).verdict == "ask"


def test_a_file_that_vanishes_takes_no_rule_with_it(rules: Rules) -> None:
    file = rules.write(rules.own, DENY)
    live = rules.live()
    file.unlink()
    rules.now_s += 1.1
    assert live.judge(NOTE).verdict == "deny" and "is gone" in live.problem
    rules.write(rules.own, DENY, age_s=5)
    rules.now_s += 1.1
    assert live.judge(NOTE).verdict == "deny" and live.problem == ""


def test_a_file_that_is_being_written_is_left_until_it_is_whole(rules: Rules) -> None:
    rules.write(rules.own, DENY)
    live = rules.live()
    file = rules.write(rules.own, "", age_s=0)
    rules.now_s += 1.1
    assert live.judge(NOTE).verdict == "deny"
    os.utime(file, (time.time() - 9, time.time() - 9))
    rules.now_s += 1.1
    assert live.judge(NOTE).verdict == "ask"


@pytest.mark.parametrize("broken", ["text", "bytes", "folder", "link"])
def test_what_cannot_be_read_is_refused_at_start(rules: Rules, broken: str) -> None:
    file = rules.own / "permissions.toml"
    match broken:
        case "text":
            file.write_text("[[rules")
        case "bytes":
            file.write_bytes(b"\xff\xfe\x00")
        case "folder":
            file.mkdir()
        case _:
            file.symlink_to(rules.own / "nowhere.toml")
    with pytest.raises(SettingsInvalid) as refused:
        rules.live()
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("name", ["permissions.toml", "roles.toml"])
def test_nothing_starts_without_the_shipped_files(rules: Rules, name: str) -> None:
    (rules.shipped / name).unlink()
    with pytest.raises(SettingsInvalid, match="is missing"):
        rules.live()
