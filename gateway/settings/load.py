"""Reading settings: defaults < the user's file < environment < command line, and the database below the file."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path as File
from typing import Any

from gateway.errors import ConfigInvalid
from gateway.paths import USER_FILE, config_folder
from gateway.settings.environment import parse, read_environment, read_overrides
from gateway.settings.layers import Layer, merge, read_file
from gateway.settings.loaded import Settings
from gateway.settings.reference import is_reference, is_secret

logger = logging.getLogger(__name__)
_FILE_ONLY = frozenset({"server", "database", "runs", "cards", "access", "channels"})
"""Sections that are read before the database is open."""


def load_settings(
    home: File,
    config: File | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    user_file: bool = True,
) -> Settings:
    """Read and check all settings.

    Args:
        home: the data folder; its `niuma.toml` is read when it is there.
        config: another file instead of that one; it must exist.
        environ: variables; the process's own when `None`.
        overrides: from the command line, dotted path -> value; texts are read like variables.
        user_file: false reads no user's file at all (`niuma demo`).

    Raises:
        ConfigInvalid: something cannot be used; names the setting, its source and the nearest key.
    """
    environ = os.environ if environ is None else environ
    chosen = _user_file(home, config) if user_file else None
    layer = merge(
        read_file(config_folder() / "default.toml", "default"),
        read_file(chosen, "file") if chosen else {},
        read_environment(environ),
        read_overrides(overrides or {}),
    )
    return Settings(layer, home=home, environ=environ, config=chosen)


def _user_file(home: File, config: File | None) -> File | None:
    if config is not None:
        if not config.is_file():
            raise ConfigInvalid("there is no such file", path="", source=str(config), fix="check --config")
        return config.absolute()
    own = home / USER_FILE
    return own if own.is_file() else None


def apply_overlay(settings: Settings, rows: Mapping[str, Any]) -> Settings:
    """Lay values from the database (dotted path -> value) under what files, environment and command line decide.

    A row is left out, with a line in the log, when it names no setting of this version, may only stand in a file
    (server, database), or holds a secret in plain text: a stored row must not keep the process from starting.

    Raises:
        ConfigInvalid: the values do not fit together.
    """
    overlay: Layer = {}
    for key, value in rows.items():
        try:
            overlay |= _row(key, value)
        except ConfigInvalid as error:
            logger.warning("stored_setting_left_out", extra={"setting": key, "reason": str(error)})
    free = {
        path: entry
        for path, entry in overlay.items()
        if path not in settings.layer or settings.layer[path].origin in ("default", "database")
    }
    return Settings(merge(settings.layer, free), home=settings.home, environ=settings.environ, config=settings.config)


def _row(key: str, value: Any) -> Layer:
    path = tuple(key.split("."))
    if path[0] in _FILE_ONLY:
        raise ConfigInvalid("may only stand in a file or the environment", path=key, source="database")
    if is_secret(path) and not is_reference(value):
        raise ConfigInvalid("holds a secret in plain text", path=key, source="database")
    return parse(path, value, "database", "database")
