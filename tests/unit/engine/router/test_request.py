"""The asking words are told from the material, whatever the text is."""

from __future__ import annotations

import random
import time

import pytest

from engine.messages import Address, EnclosedPart, FilePart, Principal, RunInput, TextPart
from engine.router import Directory, decide_by_rules, read_request, request_of
from engine.router.request import ASK_HEAD_CHARS, ASK_TAIL_CHARS, HEAD_CHARS, TAIL_CHARS

NOBODY = Directory()
SHAPES = [
    "", " ", "\n\n", "\x00\x01\x02", "\ud800\udfff", "\ufeff", "```", "“" * 900, '"' * 900, "`" * 900, "(" * 900,
    "https://" * 200, "ﷺ" * 5_000, "a" * 1_000_000, "把" * 200_000, "/" * 5_000, "../" * 5_000, "a.b." * 2_000,
    "and then " * 5_000, "、" * 5_000, "帮我" * 5_000, "please " * 5_000, "1+" * 5_000, "1.1." * 5_000, "{" * 5_000,
    "\ue000\ue001\ue002", "x_表" * 900, "从、" * 900,
    "is the my " * 900, "every day " * 900, "why did the " * 900, "create a new " * 900, "🙂" * 900,
]  # fmt: skip


@pytest.mark.parametrize("text", SHAPES, ids=range(len(SHAPES)))
def test_no_text_is_too_odd_or_too_long(text: str) -> None:
    begun = time.thread_time()
    request = read_request(text)
    decide_by_rules(request, NOBODY, NOBODY)
    assert time.thread_time() - begun < 0.1
    assert len(request.whole) <= HEAD_CHARS + TAIL_CHARS + 1
    assert len(request.ask) <= ASK_HEAD_CHARS + ASK_TAIL_CHARS + 1


def test_any_mixture_of_pieces_is_read() -> None:
    """Random texts out of everything that patterns look at."""
    dice = random.Random(6)
    pieces = [
        "帮我", "把", "文件", "a.py", "```", "“", "”", '"', "'", "`", ":", "：", "\n", "> ", "https://x.y", "每天",
        "and ", "、", "team ", "design ", "how do i ", "\u202e", "\x00", "\ud83d", "９", "ﬁ", "1+1", "@", "/", "..",
        "{", "的", "?", "？", " " * 30,
    ]  # fmt: skip
    for _ in range(400):
        text = "".join(dice.choices(pieces, k=dice.randint(0, 60)))
        route = decide_by_rules(read_request(text), NOBODY, NOBODY)
        assert route is None or route.way in ("direct", "agent", "team")


def test_a_huge_text_is_asked_about_at_its_end_too() -> None:
    paste = "We met on Monday and agreed on the budget. " * 5_000
    route = decide_by_rules(read_request(f"{paste}\n\nTranslate this text into Chinese"), NOBODY, NOBODY)
    assert route is not None
    assert route.way == "direct"


@pytest.mark.parametrize(
    ("text", "ask", "has_material"),
    [
        ("翻译：重启服务器", "翻译", True),
        ('Translate "delete the file a.txt now" into German', "translate \ue001 into german", True),
        ("Explain this\n```sh\nrm -rf /\n```", "explain this\n\ue000", True),
        ("> restart nginx\nwhat does this mean?", "what does this mean?", True),
        ('delete "a.txt"', "delete  a.txt ", False),
        ("总结：https://example.com/a", "总结:https://link", False),
        ("What does `git rebase` do?", "what does \ue002 do?", False),
        ("设计并实现一个系统：接口、页面、测试", "设计并实现一个系统:接口、页面、测试", False),
    ],
)
def test_material_is_no_part_of_the_asking_words(text: str, ask: str, has_material: bool) -> None:
    request = read_request(text)
    assert (request.ask, request.has_material) == (ask.strip(), has_material)


def _given(*parts: TextPart | FilePart | EnclosedPart) -> RunInput:
    return RunInput(to=Address("c:a:t:x"), by=Principal(id="u"), parts=parts)


def test_what_came_with_a_message_counts() -> None:
    words = TextPart(text="这里面写了什么")
    quoted = EnclosedPart(label="quoted message", ref={}, is_words=True)
    request = request_of(
        _given(quoted, EnclosedPart(label="plan.pdf", ref={}), FilePart(blob="b", name="a.csv"), words)
    )
    assert (request.files, request.has_material) == (2, True)
    route = decide_by_rules(request, NOBODY, NOBODY)
    assert route is not None
    assert route.way == "agent"


def test_a_quoted_message_is_words_to_work_on() -> None:
    quoted = EnclosedPart(label="quoted message", ref={}, is_words=True)
    route = decide_by_rules(request_of(_given(quoted, TextPart(text="翻译成英文"))), NOBODY, NOBODY)
    assert route is not None
    assert route.way == "direct"
