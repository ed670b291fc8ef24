"""What holds for every text, however it arrives."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from channels.cards import grapheme
from channels.cards.markdown import Parts, settled, split

PIECES = [
    *(
        "word ",
        "中文句子。",
        "**bold",
        "**",
        "*",
        "_it_",
        "~~",
        "`code`",
        "`",
        "\n",
        "\n\n",
        "```python\n",
        "```\n",
        "```",
    ),
    *("| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "| half", "x | y\n", "[link](https://e.example/x)", "[half](http"),
    *("![i](https://e.example/a.png)", "<config>", "a < b && c", "&amp;", "\\*", "- item\n", "# head\n", "x = 1\n"),
    *(
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f1e8\U0001f1f3",
        "\U0001f44d\U0001f3fd",
        "e\u0301",
        "\U00020bb7",
    ),
    *("    indented\n", "> quote\n", "> ", "> ```\n> x\n> ```\n", "long" * 30),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=80).map("".join)
LIMITS = st.integers(250, 700)


def size(text: str) -> int:
    return len(text.encode())


def cuts(text: str, seed: int) -> list[int]:
    step = seed % 17 + 1
    return [*range(step, len(text), step), len(text)]


@settings(max_examples=300, deadline=None)
@given(TEXTS, LIMITS)
def test_the_parts_hold_the_whole_text_within_the_limit(text: str, limit: int) -> None:
    assert "".join(Parts(limit, measure=size).bodies(text, growing=False)) == text
    for part in split(text, limit, measure=size):
        assert part
        assert size(part) <= limit


@settings(max_examples=300, deadline=None)
@given(TEXTS, LIMITS)
def test_no_part_ends_inside_a_character(text: str, limit: int) -> None:
    end = 0
    for body in Parts(limit, measure=size).bodies(text, growing=False):
        end += len(body)
        assert grapheme.is_boundary(text, end)


@settings(max_examples=300, deadline=None)
@given(TEXTS, LIMITS, st.integers(0, 100))
def test_growth_never_rewrites_what_is_shown(text: str, limit: int, seed: int) -> None:
    parts = Parts(limit, measure=size)
    before: list[str] = []
    for end in cuts(text, seed):
        now = parts.of(text[:end], growing=True)
        assert now[: max(0, len(before) - 1)] == before[:-1]
        if before:
            assert now[len(before) - 1].startswith(before[-1])
        before = now
    final = parts.of(text, growing=False)
    assert final[: max(0, len(before) - 1)] == before[:-1]


@settings(max_examples=300, deadline=None)
@example("```" + "long" * 60, 250, 0)
@given(TEXTS, LIMITS, st.integers(0, 100))
def test_the_way_a_text_arrives_does_not_matter(text: str, limit: int, seed: int) -> None:
    parts = Parts(limit, measure=size)
    for end in cuts(text, seed):
        parts.of(text[:end], growing=True)
    ended = text + "\n\nthe end"
    assert parts.of(ended, growing=True) == Parts(limit, measure=size).of(ended, growing=True)
    assert parts.of(ended, growing=False) == split(ended, limit, measure=size)


@settings(max_examples=300, deadline=None)
@given(TEXTS, LIMITS)
def test_every_part_but_the_last_closes_its_code_blocks(text: str, limit: int) -> None:
    for part in split(text, limit, measure=size)[:-1]:
        assert not open_fence(part)


@given(TEXTS)
def test_what_is_settled_is_the_beginning(text: str) -> None:
    assert text.startswith(settled(text))


def open_fence(part: str) -> bool:
    mark = ""
    for line in part.split("\n"):
        bare = line.strip(" \t>")
        if mark:
            if bare and not bare.strip(mark[0]) and len(bare) >= len(mark):
                mark = ""
        elif found := re.match(r"(`{3,}(?=[^`]*$)|~{3,})", bare):
            mark = found.group()
    return bool(mark)
