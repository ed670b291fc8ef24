from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tools.cut import clean, cut, cut_at, cut_middle

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
FLAGS = "🇩🇪🇨🇳"
SKIN = "👍🏽"
ACCENT = "e\u0301"
RARE = "𠮷"
KEYCAP = "1\ufe0f\u20e3"


@pytest.mark.parametrize("character", [FAMILY, FLAGS[:2], SKIN, ACCENT, RARE, KEYCAP, "\r\n"])
def test_a_cut_never_falls_inside_a_character(character: str) -> None:
    text = "ab" + character + "cd"
    for limit in range(len(text) + 1):
        at = cut_at(text, limit)
        assert at <= limit
        assert at <= 2 or at >= 2 + len(character)


def test_flags_are_counted_in_pairs() -> None:
    text = FLAGS * 2
    assert [cut_at(text, limit) for limit in range(9)] == [0, 0, 2, 2, 4, 4, 6, 6, 8]


def test_a_shortened_text_says_so() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"
    assert cut(f"ab{FAMILY}", 5) == "ab…"
    assert cut("abc", 0) == ""


@given(st.text(max_size=60), st.integers(0, 60))
def test_parts_joined_are_the_text(text: str, limit: int) -> None:
    at = cut_at(text, limit)
    assert 0 <= at <= min(limit, len(text))
    assert len(cut(text, limit)) <= limit
    assert text.startswith(text[:at])
    clean(cut(text, limit)).encode()


def test_the_middle_goes_and_is_counted() -> None:
    text = "a" * 50 + FAMILY + "z" * 50
    shown = cut_middle(text, 60, note="[{missing} missing]")
    head, note, tail = shown.split("\n")
    missing = int(note.split()[0].strip("["))
    assert len(head) + len(tail) + missing == len(text)
    assert text.startswith(head)
    assert text.endswith(tail)


def test_lone_surrogates_go() -> None:
    assert clean("a\ud83db") == "a\ufffdb"


@pytest.mark.parametrize("character", ["각", "\u1100\u1161\u11a8", "क्ष", "🏴\U000e0067\U000e0062\U000e007f"])
def test_scripts_that_join_letters_stay_whole(character: str) -> None:
    text = "你" * 2000 + character + "好"
    assert {cut_at(text, 2000 + n) for n in range(len(character))} == {2000}


def test_a_character_without_end_is_no_character() -> None:
    assert cut_at("a" + "\u0301" * 500, 400) == 400
    assert cut_at("\u0301" * 5000, 3000) == 3000


def test_a_row_of_flags_far_from_the_start() -> None:
    text = "x" + FLAGS * 200
    assert [cut_at(text, 401 + n) for n in range(4)] == [401, 401, 403, 403]
