from __future__ import annotations

import difflib
import random
import time

import pytest

from engine.tools import diff as module
from engine.tools.diff import Block, diff_of


def test_counts_ranges_and_hunks() -> None:
    old = [f"line {n}" for n in range(1, 31)]
    new = [*old[:4], "five", *old[5:20], *old[21:], "end", "of it"]
    diff = diff_of(old, new)
    assert (diff.added, diff.removed) == (3, 2)
    assert diff.ranges() == [{"start_line": 5, "end_line": 5}, {"start_line": 30, "end_line": 31}]
    assert diff.parsed() == {"add_lines": 3, "remove_lines": 2, "lines": diff.ranges(), "total_lines": 31}
    assert diff.unified().splitlines()[:5] == ["@@ -2,7 +2,7 @@", " line 2", " line 3", " line 4", "-line 5"]


@pytest.mark.parametrize("seed", range(60))
def test_hunks_are_those_of_diff(seed: int) -> None:
    dice = random.Random(seed)
    old = [dice.choice("abcdefgh") for _ in range(dice.randrange(40))]
    new = [line for line in old if dice.random() > 0.2]
    for _ in range(dice.randrange(4)):
        new.insert(dice.randrange(len(new) + 1), dice.choice("xyz"))
    ours = diff_of(old, new)
    assert apply(old, ours.unified(100_000)) == new
    theirs = [line for line in difflib.unified_diff(old, new, lineterm="", n=3) if line[:3] not in ("---", "+++")]
    assert ours.added - ours.removed == sum(x[0] == "+" for x in theirs) - sum(x[0] == "-" for x in theirs)


def apply(old: list[str], patch: str) -> list[str]:
    """Do what `patch` does with the hunks."""
    done: list[str] = []
    at = 0
    for line in patch.splitlines():
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            begin = int(start) - 1 if int(length) else int(start)
            done += old[at:begin]
            at = begin
        elif line[0] == "+":
            done.append(line[1:])
        else:
            assert old[at] == line[1:]
            done += [line[1:]] if line[0] == " " else []
            at += 1
    return done + old[at:]


def test_nothing_and_everything() -> None:
    assert diff_of(["a"], ["a"]).unified() == ""
    assert diff_of([], ["a", "b"]).unified() == "@@ -0,0 +1,2 @@\n+a\n+b"
    assert diff_of(["a"], []).unified() == "@@ -1,1 +0,0 @@\n-a"


def test_a_diff_is_bounded_and_says_so() -> None:
    diff = diff_of([], [f"{n}" * 20 for n in range(2_000)])
    told = diff.unified(1_000)
    assert len(told) < 1_100
    shown, left = told.splitlines()[:-1], told.splitlines()[-1]
    assert left == f"[{2_001 - len(shown)} more lines of this diff are left out]"
    assert len(diff_of([], ["x" * 9_000_000]).unified()) < 2 * module.MAX_LINE_CHARS
    many = diff_of([str(n) for n in range(0, 400)], [str(n) if n % 2 else "x" for n in range(400)])
    assert len(many.ranges()) == module.MAX_RANGES


def test_far_apart_changes_of_a_long_file_are_told_exactly_and_quickly() -> None:
    old = ["same"] * 200_000
    new = ["first", *old[1:-1], "last"]
    began = time.process_time()
    diff = diff_of(old, new, [Block(0, 1, 0, 1), Block(199_999, 200_000, 199_999, 200_000)])
    assert (diff.added, diff.removed, len(diff.unified().splitlines())) == (2, 2, 12)
    blind = diff_of(old, new)
    assert blind.added == blind.removed == 200_000, "not looked into, but told as what it is: all of it replaced"
    assert time.process_time() - began < 2
