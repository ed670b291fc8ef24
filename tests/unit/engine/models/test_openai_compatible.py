from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine.errors import (
    AuthFailed,
    BadOutput,
    ContextTooLong,
    CutOff,
    ModelError,
    RateLimited,
    Refused,
    TimedOut,
    Unavailable,
)
from engine.messages import AssistantMessage, TextPart, ToolCall, ToolMessage, UserMessage
from engine.models.base import Completed, ModelItem, ModelRequest, ReasoningDelta, TextDelta, ToolSchema
from engine.models.catalog import Prices
from engine.models.openai_compatible import Endpoint, OpenAICompatibleModel
from engine.models.pool import HttpPool
from engine.settings import ModelSettings
from gateway.clock import SystemClock
from tests.unit.engine.models.conftest import DONE, HANG, RESET, Wire, chunk


async def collect(model: OpenAICompatibleModel, request: ModelRequest) -> tuple[list[ModelItem], Completed]:
    items = [item async for item in model.stream(request)]
    assert isinstance(items[-1], Completed)
    return items[:-1], items[-1]


def tool_piece(index: int, arguments: str, *, id: str | None = None, name: str | None = None) -> bytes:
    function: dict[str, Any] = {"arguments": arguments}
    piece: dict[str, Any] = {"index": index, "function": function}
    if id is not None:
        piece["id"] = id
    if name is not None:
        function["name"] = name
    return chunk({"tool_calls": [piece]})


async def test_streams_text_and_sums_it_up(wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest) -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 500_000,
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    wire.scripts = [
        [
            chunk({"role": "assistant", "content": "He"}),
            chunk({"content": "llo"}),
            chunk({}, "stop"),
            chunk(choices=[], usage=usage),
            DONE,
        ]
    ]
    items, done = await collect(model, request_)
    assert items == [TextDelta("He"), TextDelta("llo")]
    assert (done.message.text, done.finish, done.model) == ("Hello", "stop", "main")
    assert (done.usage.input_tokens, done.usage.output_tokens, done.usage.reasoning_tokens) == (1_000_000, 500_000, 7)
    assert done.usage.cost == pytest.approx(2.0)
    assert wire.bodies[0]["stream_options"] == {"include_usage": True}
    assert wire.headers[0]["Authorization"] == "Bearer k"
    assert "tools" not in wire.bodies[0]


