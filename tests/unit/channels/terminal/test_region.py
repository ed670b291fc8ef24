"""What is committed stands once in the scrollback, whatever the region above the input line did before."""

from __future__ import annotations

import random

import pytest

from channels.terminal.region import Picture, Region
from tests.emulator import Emulator


def picture(lines: list[str]) -> Picture:
    return Picture(tuple(lines), tuple(map(len, lines)), max(0, len(lines) - 1), 0)


def test_only_changed_rows_are_written() -> None:
    region = Region()
    region.draw(picture(["a", "b", "c"]))
    written = region.draw(picture(["a", "X", "c"]))
    assert "X" in written and "a" not in written.replace("?2026", "") and "c" not in written
    assert region.draw(picture(["a", "X", "c"])) == ""


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_drawn_the_screen_shows_it_and_history_is_never_touched(seed: int) -> None:
    dice, terminal, region = random.Random(seed), Emulator(40, 12), Region()
    terminal.feed("$ niuma chat\r\n")
    done = ["$ niuma chat"]
    for number in range(120):
        lines = [dice.choice("abc") * dice.randrange(0, 39) for _ in range(dice.randrange(1, 12))]
        commit = [f"line {number}.{n}" for n in range(dice.choice((0, 0, 0, 1, 3, 30)))]
        row = dice.randrange(len(lines))
        terminal.feed(region.draw(Picture(tuple(lines), tuple(map(len, lines)), row, 3), commit))
        done += commit
        assert terminal.text == "\n".join(done + lines).rstrip("\n")
        assert (terminal.lines[terminal.row].rstrip(), terminal.column) == (lines[row], 3)
    terminal.feed(region.leave())
    assert terminal.text.rstrip().split("\n") == done


@pytest.mark.parametrize("seed", range(40))
def test_a_resized_window_keeps_what_was_committed(seed: int) -> None:
    dice, terminal, region = random.Random(seed), Emulator(60, 14), Region()
    done: list[str] = []
    for number in range(60):
        columns, rows = terminal.columns, terminal.rows
        if dice.random() < 0.3:
            columns, rows = dice.randrange(20, 80), dice.randrange(6, 20)
            terminal.resize(columns, rows)
            region.resized(columns, rows)
        lines = [dice.choice("abc") * dice.randrange(0, columns) for _ in range(dice.randrange(1, rows))]
        commit = [f"line {number}.{n}" for n in range(dice.choice((0, 0, 1, 3)))]
        terminal.feed(region.draw(picture(lines), commit))
        done += commit
        shown = terminal.text.split("\n")
        assert terminal.text.endswith("\n".join(lines).rstrip("\n"))
        assert [each for each in shown if each.startswith("line ")] == done


def test_a_window_that_only_became_wider_or_shorter_by_a_little_leaves_nothing_behind() -> None:
    terminal, region = Emulator(40, 12), Region()
    for columns, rows in [(40, 12), (60, 12), (60, 20), (45, 20), (45, 15)]:
        terminal.resize(columns, rows)
        region.resized(columns, rows)
        terminal.feed(region.draw(picture(["x" * 30, f"at {columns}", "input"])))
        assert terminal.text.split("\n") == ["x" * 30, f"at {columns}", "input"]
