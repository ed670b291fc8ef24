"""Which key goes to which address."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models.base import Completed, Model, ModelRequest
from engine.models.catalog import Prices
from engine.models.litellm_model import LitellmModel, close_connections
from engine.models.openai_compatible import Endpoint
from engine.models.registry import ModelRegistry
from engine.settings import EngineSettings, ModelSettings, ProviderSettings
from gateway.clock import SystemClock
from tests.unit.engine.models.conftest import DONE, Wire, chunk

ANSWER = [chunk({"content": "hi"}), chunk(finish="stop"), DONE]
OWN, PROVIDERS = "own-key", "providers-key"


def registry(model: ModelSettings, *, provider_base: str | None = None) -> ModelRegistry:
    provider = ProviderSettings(api_key=PROVIDERS, api_base=provider_base)
    settings = EngineSettings(
        home=Path("/nowhere"), models={"main": model}, default_model="main", providers={"openai": provider}
    )
    return ModelRegistry(settings, SystemClock())


async def answered(model: Model, request: ModelRequest) -> None:
    assert isinstance([item async for item in model.stream(request)][-1], Completed)


async def sent(models: ModelRegistry, wire: Wire, request: ModelRequest) -> str | None:
    """Ask, and give the key that arrived."""
    wire.scripts = [ANSWER]
    try:
        await answered(models.get(), request)
    finally:
        await models.aclose()
    return wire.headers[-1].get("Authorization")


async def test_a_foreign_address_does_not_get_the_providers_key(wire: Wire, request_: ModelRequest) -> None:
    models = registry(ModelSettings(model="openai/m1", api_base=wire.base))
    assert await sent(models, wire, request_) is None


async def test_a_foreign_address_beside_a_provider_with_its_own(wire: Wire, request_: ModelRequest) -> None:
    models = registry(ModelSettings(model="openai/m1", api_base=wire.base), provider_base="http://127.0.0.1:1/v1")
    assert await sent(models, wire, request_) is None


@pytest.mark.parametrize("written", ["", "{base}", "{base}/"])
async def test_the_providers_own_address_gets_its_key(wire: Wire, request_: ModelRequest, written: str) -> None:
    model = ModelSettings(model="openai/m1", api_base=written.format(base=wire.base) or None)
    assert await sent(registry(model, provider_base=wire.base), wire, request_) == f"Bearer {PROVIDERS}"


async def test_a_models_own_key_goes_to_its_own_address(wire: Wire, request_: ModelRequest) -> None:
    models = registry(ModelSettings(model="openai/m1", api_base=wire.base, api_key=OWN))
    assert await sent(models, wire, request_) == f"Bearer {OWN}"


def test_keys_are_not_shown() -> None:
    settings = EngineSettings(
        home=Path("/nowhere"),
        models={"main": ModelSettings(model="openai/m1", api_key=OWN)},
        providers={"openai": ProviderSettings(api_key=PROVIDERS)},
    )
    for shown in (repr(settings), str(settings), repr(Endpoint("m1", api_key=OWN))):
        assert "m1" in shown
        assert OWN not in shown and PROVIDERS not in shown


def test_the_usual_address_written_out_is_the_providers() -> None:
    model = registry(ModelSettings(model="openai/m1", api_base="https://api.openai.com/v1/")).get()
    assert model._models[0]._endpoint.api_key == PROVIDERS  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:pydantic")
@pytest.mark.timeout(120)  # litellm takes seconds to import
async def test_litellm_sends_no_key_of_the_environment_to_a_given_address(
    wire: Wire, request_: ModelRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", PROVIDERS)
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", PROVIDERS)
    wire.scripts = [ANSWER] * 2
    for name in ("openai/m1", "hosted_vllm/m1"):
        settings = ModelSettings(model=name)
        await answered(LitellmModel("main", settings, Prices(settings), base=wire.base), request_)
    await close_connections()
    assert len(wire.headers) == 2
    assert PROVIDERS not in str(wire.headers)
