from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SettingsInvalid
from engine.models.catalog import read_facts
from engine.models.demo import DemoModel
from engine.models.fallback import FallbackModel
from engine.models.litellm_loader import is_loaded
from engine.models.registry import ModelRegistry, _endpoint
from engine.settings import EngineSettings, ModelSettings, ProviderSettings
from gateway.clock import FakeClock


def settings(**models: ModelSettings) -> EngineSettings:
    return EngineSettings(home=Path("/nowhere"), models=models, default_model=next(iter(models)))


def kinds(registry: ModelRegistry, name: str) -> list[str]:
    model = registry.get(name)
    if isinstance(model, FallbackModel):
        return [type(each).__name__ for each in model._models]
    return [type(model).__name__]


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (ModelSettings(model="demo/offline"), "DemoModel"),
        (ModelSettings(model="openai/gpt-4o-mini"), "OpenAICompatibleModel"),
        (ModelSettings(model="deepseek/deepseek-chat", api_base="http://127.0.0.1:1/v1"), "OpenAICompatibleModel"),
        (ModelSettings(model="anthropic/claude-sonnet-4"), "LitellmModel"),
        (ModelSettings(model="glm-4", provider="zhipu", api_base="http://127.0.0.1:1/v1"), "OpenAICompatibleModel"),
    ],
)
def test_the_transport_follows_from_the_settings(clock: FakeClock, model: ModelSettings, kind: str) -> None:
    was_loaded = is_loaded()
    assert kinds(ModelRegistry(settings(main=model), clock), "main") == [kind]
    assert is_loaded() == was_loaded


def test_a_provider_gives_key_and_base(clock: FakeClock) -> None:
    given = settings(main=ModelSettings(model="mine/big/one"))
    given = given.model_copy(
        update={"providers": {"mine": ProviderSettings(api_key="k", api_base="http://127.0.0.1:1/v1")}}
    )
    model = ModelRegistry(given, clock).get()
    assert isinstance(model, FallbackModel)
    endpoint = model._models[0]._endpoint  # type: ignore[attr-defined]
    assert (endpoint.model, endpoint.api_key, endpoint.api_base) == ("big/one", "k", "http://127.0.0.1:1/v1")


def test_the_name_the_endpoint_is_asked_for() -> None:
    assert _endpoint(ModelSettings(model="openai/gpt-4o"), "", "").model == "gpt-4o"
    assert _endpoint(ModelSettings(model="qwen/qwen3-8b", provider="openrouter"), "", "x").model == "qwen/qwen3-8b"
    assert ModelSettings(model="a/b", provider="c").provider_name == "c"


def test_an_unknown_name_gives_the_default(clock: FakeClock) -> None:
    registry = ModelRegistry(settings(main=ModelSettings(model="demo/offline")), clock)
    assert isinstance(registry.get("gone"), DemoModel)
    assert registry.get("gone") is registry.get()


@pytest.mark.parametrize(
    ("models", "code"),
    [
        (
            {"main": ModelSettings(model="openai/x", fallbacks=("demo",)), "demo": ModelSettings(model="demo/offline")},
            "fallback_demo",
        ),
        ({"main": ModelSettings(model="openai/x", fallbacks=("gone",))}, "fallback_unknown"),
        ({"main": ModelSettings(model="openai/x", fallbacks=("main",))}, "fallback_unknown"),
        ({"main": ModelSettings(model="demo/other")}, "model_unknown"),
    ],
)
def test_settings_that_make_no_sense(clock: FakeClock, models: dict[str, ModelSettings], code: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        ModelRegistry(settings(**models), clock)
    assert caught.value.code == code


def test_a_default_that_is_not_there(clock: FakeClock) -> None:
    given = settings(main=ModelSettings(model="demo/offline")).model_copy(update={"default_model": "default"})
    with pytest.raises(SettingsInvalid):
        ModelRegistry(given, clock)


def test_known_models_have_prices_without_importing_litellm() -> None:
    was_loaded = is_loaded()
    facts = read_facts(ModelSettings(model="openai/gpt-4o-mini"))
    assert facts.input_price is not None
    assert facts.input_price > 0
    assert facts.context_tokens is not None
    assert is_loaded() == was_loaded
    own = read_facts(ModelSettings(model="openai/gpt-4o-mini", input_price=9.0))
    assert (own.input_price, own.output_price) == (9.0, facts.output_price)
    assert read_facts(ModelSettings(model="openai/unheard-of")).input_price is None
    assert read_facts(ModelSettings(model="openai/unheard-of")).reliable_tools
    assert not read_facts(ModelSettings(model="openai/gpt-4o-mini", reliable_tools=False)).reliable_tools
