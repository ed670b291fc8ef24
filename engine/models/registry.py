"""From settings to models."""

from __future__ import annotations

import logging

from engine.errors import SettingsInvalid
from engine.models.base import Model
from engine.models.demo import DemoModel
from engine.ports import Clock
from engine.settings import EngineSettings, ModelSettings

log = logging.getLogger(__name__)


class ModelRegistry:
    """Gives one model object per name, made on first need."""

    def __init__(self, settings: EngineSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._models: dict[str, Model] = {}

    def get(self, name: str | None = None) -> Model:
        """Give the model of this name; the default when `name` is `None` or not in the settings any more.

        Raises:
            SettingsInvalid: its settings make no sense.
        """
        known = name if name in self._settings.models else self._settings.default_model
        if name is not None and known != name:
            log.warning("unknown model, using the default", extra={"model": name})
        if known not in self._models:
            self._models[known] = self._make(known, self._settings.models[known])
        return self._models[known]

    async def aclose(self) -> None:
        """Release all connections."""
        models, self._models = list(self._models.values()), {}
        for model in models:
            await model.aclose()

    def _make(self, name: str, settings: ModelSettings) -> Model:
        if settings.model == "demo/offline":
            return DemoModel(name, self._clock, speed=self._settings.demo_speed)
        raise SettingsInvalid(f"model {name!r}: {settings.model!r} has no transport")
