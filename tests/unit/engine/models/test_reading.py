from __future__ import annotations

import pytest

from engine.errors import BadOutput
from engine.messages import Usage
from engine.models.assembly import Assembly
from engine.models.base import TextDelta
from engine.models.reading import Reading
from engine.models.wire import object_text

CHUNK = b'{"choices":[{"delta":{"content":"hi"}}]}'


@pytest.mark.parametrize("data", [CHUNK, b"  " + CHUNK, CHUNK + b"\r", b"\n" + CHUNK + b" \n"])
def test_white_space_around_a_chunk_does_no_harm(data: bytes) -> None:
    assert Reading(Assembly("m")).take(data) == [TextDelta("hi")]


@pytest.mark.parametrize("data", [CHUNK + b"x", CHUNK + CHUNK, b"[1]", b'"text"', b"{", b"\xff", b""])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(BadOutput):
        Reading(Assembly("m")).take(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"choices":[null]}',
        b'{"choices":{"0":1}}',
        b'{"choices":[{"delta":"words"}]}',
        b'{"choices":[{"delta":{"content":["parts"]}}]}',
        b'{"choices":[{"delta":{"content":5}}]}',
        b'{"choices":[{"delta":{"tool_calls":[null]}}]}',
        b'{"choices":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_a_chunk_in_another_form_is_the_models_fault_so_another_model_can_take_over(data: bytes) -> None:
    with pytest.raises(BadOutput):
        Reading(Assembly("m")).take(data)


@pytest.mark.parametrize("usage", [b'"much"', b"[1]", b'{"prompt_tokens":"many"}'])
def test_counts_that_cannot_be_read_cost_no_answer(usage: bytes) -> None:
    assert Reading(Assembly("m")).take(b'{"choices":[],"usage":' + usage + b"}") == []


def test_half_a_character_in_a_call_is_mended() -> None:
    assembly = Assembly("m")
    call = b'{"index":0,"id":"c\\ud83d","function":{"name":"t\\ud83d","arguments":"{\\"a\\":\\"\\ud83d\\"}"}}'
    Reading(assembly).take(b'{"choices":[{"delta":{"tool_calls":[' + call + b']},"finish_reason":"tool_calls"}]}')
    (given,) = assembly.completed(Usage()).message.calls
    assert (given.id, given.name, given.arguments) == ("c\ufffd", "t\ufffd", '{"a":"\ufffd"}')


def test_arguments_nested_without_end_are_handed_on_for_the_model_to_mend() -> None:
    assembly = Assembly("m")
    assembly.finish = "tool_calls"
    assembly.tool_piece({"index": 0, "id": "c", "function": {"name": "t", "arguments": "[" * 5000}})
    (given,) = assembly.completed(Usage()).message.calls
    assert len(object_text(given.arguments)) > 5000
