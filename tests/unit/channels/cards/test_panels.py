from __future__ import annotations

import pytest

from channels.cards.model import ToolPanel
from channels.cards.panels import in_pieces, snippet, without_middle


def test_what_is_left_out_is_counted_in_the_readers_words() -> None:
    shown = without_middle("a" * 500 + "b" * 500, 100, "[{chars} fehlen]")
    assert shown == "a" * 50 + "\n[900 fehlen]\n" + "b" * 50
    assert without_middle("short", 100, "x") == "short"


@pytest.mark.parametrize("text", ["", "x" * 1000, "line\n" * 300, "\n\n\n", "e" + "\u0301" * 700, "👨‍👩‍👧‍👦" * 90])
def test_a_text_in_pieces_is_the_whole_text(text: str) -> None:
    pieces = in_pieces(text, 100)
    assert all(len(piece) <= 100 for piece in pieces)
    assert "".join(pieces).replace("\n", "") == text.replace("\n", "")


def test_where_nothing_folds_little_is_shown_of_what_went_well_and_all_of_what_is_asked() -> None:
    body = "y" * 3000
    assert snippet(ToolPanel("p", "tool", "t", "success", body), 500, "{chars}") == ""
    assert len(snippet(ToolPanel("p", "bash", "t", "success", body, "terminal"), 500, "{chars}")) < 300
    assert len(snippet(ToolPanel("p", "tool", "t", "fail", body), 500, "{chars}")) < 600
    assert snippet(ToolPanel("p", "tool", "t", "pending", body, is_open=True), 500, "{chars}") == body
