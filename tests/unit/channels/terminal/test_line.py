from __future__ import annotations

import json
from pathlib import Path

import pytest

from channels.terminal.history import KEPT_LINES, History
from channels.terminal.ink import plain
from channels.terminal.line import Editor, render_editor


def edited(text: str, *names: str) -> tuple[str, int]:
    editor = Editor()
    editor.insert(text)
    for name in names:
        editor.press(name)
    return editor.text, editor.cursor


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("ab", ["left", "backspace"], ("b", 0)),
        ("a👨\u200d👩\u200d👧", ["backspace"], ("a", 1)),
        ("e\u0301x", ["left", "left", "delete"], ("x", 0)),
        ("one two", ["word_left", "kill_end"], ("one ", 4)),
        ("one two", ["kill_word"], ("one ", 4)),
        ("one\ntwo", ["home", "kill_begin"], ("one\ntwo", 4)),
        ("one\ntwo", ["kill_begin"], ("one\n", 4)),
        ("one\ntwo", ["up"], ("one\ntwo", 3)),
        ("one\ntwo", ["up", "home", "down"], ("one\ntwo", 4)),
        ("a", ["left", "left", "backspace", "right", "right"], ("a", 1)),
        ("a b", ["home", "word_right"], ("a b", 1)),
        ("x", ["insert", "take", "text"], ("x", 1)),
    ],
)
def test_editing(text: str, names: list[str], expected: tuple[str, int]) -> None:
    assert edited(text, *names) == expected


def test_a_paste_cannot_bring_commands_in() -> None:
    assert edited("\x1b[31ma\r\nb\x03") == ("a\nb", 3)


def test_what_was_typed_before_comes_back_and_the_draft_too() -> None:
    editor = Editor(["one", "two"])
    editor.insert("draft")
    seen = []
    for name in ("up", "up", "up", "down", "down", "down"):
        editor.press(name)
        seen.append(editor.text)
    assert seen == ["two", "one", "one", "two", "draft", "draft"]
    assert editor.take() == "draft"
    editor.press("up")
    assert editor.text == "draft"


def test_long_lines_wrap_and_the_cursor_is_where_the_next_character_goes() -> None:
    editor = Editor()
    editor.insert("中文字符很多")
    lines, row, column = render_editor(editor, 9, 5)
    assert [plain(each) for each in lines] == ["› 中文字", "  符很多"]
    assert (row, column) == (1, 8)
    editor.press("home")
    assert render_editor(editor, 9, 5)[1:] == (0, 2)
    editor.press("end")
    editor.insert("\n" * 10 + "end")
    lines, row, _ = render_editor(editor, 9, 4)
    assert len(lines) == 4
    assert plain(lines[row]) == "  end"


def test_history_is_the_owners_alone_and_survives_a_broken_file(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = History(file)
    history.add("one")
    history.add("zwei\nlines 中文")
    history.add("  ")
    assert file.stat().st_mode & 0o777 == 0o600
    assert History(file).lines() == ["one", "zwei\nlines 中文"]
    with file.open("a") as more:
        more.write("not json\n[1]\n")
    assert History(file).lines() == ["one", "zwei\nlines 中文"]
    file.write_text("".join(f"{json.dumps(str(n))}\n" for n in range(3 * KEPT_LINES)))
    assert len(History(file).lines()) == KEPT_LINES
    assert len(file.read_text().splitlines()) == KEPT_LINES
    assert History(None).lines() == []
