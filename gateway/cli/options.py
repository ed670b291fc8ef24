"""The options every command shares, turned into settings."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gateway.errors import ConfigInvalid
from gateway.paths import data_folder
from gateway.settings import Settings, load_settings


def home_of(args: argparse.Namespace) -> Path:
    """Give the data folder chosen by `--home`, `NIUMA_HOME` or default."""
    return data_folder(getattr(args, "home", None))


def settings_of(args: argparse.Namespace, extra: dict[str, Any] | None = None) -> Settings:
    """Read the settings; `extra` are the command's own options as dotted path -> value.

    Raises:
        ConfigInvalid: something cannot be used.
    """
    config = getattr(args, "config", None)
    return load_settings(home_of(args), Path(config) if config else None, overrides=overrides_of(args) | (extra or {}))


def overrides_of(args: argparse.Namespace) -> dict[str, Any]:
    """Give what `--set` says.

    Raises:
        ConfigInvalid: one has no `=`.
    """
    pairs: dict[str, Any] = {}
    words: list[str] = getattr(args, "set", None) or []
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ConfigInvalid("write --set KEY=VALUE", path=key, source="--set")
        pairs[key.strip()] = value
    return pairs


def level_of(args: argparse.Namespace, default: str) -> str:
    """Give the least level that is logged, as logging writes it."""
    return str(getattr(args, "log_level", default)).upper()


def given(**options: Any) -> dict[str, Any]:
    """Give the options that were given, with dots for double underscores."""
    return {key.replace("__", "."): value for key, value in options.items() if value is not None}
