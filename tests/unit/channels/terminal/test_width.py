from __future__ import annotations

import pytest

from channels.terminal.width import clean, clip, one_line, width


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3),
        ("中文", 4),
        ("ｗｉｄｅ", 8),
        ("e\u0301", 1),
        ("한글", 4),
        ("👍🏽", 2),
        ("👨\u200d👩\u200d👧", 2),
        ("🇨🇳🇩🇪", 4),
        ("❤\ufe0f", 2),
        ("❤", 1),
        ("●─│✓", 4),
        ("a\u200bb", 2),
    ],
)
def test_cells_are_those_of_wcwidth(text: str, cells: int) -> None:
    assert width(text) == cells


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]52;c;c2VjcmV0\x1b\\x", "x"),
        ("\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\", "here"),
        ("\x1bP1;2q#0\x1b\\x", "x"),
        ("\x1b[2J\x1b[1;1Hx", "x"),
        ("\x9b31mx", "x"),
        ("\x1bcx", "x"),
        ("\x1b", ""),
        ("\x1b[", ""),
        ("\x1b]0;never ends", "0;never ends"),
        ("a\x08\x7f\x00\x07b", "ab"),
        ("over\rwrite\r\nnext", "over\nwrite\nnext"),
        ("a\u2028b\x0bc", "a\nb\nc"),
        ("\u202egnp.exe", "gnp.exe"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("a\tb", "a    b"),
        ("plain 中文，好。\n", "plain 中文，好。\n"),
    ],
)
def test_nothing_is_left_that_a_terminal_would_obey(text: str, harmless: str) -> None:
    assert clean(text) == harmless


def test_every_character_below_a_space_goes_but_the_line_break() -> None:
    everything = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
    for char in everything:
        assert not set(clean(f"a{char}b{char}")) & set(everything) - {"\n"}, repr(char)


def test_clipping_keeps_whole_characters_and_says_that_it_goes_on() -> None:
    assert clip("中文字", 6) == "中文字"
    assert clip("中文字", 5) == "中文…"
    assert clip("中文字", 4) == "中…"
    assert clip("👨\u200d👩\u200d👧 family", 3) == "👨\u200d👩\u200d👧…"
    assert clip("abc", 0) == ""
    assert one_line("a\n\x1b[1mb   c") == "a b c"
