from __future__ import annotations

import pytest

from engine.messages import AssistantMessage, FilePart, TextPart, ToolCall, ToolMessage, UserMessage
from engine.models.base import ToolSchema
from engine.models.tokens import estimate, size, tools_size

PROSE = "The gateway composes: it knows both the channels and the engine, and nothing in them knows it. "
CHINESE = "飞书机器人在群里被提及时会回复一张卡片，每两百毫秒刷新一次，展示思考、工具和最终答案。"


@pytest.mark.parametrize(
    ("text", "truth"),
    [(PROSE, 21), (CHINESE, 47), ("", 0), ("1" * 300, 100), ("好" * 100, 100)],
    ids=["English", "Chinese", "nothing", "digits", "one character"],
)
def test_the_estimate_is_near_the_truth_and_not_below(text: str, truth: int) -> None:
    assert truth <= estimate(text) <= 2 * truth + 1


def test_half_a_character_does_no_harm() -> None:
    assert estimate("a\ud800b") > 0


def test_a_message_is_more_than_its_text() -> None:
    call = ToolCall(id="a", name="read_file", arguments='{"file_path": "a.md"}')
    said, result = AssistantMessage(text="x" * 300, calls=(call,)), ToolMessage(call_id="a", name="t", text="x" * 300)
    asked = UserMessage(parts=(TextPart(text="x" * 300),))
    assert size(said) > size(result) == size(asked) > estimate("x" * 300)


def test_tools_are_counted() -> None:
    tool = ToolSchema("scan", "Count files", {"type": "object", "properties": {"folder": {"type": "string"}}})
    assert 0 < tools_size([tool]) < tools_size([tool, tool]) and tools_size([]) == 0


def test_a_picture_counts_and_another_file_is_only_named() -> None:
    words = TextPart(text="what is this?")
    picture, paper = (FilePart(blob="b", name="n", mime=mime) for mime in ("image/png", "application/pdf"))
    sizes = [size(UserMessage(parts=parts)) for parts in ((words,), (words, paper), (words, picture))]
    assert sizes[0] < sizes[1] < sizes[0] + 50 < 1000 < sizes[2]
