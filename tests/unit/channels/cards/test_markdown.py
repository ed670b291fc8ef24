"""Examples of what is held back, and of where texts are cut."""

from __future__ import annotations

import pytest
import regex

from channels.cards import grapheme
from channels.cards.markdown import Parts, link_images, settled, split
from channels.cards.tables import TablePiece, TextPiece, pieces


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("ends with **", "ends with "),
        ("a **bold wor", "a "),
        ("a **bold word** and", "a **bold word** and"),
        ("2 * 3 = 6", "2 * 3 = 6"),
        ("* item", "* item"),
        ("see [the li", "see "),
        ("see [the link](https://e.exam", "see "),
        ("see [the link](https://e.example) now", "see [the link](https://e.example) now"),
        ("an array[0] of", "an array[0] of"),
        ("use `co", "use "),
        ("use `code` now", "use `code` now"),
        ("text\n```pyth", "text\n"),
        ("text\n```python\nx = 1", "text\n```python\nx = 1"),
        ("text\n```python\nx = 1\n``", "text\n```python\nx = 1\n"),
        ("| a | b |\n", ""),
        ("| a | b |\n|--", ""),
        ("| a | b |\n|---|---|\n| 1 |", "| a | b |\n|---|---|\n"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\nafter", "| a | b |\n|---|---|\n| 1 | 2 |\nafter"),
        ("| not a table |\ntext", "| not a table |\ntext"),
        ("a < b and List<Str", "a < b and List"),
        ("R&D &am", "R&D "),
        ("half a flag \U0001f1e8", "half a flag "),
        ("a joiner \U0001f468\u200d", "a joiner \U0001f468"),
        ("中文**加粗", "中文"),
        ("snake_case_name is", "snake_case_name is"),
    ],
)
def test_an_unfinished_tail_is_held_back(text: str, shown: str) -> None:
    assert settled(text) == shown


def test_what_is_never_finished_is_shown_after_a_while() -> None:
    assert settled("a **b" + "c" * 100) == "a **b" + "c" * 100
    assert settled("a `b" + "c" * 500).startswith("a `b")


def test_everything_is_shown_when_final() -> None:
    text = "a **b [c](d `e | f\n| g"
    assert "".join(Parts().bodies(text, growing=False)) == text


def test_a_code_block_is_opened_again_in_each_part() -> None:
    code = [f"print({number}, 'some text to make the line longer')" for number in range(150)]
    text = "Before.\n\n```python\n" + "\n".join(code) + "\n```\n\nAfter."
    parts = split(text, 3000)
    assert len(parts) >= 3
    assert all(part.count("```python") == 1 and part.count("```") == 2 for part in parts)
    lines = [line for part in parts for line in part.split("\n") if line.startswith("print")]
    assert lines == code


def test_a_table_is_cut_between_rows_under_its_head() -> None:
    head = "| a | b |\n|---|---|\n"
    rows = [f"| {number} | {'x' * 40} |\n" for number in range(60)]
    parts = split(head + "".join(rows) + "\nafter", 1000)
    assert all(part.startswith(head) for part in parts[:-1])
    assert [line + "\n" for part in parts for line in part.split("\n") if "xxx" in line] == rows


def test_a_table_that_fits_is_kept_whole() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 8
    parts = split("word " * 130 + "\n\n" + table + "\nafter", 1000)
    assert sum(table in part for part in parts) == 1


def test_bold_text_is_closed_and_opened_again_over_a_cut() -> None:
    parts = split("**" + "wort " * 100 + "end**", 300)
    assert all(part.startswith("**") and part.endswith("**") for part in parts)


def test_a_link_is_never_cut() -> None:
    link = "[a link](https://e.example/" + "x" * 60 + ")"
    for lead in range(180, 300):
        assert sum(link in part for part in split("w" * lead + " " + link + " and more words", 300)) == 1


@pytest.mark.parametrize(
    "character", ["\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f1e8\U0001f1f3", "\U00020bb7"]
)
def test_a_cut_never_breaks_a_character(character: str) -> None:
    for lead in range(270, 301):
        text = "x" * lead + character + "y" * 20
        parts = split(text, 300, measure=lambda part: len(part.encode()))
        assert sum(character in part for part in parts) == 1
        assert "".join(parts) == text


def test_a_replaced_text_is_split_anew() -> None:
    parts = Parts(300)
    parts.of("first version " * 50, growing=True)
    assert parts.of("second", growing=True) == ["second"]


def test_images_by_web_address_become_links_but_not_in_code() -> None:
    text = "a ![chart](https://e.example/a.png) b\n```\n![x](https://e.example/b.png)\n```\n![own](img_key)"
    assert link_images(text) == text.replace("![chart]", "[chart]").replace("![own](img_key)", "own")


def test_tables_are_taken_out() -> None:
    text = "before\n\n| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 |\n\nafter\n\n```\n| c | d |\n|---|---|\n```\n"
    found = pieces(text)
    assert [type(piece) for piece in found] == [TextPiece, TablePiece, TextPiece]
    assert "".join(piece.markdown for piece in found) == text
    table = found[1]
    assert isinstance(table, TablePiece)
    assert table.columns == ("a", "b")
    assert table.rows == (("1", "**2**"), ("3", ""))


def test_growth_costs_what_grew_and_not_what_is_there() -> None:
    measured = 0

    def measure(text: str) -> int:
        nonlocal measured
        measured += len(text)
        return len(text)

    parts = Parts(9000, measure=measure)
    text = "Some **bold** words, `code` and [a link](https://e.example/y).\n\n" * 1600
    parts.of(text, growing=True)
    measured = 0
    for end in range(20, 2020, 20):
        parts.of(text + ("more words " * 200)[:end], growing=True)
    assert measured < 20 * 2020


def test_boundaries_of_characters() -> None:
    flags = "\U0001f1e8\U0001f1f3\U0001f1e9\U0001f1ea"
    assert [grapheme.is_boundary(flags, n) for n in range(5)] == [True, False, True, False, True]
    assert not grapheme.is_boundary("e\u0301", 1)
    assert not grapheme.is_boundary("\r\n", 1)
    assert grapheme.floor("ab\u0301c", 2) == 1
    assert grapheme.ceiling("ab\u0301c", 2) == 3


@pytest.mark.parametrize(
    "character", ["각", "\u1100\u1161\u11a8", "क्षि", "\U0001f3f4\U000e0067\U000e0062\U000e007f", "é́"]
)
def test_joined_letters_are_one_character(character: str) -> None:
    text = "你好 a" + character + "b"
    assert {grapheme.floor(text, 4 + n) for n in range(len(character))} == {4}
    assert grapheme.ceiling(text, 5) == (4 + len(character) if len(character) > 1 else 5)
    assert list(grapheme.starts(text, 100)) == [0, 1, 2, 3, 4, 4 + len(character)]


def test_what_is_taken_for_a_character_by_itself_is_one() -> None:
    alone = [chr(code) for code in range(0x20, 0x10000) if grapheme.starts(chr(code), 1) == range(1)]
    assert {"a", "é", "中", "。", "，", "…"} <= set(alone)
    assert not {"\r", "\u0301", "\u200d", "한", "ﾞ"} & set(alone)
    few = [char for char in alone if not "\u4e01" <= char <= "\u9ffe"]
    assert all(len(regex.findall(r"\X", one + two)) == 2 for one in few for two in few[::9])
    assert grapheme.starts("一二三四", 3) == range(3)
