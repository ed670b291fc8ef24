from __future__ import annotations

import asyncio

import pytest

from engine.errors import AuthFailed, BadOutput, ContextTooLong, CutOff, RateLimited, Refused, Unavailable
from engine.messages import TextPart, UserMessage
from engine.models.base import Completed, ModelFacts, ModelItem, ModelRequest, Restarted, TextDelta
from engine.models.fallback import FallbackModel
from engine.testing.scripted import ScriptedModel, Turn
from gateway.clock import FakeClock

REQUEST = ModelRequest([UserMessage(parts=(TextPart(text="hi"),))])


async def run(chain: FallbackModel, clock: FakeClock, *, seconds: float = 5.0) -> list[ModelItem]:
    async def collect() -> list[ModelItem]:
        return [item async for item in chain.stream(REQUEST)]

    task = asyncio.ensure_future(collect())
    await clock.advance(seconds)
    return await asyncio.wait_for(task, 2)


async def test_the_first_model_answers_alone(clock: FakeClock) -> None:
    first, second = ScriptedModel([Turn("hello")], name="a"), ScriptedModel([], name="b")
    items = await run(FallbackModel([first, second], clock), clock)
    assert [type(item) for item in items] == [TextDelta, Completed]
    assert second.requests == []


async def test_a_retryable_failure_is_tried_once_more_first(clock: FakeClock) -> None:
    first = ScriptedModel([Turn(fails=Unavailable()), Turn("hello")], name="a")
    items = await run(FallbackModel([first], clock), clock)
    assert isinstance(items[-1], Completed)
    assert items[-1].model == "a"
    assert len(first.requests) == 2


async def test_a_failure_in_mid_stream_is_taken_back(clock: FakeClock) -> None:
    first = ScriptedModel([Turn("hal", fails=CutOff()), Turn("half", fails=CutOff())], name="a")
    second = ScriptedModel([Turn("whole")], name="b")
    items = await run(FallbackModel([first, second], clock), clock)
    assert items[:-1] == [
        TextDelta("hal"),
        Restarted("a", "CutOff", failed="a", code="model_cut_off"),
        TextDelta("half"),
        Restarted("b", "CutOff", failed="a", code="model_cut_off"),
        TextDelta("whole"),
    ]


async def test_a_wrong_key_goes_on_without_a_second_try(clock: FakeClock) -> None:
    first = ScriptedModel([Turn(fails=AuthFailed())], name="a")
    second = ScriptedModel([Turn("ok")], name="b")
    items = await run(FallbackModel([first, second], clock), clock, seconds=0)
    assert isinstance(items[-1], Completed)
    assert items[-1].model == "b"


async def test_a_refusal_is_final(clock: FakeClock) -> None:
    first, second = ScriptedModel([Turn(fails=Refused())], name="a"), ScriptedModel([Turn("ok")], name="b")
    with pytest.raises(Refused):
        await run(FallbackModel([first, second], clock), clock)
    assert second.requests == []


async def test_a_long_wait_is_not_waited_for(clock: FakeClock) -> None:
    first = ScriptedModel([Turn(fails=RateLimited(retry_after_s=60.0))], name="a")
    second = ScriptedModel([Turn("ok")], name="b")
    items = await run(FallbackModel([first, second], clock), clock, seconds=0)
    assert isinstance(items[-1], Completed)


async def test_a_short_wait_is_kept(clock: FakeClock) -> None:
    first = ScriptedModel([Turn(fails=RateLimited(retry_after_s=3.0)), Turn("ok")], name="a")
    chain = FallbackModel([first], clock)

    async def collect() -> list[ModelItem]:
        return [item async for item in chain.stream(REQUEST)]

    task = asyncio.ensure_future(collect())
    await clock.advance(2.9)
    assert len(first.requests) == 1
    await clock.advance(0.2)
    await task
    assert len(first.requests) == 2


async def test_the_last_error_is_told(clock: FakeClock) -> None:
    models = [ScriptedModel([Turn(fails=AuthFailed("one"))]), ScriptedModel([Turn(fails=AuthFailed("two"))])]
    with pytest.raises(AuthFailed, match="two"):
        await run(FallbackModel(models, clock), clock)


class Known(ScriptedModel):
    def __init__(self, facts: ModelFacts) -> None:
        super().__init__([])
        self._facts = facts

    async def facts(self) -> ModelFacts:
        return self._facts


async def test_facts_hold_whichever_model_answers(clock: FakeClock) -> None:
    large = Known(ModelFacts(context_tokens=200_000, input_price=1.0, output_price=2.0))
    small = Known(ModelFacts(context_tokens=8_000, reliable_tools=False, input_price=9.0))
    facts = await FallbackModel([large, small, Known(ModelFacts())], clock).facts()
    assert facts == ModelFacts(context_tokens=8_000, reliable_tools=False, input_price=1.0, output_price=2.0)
    assert (await FallbackModel([Known(ModelFacts())], clock).facts()).context_tokens is None


@pytest.mark.parametrize("text", ["", " \n\t\u3000", "\u200b\ufeff\n"])
async def test_white_space_is_no_answer(clock: FakeClock, text: str) -> None:
    first = ScriptedModel([Turn(text), Turn(text)], name="a")
    second = ScriptedModel([Turn("words")], name="b")
    items = await run(FallbackModel([first, second], clock), clock)
    assert isinstance(items[-1], Completed)
    assert (items[-1].model, items[-1].message.text, len(first.requests)) == ("b", "words", 2)


async def test_an_empty_answer_of_the_only_model_has_its_own_code(clock: FakeClock) -> None:
    with pytest.raises(BadOutput) as caught:
        await run(FallbackModel([ScriptedModel([Turn(" ")], repeats=True)], clock), clock)
    assert caught.value.code == "model_empty"


async def test_what_a_shorter_request_would_mend_is_told_though_another_model_failed_later(clock: FakeClock) -> None:
    models = [ScriptedModel([Turn(fails=ContextTooLong())]), ScriptedModel([Turn(fails=AuthFailed())])]
    with pytest.raises(ContextTooLong):
        await run(FallbackModel(models, clock), clock)
