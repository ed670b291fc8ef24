"""Which models people can choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.settings import EngineSettings


@dataclass(frozen=True, slots=True)
class Models:
    """`names` are the settings' names with what stands behind each; `default` is the one everybody uses."""

    names: Mapping[str, str]
    default: str


def models_of(settings: EngineSettings) -> Models:
    """Read the settings."""
    return Models({name: each.model for name, each in settings.models.items()}, settings.default_model)