async def test_chunks_without_choices_do_no_harm(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    wire.scripts = [
        [
            chunk(choices=[]),
            chunk(choices=None),
            chunk({"content": "text"}),
            chunk({}, "stop"),
            chunk(choices=[], usage=usage),
            DONE,
        ]
    ]
    _, done = await collect(model, request_)
    assert done.message.text == "text"
    assert (done.usage.input_tokens, done.usage.output_tokens) == (3, 4)


async def test_two_calls_that_share_an_index_stay_two(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    wire.scripts = [
        [
            tool_piece(0, '{"a":1}', id="x", name="first"),
            tool_piece(0, '{"b":2}', id="y", name="second"),
            chunk({}, "tool_calls"),
            DONE,
        ]
    ]
    _, done = await collect(model, request_)
    assert [(call.id, call.name, json.loads(call.arguments)) for call in done.message.calls] == [
        ("x", "first", {"a": 1}),
        ("y", "second", {"b": 2}),
    ]
    assert done.finish == "tool_calls"


async def test_pieces_of_calls_are_put_together(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    wire.scripts = [
        [
            tool_piece(0, "", id="x", name="first"),
            tool_piece(1, '{"b"', id="y", name="second"),
            tool_piece(0, '{"a":', id="x", name="first"),
            tool_piece(1, ": 2}"),
            tool_piece(0, "1}", id=""),
            chunk({}, "tool_calls"),
            DONE,
        ]
    ]
    _, done = await collect(model, request_)
    assert [(call.name, call.arguments) for call in done.message.calls] == [
        ("first", '{"a":1}'),
        ("second", '{"b": 2}'),
    ]


CUT = [tool_piece(0, '{"file_path": "a', id="x", name="write")]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([*CUT, RESET], id="reset"),
        pytest.param([*CUT, chunk({}, "length"), DONE], id="length"),
        pytest.param(
            [tool_piece(0, "", id="x", name="write"), chunk({}, "length"), DONE], id="length before arguments"
        ),
        pytest.param([*CUT], id="clean end without a reason"),
        pytest.param([*CUT, DONE], id="done without a reason"),
        pytest.param([*CUT, chunk({}, "tool_calls"), DONE], id="a reason that is not true"),
        pytest.param([tool_piece(0, "{}", id="x", name="write")], id="whole call, no end"),
        pytest.param([chunk({"content": "half an ans"})], id="text, no end"),
        pytest.param([chunk({"content": "half an ans"}), RESET], id="text, reset"),
    ],
)
async def test_half_an_answer_is_cut_off(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest, script: list[bytes]
) -> None:
    wire.scripts = [script]
    with pytest.raises(CutOff):
        await collect(model, request_)


async def test_text_that_ends_with_done_alone_is_whole(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    wire.scripts = [[chunk({"content": "all"}), DONE]]
    _, done = await collect(model, request_)
    assert (done.message.text, done.finish) == ("all", "stop")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_kept_and_sent_back(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest, field: str
) -> None:
    wire.scripts = [
        [
            chunk({field: "hm"}),
            chunk({field: "m"}),
            tool_piece(0, "{}", id="x", name="look"),
            chunk({}, "tool_calls"),
            DONE,
        ],
        [chunk({"content": "ok"}), chunk({}, "stop"), DONE],
    ]
    items, done = await collect(model, request_)
    assert items == [ReasoningDelta("hm"), ReasoningDelta("m")]
    stored = AssistantMessage.model_validate_json(done.message.model_dump_json())
    again = ModelRequest([*request_.messages, stored, ToolMessage(call_id="x", name="look", text="seen")])
    await collect(model, again)
    sent = wire.bodies[1]["messages"][1]
    assert sent[field] == "hmm"
    assert sent["content"] is None
    assert wire.bodies[1]["messages"][2] == {"role": "tool", "tool_call_id": "x", "content": "seen"}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ((401, {}, b'{"error":{"message":"bad key","code":"invalid_api_key"}}'), AuthFailed),
        ((403, {}, b"no"), AuthFailed),
        ((400, {}, b'{"error":{"message":"m","code":"context_length_exceeded"}}'), ContextTooLong),
        ((400, {}, b'{"error":{"message":"prompt is too long: 9 tokens > 8"}}'), ContextTooLong),
        ((400, {}, b'{"error":{"message":"m","code":"content_filter"}}'), Refused),
        ((500, {}, b"<html>"), Unavailable),
        ((503, {}, b""), Unavailable),
        ((404, {}, b'{"error":"no such model"}'), Unavailable),
        ((504, {}, b""), TimedOut),
        ([chunk({"content": "a"}), b'data: {"error":{"message":"overloaded","code":503}}\n\n'], Unavailable),
        ([b'data: {"error":{"message":"slow down","type":"rate_limit_error"}}\n\n'], RateLimited),
        ([chunk({"content": "a"}), b"data: {not json\n\n"], BadOutput),
        ([b"data: [1]\n\n"], BadOutput),
    ],
)
async def test_errors_have_their_kind(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest, answer: Any, kind: type[ModelError]
) -> None:
    wire.scripts = [answer]
    with pytest.raises(kind):
        await collect(model, request_)


@pytest.mark.parametrize(
    ("headers", "seconds"), [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({}, None)]
)
async def test_a_refusal_for_pace_says_how_long(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest, headers: dict[str, str], seconds: float | None
) -> None:
    wire.scripts = [(429, headers, b'{"error":{"message":"slow down"}}')]
    with pytest.raises(RateLimited) as caught:
        await collect(model, request_)
    assert caught.value.retry_after_s == seconds


