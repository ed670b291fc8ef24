"""An answer from the first word to the last, and what the next question sees of it."""

from __future__ import annotations

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
from engine.messages import AssistantMessage, UserMessage
from engine.testing.scope import MemoryScope
from engine.testing.scripted import Turn, call
from tests.unit.engine.agent.conftest import Bench, texts


async def test_a_plain_answer(bench: Bench) -> None:
    bench.script(Turn(["Hel", "lo"], reasoning="hm"))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.answer, outcome.error) == ("done", "Hello", None)
    live = [event for event in scope.shown if event.status == "in_progress"]
    assert texts(live) == ["Hel", "lo"]
    assert {event.segment for event in live} == {"model/0"}
    stored = {event.type: event for event in scope.stored}
    assert stored["text"].content == "Hello"
    assert stored["text"].opr == "replace"
    assert stored["thinking"].visibility == "folded"
    told = {"model": "scripted", "input_tokens": 10, "output_tokens": 5, "cost": 0.001}
    content = stored["usage"].content
    assert isinstance(content, dict) and {name: content[name] for name in told} == told


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Unavailable(), "model_unavailable"),
        (TimedOut(), "model_timeout"),
        (Refused(), "model_refused"),
        (AuthFailed(), "model_auth"),
        (RateLimited(retry_after_s=9.0), "model_rate_limited"),
        (ContextTooLong(), "context_too_long"),
        (CutOff(), "model_cut_off"),
        (BadOutput(), "model_bad_output"),
    ],
)
async def test_a_failed_model_is_an_outcome_and_its_text_is_kept(bench: Bench, error: ModelError, code: str) -> None:
    bench.script(Turn("half an ans", fails=error), repeats=True)
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.error, outcome.answer) == ("failed", code, "half an ans")
    assert scope.events("text")[0].content == "half an ans"
    model = bench.script(Turn("fine again"))
    assert (await bench.agent()(bench.scope("go on", run="00000000000000000000000002"))).status == "done"
    said = [message.text for message in model.requests[0].messages if isinstance(message, AssistantMessage)]
    assert said == ["half an ans"]


async def test_a_failure_before_any_word_leaves_no_empty_message(bench: Bench) -> None:
    bench.script(Turn(fails=Unavailable()))
    outcome = await bench.agent()(bench.scope())
    assert (outcome.status, outcome.answer) == ("failed", "")
    bench.script(Turn("fine"))
    assert (await bench.agent()(bench.scope(run="00000000000000000000000002"))).status == "done"


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000\n", "\u200b\ufeff"])
async def test_an_answer_without_words_is_a_failure(bench: Bench, text: str) -> None:
    bench.script(Turn(text))
    outcome = await bench.agent()(bench.scope())
    assert (outcome.status, outcome.error, outcome.answer) == ("failed", "model_empty", "")
    model = bench.script(Turn("fine"))
    assert (await bench.agent()(bench.scope(run="00000000000000000000000002"))).status == "done"
    assert not [each for each in model.requests[0].messages if isinstance(each, AssistantMessage)]


async def test_what_another_model_begins_anew_replaces_the_text(bench: Bench) -> None:
    bench.script(Turn("whole", discarded="hal"))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert outcome.answer == "whole"
    live = [(event.opr, event.content) for event in scope.shown if event.type == "text"]
    assert live == [("update", "hal"), ("replace", ""), ("update", "whole"), ("replace", "whole")]


async def test_the_next_question_sees_the_last_answer(bench: Bench) -> None:
    bench.script(Turn("forty-two"))
    await bench.agent()(bench.scope("what is it?"))
    model = bench.script(Turn("as I said"))
    await bench.agent()(bench.scope("and again?", run="00000000000000000000000002"))
    said = [message.text for message in model.requests[0].messages[1:]]
    assert said == ["what is it?", "forty-two", "and again?"]
    people = [(each.by, each.name) for each in model.requests[0].messages if isinstance(each, UserMessage)]
    assert people == [("u1", "Ann")] * 2


async def test_a_retry_reads_its_question_once_and_nothing_of_the_failed_attempt(bench: Bench) -> None:
    bench.script(Turn("Hi Ann."))
    await bench.agent()(bench.scope("hello", run="r0"))
    bench.script(Turn("Look:", calls=[call("project_scan")]), Turn("half an ans", fails=CutOff()))
    first = bench.scope("question", run="r1")
    assert (await bench.agent()(first)).status == "failed"
    model = bench.script(Turn("whole"), repeats=True)
    again = first.input.model_copy(update={"task": "r1", "attempt_index": 2})
    await bench.agent()(MemoryScope(again, bench.clock, run="r2", database=bench.database))
    await bench.agent()(bench.scope("next", run="r3"))
    read = [[message.text for message in request.messages[1:]] for request in model.requests]
    assert read == [["hello", "Hi Ann.", "question"], ["hello", "Hi Ann.", "question", "whole", "next"]]


async def test_after_idle_hours_a_new_session_begins(bench: Bench) -> None:
    model = bench.script(Turn("one"), Turn("two"), Turn("three"))
    for n, (text, hours) in enumerate([("first", 0), ("second", 12), ("third", 12.1)]):
        await bench.clock.advance(hours * 3600)
        await bench.agent()(bench.scope(text, run=f"{n:026}"))
    asked = [[each.text for each in request.messages[1:]] for request in model.requests]
    assert asked == [["first"], ["first", "one", "second"], ["third"]]
