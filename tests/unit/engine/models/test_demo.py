from __future__ import annotations

import asyncio
import json

import pytest

from engine.agent.execute import NOT_RUN
from engine.errors import Unavailable
from engine.messages import AssistantMessage, TextPart, ToolCall, ToolMessage, UserMessage
from engine.models.base import Completed, ModelItem, ModelRequest, TextDelta, ToolSchema
from engine.models.demo import DemoModel
from gateway.clock import FakeClock, SystemClock

TOOLS = [ToolSchema(name, "", {"type": "object"}) for name in ("project_scan", "read_file", "send_note")]


def ask(text: str) -> ModelRequest:
    return ModelRequest([UserMessage(parts=(TextPart(text=text),))], tools=TOOLS)


async def fast(request: ModelRequest) -> tuple[list[ModelItem], Completed]:
    items = [item async for item in DemoModel("demo", SystemClock(), speed=1e6).stream(request)]
    assert isinstance(items[-1], Completed)
    return items, items[-1]


async def test_the_same_question_gives_the_same_chunks() -> None:
    first, _ = await fast(ask("show me a card"))
    second, _ = await fast(ask("show me a card"))
    assert first == second
    sizes = {len(item.text) for item in first if isinstance(item, TextDelta)}
    assert len(sizes) > 5


@pytest.mark.parametrize(
    ("question", "language"), [("show me something", "offline demo model"), ("展示一下", "离线演示模型")]
)
async def test_an_answer_is_rich_and_says_what_it_is(question: str, language: str) -> None:
    _, done = await fast(ask(question))
    text = done.message.text
    assert language in text
    assert question in text
    for mark in ("## ", "|---|", "```toml", "\n1. ", "\n> "):
        assert mark in text


@pytest.mark.parametrize("question", ["a long answer please", "请写一篇很长的回答"])
async def test_long_is_12000_characters(question: str) -> None:
    _, done = await fast(ask(question))
    assert len(done.message.text) == 12_000


@pytest.mark.parametrize("question", ["a long answer please", "请写一篇很长的回答"])
async def test_long_is_whole_and_within_a_minute(clock: FakeClock, question: str) -> None:
    _, done = await fast(ask(question))
    assert any(done.message.text.rstrip("·\n").endswith(last) for last in ("fills up: ", "用来补足："))
    model = DemoModel("demo", clock)

    async def collect() -> list[ModelItem]:
        return [item async for item in model.stream(ask(question))]

    task = asyncio.ensure_future(collect())
    await clock.advance(63.0)
    assert task.done()
    await task


async def test_fail_fails_after_some_thought() -> None:
    with pytest.raises(Unavailable):
        await fast(ask("please fail"))


@pytest.mark.parametrize("speed", [1.0, 4.0])
async def test_slow_takes_20_seconds(clock: FakeClock, speed: float) -> None:
    model = DemoModel("demo", clock, speed=speed)

    async def collect() -> list[ModelItem]:
        return [item async for item in model.stream(ask("answer slowly"))]

    task = asyncio.ensure_future(collect())
    await clock.advance(19.5 / speed)
    assert not task.done()
    await clock.advance(0.6 / speed)
    assert task.done()
    await task


