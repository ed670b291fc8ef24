from __future__ import annotations

import time

import pytest

from channels.terminal.ink import line_width, plain
from channels.terminal.markdown import render_markdown

CASES = {
    "heading": ("# One\ntext", 20, "One\n\ntext"),
    "emphasis": ("a **b** *c* ~~d~~ `e`", 20, "a b c d e"),
    "link": ("[here](http://x.y) <http://z>", 40, "here (http://x.y) http://z"),
    "list": ("- a\n- b\n  - c\n\ntext", 20, "• a\n• b\n  • c\n\ntext"),
    "loose": ("1. a\n\n2. b\n\n   more", 20, "1. a\n\n2. b\n   more"),
    "quote": ("> a\n> b", 20, "│ a\n│ b"),
    "code": ("```py\nx = 1\n\n  y\n```", 20, "  py\n  x = 1\n  \n    y"),
    "blank in code": ("```\na\n\nb\n```\nc", 20, "  a\n  \n  b\n\nc"),
    "open code": ("```\na\n\n# b", 20, "  a\n  \n  # b"),
    "inner fence": ("````\n```\nx\n```\n\ny\n````", 20, "  ```\n  x\n  ```\n  \n  y"),
    "rule": ("a\n\n---\n\nb", 5, "a\n\n─────\n\nb"),
    "chinese": ("你好，世界。再见", 8, "你好，世\n界。再见"),
    "no stop first": ("你好世界。再见", 8, "你好世\n界。再见"),
    "words": ("the quick brown fox", 10, "the quick\nbrown fox"),
    "one word in two styles": ("the folder (`~/.niuma`).", 14, "the folder\n(~/.niuma)."),
    "long word": ("abcdefghijklmn", 5, "abcde\nfghij\nklmn"),
    "record": ("|name|what|\n|-|-|\n|first one|a thing|", 10, "• name:\n  first\n  one\n  what: a\n  thing"),
}


@pytest.mark.parametrize("name", CASES)
def test_markdown_reads_well(name: str) -> None:
    markdown, columns, expected = CASES[name]
    assert "\n".join(plain(each) for each in render_markdown(markdown, columns)) == expected


def test_a_wide_table_gives_way_in_its_widest_column() -> None:
    lines = [plain(each).rstrip() for each in render_markdown("|a|b|\n|-|-|\n|一二三四五六七八|x|", 14)]
    assert lines == ["a          │ b", "───────────┼──", "一二三四五 │ x", "六七八     │"]


def test_a_long_answer_is_drawn_at_the_cost_of_its_growth() -> None:
    text = "".join(f"## Part {n}\n\nSome **words** about {n}, and `code`.\n\n- one\n- two\n\n" for n in range(1500))
    render_markdown(text, 80)
    begin = time.process_time()
    for more in range(20):
        lines = render_markdown(text + "and more " * more, 80)
    each_s = (time.process_time() - begin) / 20
    assert all(line_width(each) <= 80 for each in lines)
    assert each_s < 0.1, f"{len(text)} characters took {each_s:.3f} s"
