"""Which models can be used: names that fit together, and keys that are there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from engine.settings import ModelSettings, ProviderSettings
from gateway.errors import ConfigInvalid
from gateway.settings.build import Builder
from gateway.settings.reference import Unset


class ModelTable:
    """The models and providers as written; keys are looked up for those in use only."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self.models = {
            name: builder.section(ModelSettings, ("models", name), builder.raw_fields(("models", name)))
            for name in builder.names(("models",))
        }
        self.providers = builder.names(("providers",))
        for name in self.providers:
            builder.section(ProviderSettings, ("providers", name), builder.raw_fields(("providers", name)))
        self.default = str(builder.raw(("models", "default")))
        self._check()

    def _check(self) -> None:
        self.require(self.default, path="models.default")
        for name, model in self.models.items():
            for other in model.fallbacks:
                self.require(other, path=f"models.{name}.fallbacks")
                if _is_demo(self.models[other]) and not _is_demo(model):
                    fix = "name a real model, or none"
                    message = "the demo model cannot stand in for a real one"
                    raise ConfigInvalid(message, path=f"models.{name}.fallbacks", fix=fix)

    def require(self, name: str, *, path: str) -> None:
        """Pass when a model of this name exists.

        Raises:
            ConfigInvalid: there is none; names the nearest.
        """
        if name in self.models:
            return
        near = difflib.get_close_matches(name, self.models, n=1)
        fix = f"did you mean {near[0]!r}?" if near else f"known models: {', '.join(self.models)}"
        raise ConfigInvalid(f"there is no model {name!r}; {fix}", path=path, fix=fix)

    def chain(self, name: str) -> list[str]:
        """Give the model and everything it may fall back to, each once."""
        found: list[str] = []
        waiting = [name]
        while waiting:
            current = waiting.pop(0)
            if current not in found:
                found.append(current)
                waiting += self.models[current].fallbacks
        return found

    def usable(self, needed: Iterable[str]) -> tuple[dict[str, ModelSettings], dict[str, ProviderSettings]]:
        """Give the models and providers whose references can be looked up.

        Raises:
            Unset: one of the `needed` models is not among them.
        """
        must = set(needed)
        models: dict[str, ModelSettings] = {}
        for name in self.models:
            try:
                models[name] = self._resolved(name)
            except Unset:
                if name in must:
                    raise
        return models, self._usable_providers()

    def missing(self) -> dict[str, str]:
        """Give the models that cannot be used now, and why."""
        reasons: dict[str, str] = {}
        for name in self.models:
            try:
                self._resolved(name)
            except Unset as error:
                reasons[name] = str(error)
        return reasons

    def _resolved(self, name: str) -> ModelSettings:
        table = ("models", name)
        model = self._builder.section(ModelSettings, table, self._builder.fields(table))
        if model.provider_name in self.providers and model.takes_providers_key(self._base_of(model.provider_name)):
            self._builder.fields(("providers", model.provider_name), lenient=True)
        return model

    def _base_of(self, provider: str) -> str | None:
        path = ("providers", provider, "api_base")
        return None if self._builder.raw(path) is None else str(self._builder.value(path))

    def _usable_providers(self) -> dict[str, ProviderSettings]:
        found: dict[str, ProviderSettings] = {}
        for name in self.providers:
            table = ("providers", name)
            try:
                found[name] = self._builder.section(ProviderSettings, table, self._builder.fields(table, lenient=True))
            except Unset:
                continue  # every model that needs it was refused or left out above, with this reason
        return found


def _is_demo(model: ModelSettings) -> bool:
    return model.provider_name == "demo"
