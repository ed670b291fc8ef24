from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.errors import ToolRetry
from engine.events import RunEvent
from engine.testing.scope import MemoryScope
from engine.testing.scripted import ScriptedModel, Turn, call
from engine.tools.ask_user import AskUser, chosen, question_of
from tests.unit.engine.agent.conftest import Bench, until

ASKED = {"question": "Which city?", "options": ["Paris", "Rome"]}


def script(bench: Bench, args: dict[str, Any] | None = None) -> ScriptedModel:
    bench.tools.append(AskUser())
    return bench.script(Turn("I ask.", calls=[call("ask_user", args or ASKED)]), Turn("ok"))


async def asked(scope: MemoryScope) -> dict[str, Any]:
    def pending() -> RunEvent | None:
        return next((each for each in scope.events("choice") if each.status == "in_progress"), None)

    content = (await until(pending)).content
    assert isinstance(content, dict)
    return content


async def test_the_answer_is_what_the_tool_gives(bench: Bench) -> None:
    model = script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    question = await asked(scope)
    assert question | {"id": ""} == {
        "id": "",
        "code": "question",
        "for": "u1",
        "deadline_ms": bench.clock.now_ms() + 3_600_000,
        "question": "Which city?",
        "options": ["Paris", "Rome"],
        "takes_words": True,
        "hint": "",
        "state": "pending",
    }
    scope.answer(question["id"], "choose", choice="Rome", name="Ann")
    assert (await asyncio.wait_for(task, 5)).answer == "ok"
    closed = scope.events("choice")[-1]
    assert isinstance(closed.content, dict)
    assert (closed.status, closed.content["state"], closed.content["answer"]) == ("success", "answered", "Rome")
    assert closed.segment == scope.events("choice")[0].segment
    assert "The person answered: Rome" in model.requests[1].messages[-1].text
    # The question says it all: no panel repeats it.
    assert scope.events("tool") == []


async def test_only_the_person_who_asked_answers_and_only_this_question(bench: Bench) -> None:
    script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    question = await asked(scope)
    scope.answer(question["id"], "choose", by="u2", choice="Paris")
    scope.answer("another", "choose", choice="Paris")
    scope.answer(question["id"], "approve")
    await asyncio.sleep(0.01)
    assert not task.done()
    scope.answer(question["id"], "choose", choice="Rome")
    await asyncio.wait_for(task, 5)
    assert scope.events("choice")[-1].content["answer"] == "Rome"  # type: ignore[index]


async def test_nobody_answers_in_time(bench: Bench) -> None:
    model = script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    await asked(scope)
    await bench.clock.advance(3_601)
    assert (await asyncio.wait_for(task, 5)).status == "done"
    assert scope.events("choice")[-1].content["state"] == "expired"  # type: ignore[index]
    assert "Nobody answered in time" in model.requests[1].messages[-1].text


async def test_a_stop_ends_the_wait(bench: Bench) -> None:
    model = script(bench)
    scope = bench.scope()
    task = bench.start(scope)
    await asked(scope)
    scope.stop()
    assert (await asyncio.wait_for(task, 5)).status == "stopped"
    assert scope.events("choice")[-1].content["state"] == "stopped"  # type: ignore[index]
    assert len(model.requests) == 1


async def test_a_restart_asks_nothing_twice(bench: Bench) -> None:
    script(bench)
    first = bench.scope()
    task = bench.start(first)
    question = await asked(first)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    model = bench.script(Turn("ok"))
    second = first.resume()
    task = bench.start(second)
    second.answer(question["id"], "choose", choice="Rome")
    assert (await asyncio.wait_for(task, 5)).answer == "ok"
    pending = [each for each in second.events("choice") if each.status == "in_progress"]
    assert len(pending) == 1
    third = second.resume()
    bench.script()
    assert (await asyncio.wait_for(bench.start(third), 5)).answer == "ok"
    assert "Rome" in model.requests[0].messages[-1].text


async def test_two_questions_of_a_round_come_one_after_the_other(bench: Bench) -> None:
    bench.tools.append(AskUser())
    calls = [call("ask_user", {"question": "First?"}), call("ask_user", {"question": "Second?"})]
    bench.script(Turn("I ask.", calls=calls), Turn("ok"))
    scope = bench.scope()
    task = bench.start(scope)
    question = await asked(scope)
    await asyncio.sleep(0.01)
    assert len(scope.events("choice")) == 1
    scope.answer(question["id"], "choose", choice="one")
    second = await until(lambda: scope.events("choice")[2:])
    scope.answer(second[0].content["id"], "choose", choice="two")
    await asyncio.wait_for(task, 5)
    answers = [each.content["answer"] for each in scope.events("choice") if each.status == "success"]  # type: ignore[index]
    assert answers == ["one", "two"]


async def test_a_question_that_makes_no_sense_is_told_to_the_model(bench: Bench) -> None:
    model = script(bench, {"question": "Which?", "options": ["a", "A"]})
    scope = bench.scope()
    assert (await asyncio.wait_for(bench.start(scope), 5)).answer == "ok"
    assert scope.events("choice") == []
    assert "options: each must have words of its own" in model.requests[1].messages[-1].text


async def test_questions_use_up_no_rounds(bench: Bench) -> None:
    bench.tools.append(AskUser())
    turns = [Turn("", calls=[call("ask_user", {"question": f"Question {n}?"})]) for n in range(6)]
    bench.script(*turns, Turn("ok"))
    scope = bench.scope()
    task = bench.start(scope)
    for n in range(6):
        found = await until(lambda n=n: scope.events("choice")[2 * n :])
        scope.answer(found[0].content["id"], "choose", choice=f"answer {n}")
    assert (await asyncio.wait_for(task, 5)).answer == "ok"
    assert scope.events("notice") == []


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"question": "  "}, "empty"),
        ({"question": "x", "options": [str(n) for n in range(7)]}, "at most 6"),
        ({"question": "x", "options": ["a", " "]}, "words of its own"),
        ({"question": "x", "options": ["a" * 61]}, "at most 60"),
    ],
)
def test_what_no_card_can_show_is_refused(args: dict[str, Any], reason: str) -> None:
    with pytest.raises(ToolRetry, match=reason):
        question_of(args)


def test_without_answers_to_choose_from_words_are_taken() -> None:
    assert question_of({"question": "x", "free_text": False}).takes_words


def test_an_answer_is_known_by_its_number_and_its_words() -> None:
    options = ("Paris", "New York")
    assert [chosen(options, words) for words in ("1", "2.", " new  york", "Rome", "3", "0")] == [
        0,
        1,
        1,
        None,
        None,
        None,
    ]
