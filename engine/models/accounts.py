"""Which provider a model belongs to, and whether that provider's key is for it."""

from __future__ import annotations

from engine.settings import ModelSettings

OPENAI_BASE = "https://api.openai.com/v1"


def provider_of(settings: ModelSettings) -> str:
    """Give the provider: `provider`, or the prefix of `model` before the first `/`."""
    return settings.provider or settings.model.partition("/")[0]


def takes_providers_key(settings: ModelSettings, provider_base: str | None) -> bool:
    """Tell whether the model has no key of its own and is at its provider's address, the only one that key goes to."""
    if settings.api_key:
        return False
    usual = provider_base or (OPENAI_BASE if provider_of(settings) == "openai" else "")
    return not settings.api_base or settings.api_base.rstrip("/") == usual.rstrip("/")