async def test_about_50_tokens_a_second(clock: FakeClock) -> None:
    model = DemoModel("demo", clock)
    seen: list[ModelItem] = []

    async def collect() -> None:
        async for item in model.stream(ask("a long answer")):
            seen.append(item)  # noqa: PERF401

    task = asyncio.ensure_future(collect())
    await clock.advance(20.0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    shown = sum(len(item.text) for item in seen if not isinstance(item, Completed))
    assert 20 * 50 * 4 * 0.9 <= shown <= 20 * 50 * 4 * 1.1


async def test_tools_are_called_then_told_about() -> None:
    question = ask('scan the project, read docs/a.md and send a note "see you at ten"')
    _, first = await fast(question)
    assert [call.name for call in first.message.calls] == ["project_scan", "read_file"]
    assert json.loads(first.message.calls[1].arguments) == {"file_path": "docs/a.md"}
    scan = json.dumps({"total_files": 3, "total_lines": 42, "by_extension": {".py": 3}})
    results = [
        ToolMessage(call_id=call.id, name=call.name, text=text)
        for call, text in zip(first.message.calls, (scan, "hello"), strict=True)
    ]
    after = ModelRequest([*question.messages, first.message, *results], tools=TOOLS)
    _, second = await fast(after)
    assert [(call.name, json.loads(call.arguments)) for call in second.message.calls] == [
        ("send_note", {"text": "see you at ten"})
    ]
    sent = ToolMessage(call_id=second.message.calls[0].id, name="send_note", text="sent")
    _, third = await fast(ModelRequest([*after.messages, second.message, sent], tools=TOOLS))
    assert third.message.calls == ()
    assert "**42**" in third.message.text
    assert "| `.py` | 3 | - |" in third.message.text


async def told(question: str, tool: str, text: str) -> str:
    asked = ask(question)
    call = ToolCall(id="1", name=tool, arguments='{"path": "a.txt"}')
    result = ToolMessage(call_id="1", name=tool, text=text)
    _, done = await fast(ModelRequest([*asked.messages, AssistantMessage(calls=(call,)), result], tools=TOOLS))
    return done.message.text


@pytest.mark.parametrize(("question", "title"), [("scan the project", "at a glance"), ("扫描项目", "概况")])
async def test_an_empty_folder_has_no_table_and_no_title_of_one(question: str, title: str) -> None:
    empty = json.dumps({"total_files": 0, "total_lines": 0, "by_extension": {}, "largest": []})
    full = json.dumps({"total_files": 1, "total_lines": 2, "by_extension": {".py": 1}})
    assert "**0**" in (said := await told(question, "project_scan", empty)) and title not in said
    assert title in await told(question, "project_scan", full)


@pytest.mark.parametrize(
    ("question", "said"), [("send me the file a.txt", "handed the file"), ("把文件 a.txt 发给我", "交给了聊天")]
)
async def test_a_file_is_not_said_to_be_there_before_the_chat_took_it(question: str, said: str) -> None:
    text = await told(question, "send_file", "The file 'a.txt' is handed to the chat now.")
    assert said in text and "in the chat" not in text and "就在聊天里" not in text


@pytest.mark.parametrize("question", ["read it and scan the project", "读一下，再扫描项目", "send a note “a”", "hello"])
async def test_an_answer_begins_with_a_sentence(question: str) -> None:
    """A person may stop it anywhere; a heading alone says nothing."""
    asked = ask(question)
    _, first = await fast(asked)
    results = [ToolMessage(call_id=call.id, name=call.name, text="{}") for call in first.message.calls]
    _, done = await fast(ModelRequest([*asked.messages, first.message, *results], tools=TOOLS))
    assert not done.message.text.startswith(("#", "|", "`" * 3))
    assert "```" in done.message.text or "|---|" in done.message.text


@pytest.mark.parametrize("question", ["read x.txt", "读取 x.txt", "send a note “a”", "发送便签“a”"])
async def test_a_call_that_failed_is_said_to_have_failed(question: str) -> None:
    asked = ask(question)
    _, first = await fast(asked)
    results = [
        ToolMessage(call_id=call.id, name=call.name, text="error: it is not there. Mend the call and try again.")
        for call in first.message.calls
    ]
    _, done = await fast(ModelRequest([*asked.messages, first.message, *results], tools=TOOLS))
    assert "`it is not there`" in done.message.text
    assert "Mend" not in done.message.text


@pytest.mark.parametrize(("question", "said"), [("send a note “a”", "You said no"), ("发送便签“a”", "你没有批准")])
async def test_a_denied_note_is_not_called_a_fault(question: str, said: str) -> None:
    asked = ask(question)
    _, first = await fast(asked)
    text = f"error: {NOT_RUN['denied'][1]}"
    denied = ToolMessage(call_id=first.message.calls[0].id, name="send_note", text=text)
    _, done = await fast(ModelRequest([*asked.messages, first.message, denied], tools=TOOLS))
    assert done.message.text.startswith(said)


async def test_a_table_of_values_becomes_a_table() -> None:
    asked = ask("读取sales.csv")
    _, first = await fast(asked)
    assert json.loads(first.message.calls[0].arguments) == {"file_path": "sales.csv"}
    result = ToolMessage(call_id=first.message.calls[0].id, name="read_file", text='day,tea\nMon,"a|b"\n')
    _, done = await fast(ModelRequest([*asked.messages, first.message, result], tools=TOOLS))
    assert "| day | tea |\n|---|---|\n| Mon | a/b |" in done.message.text


@pytest.mark.parametrize("question", ["Please revise your last answer.", "请修改你上一次的回答。"])
async def test_a_revision_keeps_the_points_of_the_last_answer(question: str) -> None:
    said = AssistantMessage(text="# Title\n\nThe first point.\n\n```\ncode\n```\n- the second\n| a | b |\n")
    _, done = await fast(ModelRequest([*ask("scan").messages, said, *ask(question).messages], tools=TOOLS))
    assert "- The first point.\n- the second\n" in done.message.text
    assert "code" not in done.message.text


async def test_without_tools_it_only_talks() -> None:
    _, done = await fast(ModelRequest(ask("scan the project").messages))
    assert done.message.calls == ()
    assert done.message.text


async def test_an_earlier_answer_does_not_count_as_a_result() -> None:
    history = [*ask("scan the project").messages, AssistantMessage(text="done"), *ask("scan the project").messages]
    _, done = await fast(ModelRequest(history, tools=TOOLS))
    assert [call.name for call in done.message.calls] == ["project_scan"]


@pytest.mark.parametrize("question", ["hello", "你好", "", "hi!"])
async def test_it_greets(question: str) -> None:
    _, done = await fast(ask(question))
    assert "niuma" in done.message.text
    assert done.message.calls == ()