async def test_a_wrong_request_is_not_worth_repeating(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    wire.scripts = [(404, {}, b"{}"), (502, {}, b"{}")]
    for expected in (False, True):
        with pytest.raises(Unavailable) as caught:
            await collect(model, request_)
        assert caught.value.retryable is expected


async def test_nobody_listens(pool: HttpPool, unused_tcp_port: int, request_: ModelRequest) -> None:
    endpoint = Endpoint("m", api_base=f"http://127.0.0.1:{unused_tcp_port}/v1")
    model = OpenAICompatibleModel("main", endpoint, pool, SystemClock(), Prices(ModelSettings(model="openai/m")))
    with pytest.raises(Unavailable):
        await collect(model, request_)


@pytest.mark.parametrize("script", [[HANG], [chunk({"content": "a"}), HANG]], ids=["first byte", "stall"])
async def test_silence_ends_the_wait(wire: Wire, pool: HttpPool, request_: ModelRequest, script: list[bytes]) -> None:
    wire.scripts = [script]
    endpoint = Endpoint("m", api_base=wire.base, first_byte_s=0.3, stall_s=0.3)
    model = OpenAICompatibleModel("main", endpoint, pool, SystemClock(), Prices(ModelSettings(model="openai/m")))
    with pytest.raises(TimedOut):
        await collect(model, request_)
    await asyncio.wait_for(wire.gone.wait(), 3)


async def test_closing_the_stream_closes_the_connection(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    wire.scripts = [[chunk({"content": "a"}), HANG]]
    stream = model.stream(request_)
    assert await anext(stream) == TextDelta("a")
    await stream.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(wire.gone.wait(), 3)


async def test_a_whole_answer_gives_its_connection_back(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    wire.scripts = [[chunk({"content": "a"}), chunk({}, "stop"), DONE] for _ in range(3)]
    for _ in range(3):
        await collect(model, request_)
    assert len(set(wire.peers)) == 1


async def test_halves_of_a_character_are_joined(
    wire: Wire, model: OpenAICompatibleModel, request_: ModelRequest
) -> None:
    family = "👨\u200d👩\u200d👧"
    raw = family.encode()
    whole = b'data: {"choices":[{"index":0,"delta":{"content":"' + raw + b'"}}]}\n\n'
    wire.scripts = [
        [
            chunk({"content": "\ud83d"}),
            chunk({"content": "\ude00!"}),
            whole[:60],
            whole[60:],
            chunk({"content": "\ud83d"}),
            chunk({}, "stop"),
            DONE,
        ]
    ]
    items, done = await collect(model, request_)
    assert done.message.text == f"😀!{family}\ufffd"
    assert "".join(item.text for item in items if isinstance(item, TextDelta)) == done.message.text
    done.message.model_dump_json().encode()


async def test_history_with_odd_arguments_is_sent_as_objects(wire: Wire, model: OpenAICompatibleModel) -> None:
    wire.scripts = [[chunk({"content": "a"}), chunk({}, "stop"), DONE]]
    odd = ["null", "", "[1,2]", '"text"', '"{\\"a\\": 1}"', '{"a": 1,}']
    calls = tuple(ToolCall(id=f"c{place}", name="t", arguments=text) for place, text in enumerate(odd))
    results = [ToolMessage(call_id=call.id, name="t", text="r") for call in calls]
    history = [UserMessage(parts=(TextPart(text="q"),)), AssistantMessage(calls=calls), *results]
    await collect(model, ModelRequest(history, tools=[ToolSchema("t", "d", {"type": "object"})]))
    sent = [json.loads(call["function"]["arguments"]) for call in wire.bodies[0]["messages"][1]["tool_calls"]]
    assert all(isinstance(arguments, dict) for arguments in sent)
    assert sent[0] == sent[1] == {}
    assert sent[4] == {"a": 1}
    assert wire.bodies[0]["tools"][0]["function"]["name"] == "t"
