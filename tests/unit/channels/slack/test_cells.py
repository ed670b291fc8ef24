"""Cells of native tables: what is marked up is shown so, and nothing rings or hides."""

from __future__ import annotations

import pytest

from channels.cards.tables import TablePiece, pieces
from channels.slack.cells import markdown_cell, plain_cell, settings_of, words_of


def leaves(markdown: str) -> list[dict[str, object]]:
    return markdown_cell(markdown)["elements"][0]["elements"]


def test_plain_words_stay_a_plain_cell() -> None:
    assert markdown_cell("700 thousand") == {"type": "raw_text", "text": "700 thousand"}
    assert markdown_cell("") == {"type": "raw_text", "text": " "}, "the platform takes no empty cell"


def test_marks_become_styles() -> None:
    assert leaves("`.md` and **bold *both***") == [
        {"type": "text", "text": ".md", "style": {"code": True}},
        {"type": "text", "text": " and "},
        {"type": "text", "text": "bold ", "style": {"bold": True}},
        {"type": "text", "text": "both", "style": {"bold": True, "italic": True}},
    ]
    assert leaves("see [the plan](https://e.example/a)")[1] == {
        "type": "link",
        "url": "https://e.example/a",
        "text": "the plan",
    }


@pytest.mark.parametrize("cell", ["1 * 2", "a & b", "x_y", "a < b", "half `open"])
def test_what_is_no_markup_reads_the_same(cell: str) -> None:
    assert words_of(markdown_cell(cell)) == cell


def test_f24_a_cell_rings_nobody() -> None:
    for cell in (plain_cell("<!channel> now"), markdown_cell("**<!channel>** now"), markdown_cell("`<@U0LIN>`")):
        assert "<!" not in words_of(cell) and "<@" not in words_of(cell)


def test_columns_keep_their_side() -> None:
    (table,) = pieces("| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |\n")
    assert isinstance(table, TablePiece) and table.aligns == ("left", "center", "right")
    assert settings_of(table.aligns) == [{"align": "left"}, {"align": "center"}, {"align": "right"}]
    assert settings_of(("left", "left")) == []
