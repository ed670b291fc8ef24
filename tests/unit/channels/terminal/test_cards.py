"""Cards as frames of text: wide characters, narrow windows, untrusted words."""

from __future__ import annotations

import pytest

from channels.cards.model import (
    Action,
    Card,
    CardStatus,
    Footer,
    Header,
    Lane,
    Note,
    Table,
    Text,
    Thinking,
    TodoItem,
    Todos,
    ToolPanel,
)
from channels.terminal.cards import CardLines, Look, render_buttons
from channels.terminal.ink import line_width, paint, plain

CARD = Card(
    Header("请比较 A 和 B", CardStatus.WORKING, "处理中"),
    (
        Thinking("th", "first\nthen this"),
        ToolPanel("p1", "tool", "scan path=.", "success", "12 files\nand more"),
        ToolPanel("p2", "bash", "ls -l", "in_progress", "one\ntwo", "terminal"),
        Todos("td", (TodoItem("1", "收集数字", "success"), TodoItem("2", "compare them", "in_progress"))),
        Lane("l", "Lane A", "fail", (Text("lt", "**half** done"), Note("ln", "gave up", "error"))),
        Text("t", "# 结果\n\n| 名称 | n |\n|---|---:|\n| 中文名称 | 1 |\n| b | 20 |\n\n1. one\n2. two\n   - `x`\n"),
        Table("tb", ("k", "v"), (("键", "值"),)),
        Note("n", "May I run send_note?\ntext=see you", "warning"),
    ),
    (
        Action("approve", "批准", "r", "n"),
        Action("deny", "拒绝", "r", "n"),
        Action("stop", "停止", "r", "n", enabled=False),
    ),
    Footer(text="1.2 s · demo"),
)

WIDE = """\
● 处理中 · 请比较 A 和 B
▸ thinking: then this
✓ scan path=.
  12 files
… ls -l
  │ one
  │ two
✓ 收集数字
… compare them

✗ Lane A
│ half done
│ ✗ gave up

结果

名称     │  n
─────────┼───
中文名称 │  1
b        │ 20

1. one
2. two
   • x

k  │ v
───┼───
键 │ 值

! May I run send_note?
  text=see you
1.2 s · demo"""


def drawn(card: Card, columns: int, **look: bool) -> str:
    return "\n".join(plain(each) for each in CardLines().of(card, Look(columns, **look)))


def test_a_whole_card() -> None:
    assert drawn(CARD, 80) == WIDE


@pytest.mark.parametrize("columns", [9, 12, 20, 39, 40, 41, 80])
def test_no_line_is_wider_than_the_window(columns: int) -> None:
    lines = CardLines().of(CARD, Look(columns))
    assert [plain(each) for each in lines if line_width(each) > columns] == []


def test_buttons_have_their_keys_and_stay_whole() -> None:
    rows = [plain(each) for each in render_buttons(CARD.actions[:2], 40)]
    assert rows == ["[y] 批准   [n] 拒绝"]
    assert [plain(each) for each in render_buttons(CARD.actions[:2], 12)] == ["[y] 批准", "[n] 拒绝"]


def test_unfolded_shows_thoughts_and_outputs_whole() -> None:
    text = drawn(CARD, 80, unfolded=True)
    assert "▾ thinking\n  first\n  then this" in text
    assert "  │ 12 files\n  │ and more" in text


def test_a_question_is_shown_to_its_last_character() -> None:
    asked = "May I run bash?\ncommand=" + "rm -rf /some/where " * 40 + "THE END"
    text = drawn(Card(Header("q", CardStatus.WAITING, "Waiting"), (Note("n", asked, "warning"),)), 40)
    assert "".join(text.split()).endswith("THEEND")


EVIL = "\x1b]0;owned\x07\x1b[2J\x9b1mhi\x1b[31m \u202efdp.exe\r\x08"


def test_no_word_of_a_model_reaches_the_terminal_as_a_command() -> None:
    card = Card(
        Header(EVIL, CardStatus.DONE, EVIL),
        (
            Thinking("a", EVIL),
            ToolPanel("b", "tool", EVIL, "fail", EVIL, "diff"),
            Todos("c", (TodoItem("1", EVIL),)),
            Lane("d", EVIL, "success", (Text("e", EVIL), ToolPanel("f", "tool", EVIL, "in_progress", EVIL))),
            Text(
                "g",
                f"# {EVIL}\n\n```{EVIL}&#13;\n{EVIL}\n```\n\n[x]({EVIL}) ![y]({EVIL}) `{EVIL}`\n\n"
                f"|{EVIL}|a|\n|-|-|\n|{EVIL}|b|",
            ),
            Text("h", "&#27;[31m &#x9b;31m a&#13;b&#12;c&#9;d&#x202e; [l](http://x/%1b[2J&#13;) <b>&#8;</b>"),
            Table("i", (EVIL,), ((EVIL,),)),
            Note("j", EVIL),
        ),
        (Action("stop", EVIL, "r", "n"),),
        Footer(text=EVIL),
    )
    lines = [*CardLines().of(card, Look(60, unfolded=True)), *render_buttons(card.actions, 60)]
    for each in lines:
        bare = paint(each, colour=False)
        assert all(char >= " " and not "\x7f" <= char <= "\x9f" and char != "\u202e" for char in bare), repr(bare)


def test_growing_text_holds_an_unfinished_table_row_back() -> None:
    lines = CardLines()
    grown = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 "
    card = Card(Header("q", CardStatus.WORKING, "Working"), (Text("t", grown, streaming=True),))
    assert "| 3" not in "\n".join(plain(each) for each in lines.of(card, Look(60)))


def test_colour_is_only_colour() -> None:
    for each in CardLines().of(CARD, Look(60)):
        assert paint(each, colour=False) == plain(each)
