"""From settings to models."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from engine.errors import SettingsInvalid
from engine.models.base import Model
from engine.models.catalog import Prices
from engine.models.demo import DemoModel
from engine.models.fallback import FallbackModel
from engine.models.litellm_loader import is_loaded
from engine.models.litellm_model import LitellmModel, close_connections
from engine.models.pool import HttpPool
from engine.ports import Clock
from engine.settings import OPENAI_BASE, EngineSettings, ModelSettings, ProviderSettings

if TYPE_CHECKING:
    from engine.models.openai_compatible import Endpoint

log = logging.getLogger(__name__)
DEMO = "demo"


def is_demo(settings: ModelSettings) -> bool:
    """Tell whether this is the scripted offline model."""
    return settings.provider_name == DEMO


class ModelRegistry:
    """Gives one model object per name, made on first need, with its chain of fallbacks.

    Example:
        model = ModelRegistry(settings, clock).get("main")
    """

    def __init__(self, settings: EngineSettings, clock: Clock) -> None:
        """Take the settings.

        Raises:
            SettingsInvalid: the default or a fallback is not there, or makes no sense.
        """
        self._settings = settings
        self._clock = clock
        self._pool = HttpPool()
        self._models: dict[str, Model] = {}
        self._check()

    def get(self, name: str | None = None) -> Model:
        """Give the model of this name; the default when `name` is `None` or not in the settings any more."""
        known = name if name in self._settings.models else self._settings.default_model
        if name is not None and known != name:
            log.warning("unknown model, using the default", extra={"model": name})
        if known not in self._models:
            self._models[known] = self._chain(known)
        return self._models[known]

    async def aclose(self) -> None:
        """Release all connections."""
        models, self._models = list(self._models.values()), {}
        for model in models:
            await model.aclose()
        await self._pool.aclose()
        if is_loaded():
            await close_connections()

    def _check(self) -> None:
        known = self._settings.models
        if self._settings.default_model not in known:
            raise SettingsInvalid(
                f"the default model {self._settings.default_model!r} is not one of {sorted(known)!r}",
                code="model_unknown",
            )
        for name, settings in known.items():
            if is_demo(settings) and settings.model != "demo/offline":
                raise SettingsInvalid(f"model {name!r}: the demo model is called 'demo/offline'", code="model_unknown")
            for other in settings.fallbacks:
                self._check_fallback(name, settings, other)

    def _check_fallback(self, name: str, settings: ModelSettings, other: str) -> None:
        known = self._settings.models
        if other not in known or other == name:
            raise SettingsInvalid(f"model {name!r}: there is no fallback {other!r}", code="fallback_unknown")
        if is_demo(known[other]) and not is_demo(settings):
            raise SettingsInvalid(
                f"model {name!r}: the demo model {other!r} must not answer for a real one", code="fallback_demo"
            )

    def _chain(self, name: str) -> Model:
        settings = self._settings.models[name]
        if is_demo(settings):
            return self._single(name, settings)
        names = dict.fromkeys((name, *settings.fallbacks))
        return FallbackModel([self._single(each, self._settings.models[each]) for each in names], self._clock)

    def _single(self, name: str, settings: ModelSettings) -> Model:
        if is_demo(settings):
            return DemoModel(name, self._clock, speed=self._settings.demo_speed)
        account = self._settings.providers.get(settings.provider_name, ProviderSettings())
        key, base = _key(name, settings, account), settings.api_base or account.api_base or ""
        if base or settings.provider_name == "openai":
            from engine.models.openai_compatible import OpenAICompatibleModel

            endpoint = _endpoint(settings, key, base)
            return OpenAICompatibleModel(name, endpoint, self._pool, self._clock, Prices(settings))
        return LitellmModel(name, settings, Prices(settings), key=key)


def _key(name: str, settings: ModelSettings, account: ProviderSettings) -> str:
    """Give the model's own key, or its provider's, which goes to no other address than the provider's."""
    if settings.api_key or not account.api_key:
        return settings.api_key or ""
    if not settings.takes_providers_key(account.api_base):
        log.warning("model has an address of its own and no key; its provider's is not sent", extra={"model": name})
        return ""
    return account.api_key


def _endpoint(settings: ModelSettings, key: str, base: str) -> Endpoint:
    from engine.models.openai_compatible import Endpoint

    prefix, slash, rest = settings.model.partition("/")
    # Without `provider`, the part before the first slash is ours; with it, `model` is the endpoint's own name.
    own = rest if slash and settings.provider in (None, prefix) else settings.model
    return Endpoint(
        model=own,
        api_base=base or OPENAI_BASE,
        api_key=key,
        first_byte_s=settings.first_byte_s,
        stall_s=settings.stall_s,
        temperature=settings.temperature,
        max_output_tokens=settings.max_output_tokens,
    )
