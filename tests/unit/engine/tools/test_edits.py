from __future__ import annotations

import pytest

from engine.errors import ToolRetry
from engine.tools import edits as module
from engine.tools.diff import diff_of
from engine.tools.document import Document, lines_of
from engine.tools.edits import Edit, applied, blocks_of, spans_of


def edited(text: str, *edits: Edit) -> str:
    return applied(text, spans_of(text, edits, Document(text).newline))


def refusal(text: str, *edits: Edit) -> str:
    with pytest.raises(ToolRetry) as caught:
        edited(text, *edits)
    return str(caught.value)


def test_several_edits_are_looked_for_in_the_text_as_it_was() -> None:
    assert edited("a b c", Edit("a", "b"), Edit("b", "c"), Edit("c", "a")) == "b c a"
    assert edited("one\ntwo\n", Edit("two\n", ""), Edit("one", "1")) == "1\n"


def test_everywhere_takes_every_place() -> None:
    assert edited("x x xx", Edit("x", "yy", everywhere=True)) == "yy yy yyyy"
    assert edited("aaaa", Edit("aa", "b", everywhere=True)) == "bb"


@pytest.mark.parametrize(
    ("text", "edit", "told"),
    [
        ("a\nb\na\n", Edit("a", "c"), "2 times (lines 1, 3)"),
        ("aaa", Edit("aa", "c"), "2 times (lines 1, 1)"),
        ("\n\n\n", Edit("\n\n", "x"), "2 times"),
        ("a\r\n\r\nb", Edit("\n", "x"), "2 times"),
        ("if x:\n    go()\n", Edit("\tgo()", "stop()"), "line 2 is like its first line"),
        ("a = 2\n", Edit("a = 1", "a = 2"), "may have been replaced before"),
        ("abc", Edit("zzz", "y"), "not in the file; read the file again"),
        ("abc", Edit("", "y"), "old_text of edit 1 is empty"),
        ("abc", Edit("a", "a"), "changes nothing"),
        ("x" * 12, Edit("x", "y"), "..."),
    ],
)
def test_what_does_not_fit_one_place_is_refused_with_the_reason(text: str, edit: Edit, told: str) -> None:
    assert told in refusal(text, edit)


def test_all_or_none_and_no_overlap() -> None:
    assert "edit 2 is not in" in refusal("abc", Edit("a", "x"), Edit("q", "y"))
    assert "edits 1 and 2 overlap in line 2" in refusal("a\nbcd\n", Edit("bc", "x"), Edit("cd", "y"))
    assert edited("abcd", Edit("ab", "x"), Edit("cd", "y")) == "xy"
    assert "1 to 100 edits" in refusal("a", *[Edit("a", "b")] * 101)
    assert "1 to 100 edits, not 0" in refusal("a")


def test_too_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PLACES", 5)
    assert edited("x" * 5, Edit("x", "", everywhere=True)) == ""
    assert "more than 5 times" in refusal("x" * 6, Edit("x", "", everywhere=True))


def test_a_line_end_fits_any_line_end_and_the_files_own_are_kept() -> None:
    assert edited("a\r\nb\r\nc\r\n", Edit("a\nb", "1\n2\n3")) == "1\r\n2\r\n3\r\nc\r\n"
    assert edited("a\r\nb\nc\r\n", Edit("b\n", "x\r\ny\r\n")) == "a\r\nx\r\ny\r\nc\r\n"
    assert edited("a\nb\n", Edit("a\r\nb", "c\r\nd")) == "c\nd\n"


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("a\nb\nc\nd\ne\n", [Edit("b", "B"), Edit("d\n", "")]),
        ("a\nb", [Edit("a\nb", "")]),
        ("one two\nthree\n", [Edit("one", "1\n1"), Edit("two\nthree\n", "x")]),
        ("x\n" * 50, [Edit("x", "y\nz", everywhere=True)]),
        ("a\r\nb\r\n", [Edit("\nb", "")]),
        ("a\n", [Edit("a\n", "a\n\n")]),
        ("end", [Edit("end", "end\nmore\n")]),
        ("a\n\n\nb\n", [Edit("\n\n\n", "\n")]),
    ],
)
def test_blocks_hold_every_difference(text: str, edits: list[Edit]) -> None:
    spans = spans_of(text, edits, Document(text).newline)
    changed = applied(text, spans)
    old, new = lines_of(text), lines_of(changed)
    diff = diff_of(old, new, blocks_of(text, changed, spans))
    at, rebuilt = 0, list[str]()
    for block in diff.blocks:
        rebuilt += [*old[at : block.old_start], *new[block.new_start : block.new_end]]
        at = block.old_end
    assert [*rebuilt, *old[at:]] == new
    whole = diff_of(old, new)
    assert diff.added - diff.removed == whole.added - whole.removed == len(new) - len(old)
