"""One suite for every model: demo, native transport and litellm, the last two against the same fake provider."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from llmock.scenarios import Fail, Reply, SlowFirstToken, StreamFault, ToolCall
from llmock.testing import LLMockServer

from engine.errors import AuthFailed, ContextTooLong, CutOff, ModelError, RateLimited, TimedOut, Unavailable
from engine.messages import Message, SystemMessage, TextPart, ToolMessage, UserMessage
from engine.models import litellm_loader
from engine.models.base import Completed, Model, ModelItem, ModelRequest, ReasoningDelta, TextDelta, ToolSchema
from engine.models.catalog import Prices
from engine.models.demo import DemoModel
from engine.models.litellm_model import LitellmModel, close_connections
from engine.models.openai_compatible import Endpoint, OpenAICompatibleModel
from engine.models.pool import HttpPool
from engine.settings import ModelSettings
from gateway.clock import SystemClock

pytestmark = [
    pytest.mark.timeout(240),  # the import of litellm alone takes many seconds on a busy machine
    # litellm's own dependencies, at import and in use; nothing of ours.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
]
WARM: set[str] = set()
SCAN = ToolSchema("project_scan", "Count files of the project", {"type": "object", "properties": {}})
PRICES = {"input_price": 1.0, "output_price": 1.0}


def patience(request: pytest.FixtureRequest) -> dict[str, float]:
    """Only who tests silence is impatient: a busy machine is silent for a while too."""
    seconds = 1.5 if "silence" in request.node.name else 20.0
    return {"first_byte_s": seconds, "stall_s": seconds}


@pytest.fixture(scope="module")
def server() -> Iterator[LLMockServer]:
    with LLMockServer() as server:
        yield server


@pytest.fixture(scope="module")
def litellm_loaded() -> None:
    litellm_loader._load()


@pytest.fixture(params=["demo", "native", "litellm_openai", "litellm_vllm"])
async def model(request: pytest.FixtureRequest, server: LLMockServer) -> AsyncIterator[Model]:
    server.state.reset()
    kind: str = request.param
    if kind == "demo":
        yield DemoModel("main", SystemClock(), speed=200)
        return
    if kind == "native":
        async for made in _native(server, patience(request)):
            yield made
        return
    request.getfixturevalue("litellm_loaded")
    prefix = {"litellm_openai": "openai", "litellm_vllm": "hosted_vllm"}[kind]
    settings = ModelSettings(model=f"{prefix}/gpt-4o-mini", **PRICES, **patience(request))  # type: ignore[arg-type]
    if kind not in WARM:
        WARM.add(kind)  # litellm's first call imports more than its timeouts here allow
        patient = ModelSettings(model=settings.model)
        await collect(LitellmModel("m", patient, Prices(patient), key="k", base=server.base_url("openai")), ask("hi"))
    yield LitellmModel("main", settings, Prices(settings), key="test", base=server.base_url("openai"))
    await close_connections()


async def _native(server: LLMockServer, patience: dict[str, float]) -> AsyncIterator[Model]:
    pool = HttpPool()
    endpoint = Endpoint("gpt-4o-mini", api_base=server.base_url("openai"), api_key="test", **patience)
    settings = ModelSettings(model="openai/gpt-4o-mini", **PRICES, **patience)  # type: ignore[arg-type]
    yield OpenAICompatibleModel("main", endpoint, pool, SystemClock(), Prices(settings))
    await pool.aclose()


def ask(text: str, *, tools: bool = False) -> ModelRequest:
    messages: list[Message] = [SystemMessage(text="Be brief."), UserMessage(parts=(TextPart(text=text),))]
    return ModelRequest(messages, tools=[SCAN] if tools else [])


async def collect(model: Model, request: ModelRequest) -> tuple[list[ModelItem], Completed]:
    items = [item async for item in model.stream(request)]
    done = items.pop()
    assert isinstance(done, Completed)
    assert not any(isinstance(item, Completed) for item in items)
    return items, done


def only_faulty(model: Model) -> None:
    if isinstance(model, DemoModel):
        pytest.skip("the demo model has no wire that could break")


async def test_deltas_add_up_to_the_message(model: Model, server: LLMockServer) -> None:
    server.state.scenarios.add(Reply(text="第一 one two three 😀 four"))
    items, done = await collect(model, ask("tell me something"))
    assert "".join(item.text for item in items if isinstance(item, TextDelta)) == done.message.text
    assert "".join(item.text for item in items if isinstance(item, ReasoningDelta)) == done.message.reasoning
    assert done.message.text
    assert done.finish == "stop"
    assert done.model == model.name == "main"


async def test_usage_is_told(model: Model, server: LLMockServer) -> None:
    server.state.scenarios.add(Reply(text="one two three"))
    _, done = await collect(model, ask("tell me something"))
    assert done.usage.input_tokens > 0
    assert done.usage.output_tokens > 0
    assert done.usage.cost is not None


async def test_facts_are_known(model: Model) -> None:
    facts = await model.facts()
    assert facts.reliable_tools
    assert facts.input_price is not None and facts.output_price is not None
    assert await model.facts() == facts


async def test_a_tool_call_comes_whole_and_its_result_is_taken(model: Model, server: LLMockServer) -> None:
    server.state.scenarios.add(Reply(tool_calls=(ToolCall("project_scan", {}),)), Reply(text="three files"))
    question = ask("scan the project", tools=True)
    _, first = await collect(model, question)
    assert [call.name for call in first.message.calls] == ["project_scan"]
    assert first.finish == "tool_calls"
    call = first.message.calls[0]
    assert call.id
    assert call.arguments == "{}"
    result = ToolMessage(call_id=call.id, name=call.name, text='{"total_files": 3}')
    after = ModelRequest([*question.messages, first.message, result], tools=[SCAN])
    _, second = await collect(model, after)
    assert second.message.text
    assert second.message.calls == ()


async def test_history_with_calls_may_go_without_tools(model: Model, server: LLMockServer) -> None:
    server.state.scenarios.add(Reply(tool_calls=(ToolCall("project_scan", {}),)), Reply(text="enough"))
    question = ask("scan the project", tools=True)
    _, first = await collect(model, question)
    result = ToolMessage(call_id=first.message.calls[0].id, name="project_scan", text="{}")
    _, last = await collect(model, ModelRequest([*question.messages, first.message, result]))
    assert last.message.text
    assert last.message.calls == ()


@pytest.mark.alone
async def test_closing_early_is_quick_and_quiet(model: Model, server: LLMockServer) -> None:
    server.state.scenarios.add(
        Reply(text="one two three four five"), StreamFault("stall", after_chunks=3, stall_seconds=5)
    )
    stream = model.stream(ask("a long answer"))
    assert isinstance(await anext(stream), TextDelta | ReasoningDelta)
    started = time.monotonic()
    await stream.aclose()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 1.0


async def test_a_failing_provider_is_unavailable(model: Model, server: LLMockServer) -> None:
    server.state.scenarios.add(Fail(500, times=None))
    with pytest.raises(Unavailable) as caught:
        await collect(model, ask("please fail"))
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fail(401), AuthFailed),
        (Fail(403), AuthFailed),
        (Fail(429, retry_after=3), RateLimited),
        (Fail(503), Unavailable),
        (Fail(413), ContextTooLong),
        (Fail(400, message="This model's maximum context length is 8", code="context_length_exceeded"), ContextTooLong),
    ],
    ids=["401", "403", "429", "503", "413", "context"],
)
async def test_refusals_have_their_kind(
    model: Model, server: LLMockServer, fault: Fail, kind: type[ModelError]
) -> None:
    only_faulty(model)
    server.state.scenarios.add(fault)
    with pytest.raises(kind) as caught:
        await collect(model, ask("hi"))
    if isinstance(caught.value, RateLimited):
        assert caught.value.retry_after_s == 3.0


@pytest.mark.parametrize("kind", ["disconnect", "truncate"])
async def test_a_broken_answer_is_cut_off(model: Model, server: LLMockServer, kind: str) -> None:
    only_faulty(model)
    server.state.scenarios.add(Reply(text="one two three four"), StreamFault(kind, after_chunks=3))  # type: ignore[arg-type]
    with pytest.raises(CutOff):
        await collect(model, ask("hi"))


@pytest.mark.parametrize("kind", ["disconnect", "truncate"])
async def test_half_a_call_is_never_given_out(model: Model, server: LLMockServer, kind: str) -> None:
    only_faulty(model)
    call = ToolCall("project_scan", {"path": "a rather long path so that it comes in pieces"})
    server.state.scenarios.add(Reply(tool_calls=(call,)), StreamFault(kind, after_chunks=3))  # type: ignore[arg-type]
    with pytest.raises(ModelError) as caught:
        await collect(model, ask("scan the project", tools=True))
    assert caught.value.retryable


async def test_silence_before_the_first_byte_ends(model: Model, server: LLMockServer) -> None:
    only_faulty(model)
    server.state.scenarios.add(Reply(text="late"), SlowFirstToken(4))
    with pytest.raises(TimedOut):
        await collect(model, ask("hi"))


async def test_silence_in_mid_stream_ends(model: Model, server: LLMockServer) -> None:
    only_faulty(model)
    server.state.scenarios.add(Reply(text="one two three four"), StreamFault("stall", after_chunks=3, stall_seconds=4))
    with pytest.raises(TimedOut):
        await collect(model, ask("hi"))


async def test_nobody_listens(model: Model, unused_tcp_port: int) -> None:
    only_faulty(model)
    base = f"http://127.0.0.1:{unused_tcp_port}/v1"
    if isinstance(model, LitellmModel):
        settings = model._settings
        away: Model = LitellmModel("main", settings, Prices(settings), key="test", base=base)
    else:
        assert isinstance(model, OpenAICompatibleModel)
        endpoint = Endpoint("m", api_base=base)
        away = OpenAICompatibleModel("main", endpoint, model._pool, SystemClock(), model._prices)
    with pytest.raises(Unavailable):
        await collect(away, ask("hi"))


def test_litellm_is_loaded_without_the_network_and_gc_is_back(litellm_loaded: None) -> None:
    import gc
    import os

    assert litellm_loader.is_loaded()
    assert gc.isenabled()
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert threading.current_thread() is threading.main_thread()
    assert Path(litellm_loader._loaded[0].__file__).parts[-2] == "litellm"
