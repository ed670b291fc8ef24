"""`${VARIABLE}` and `file:` in values, looked up only when the part they belong to is used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path as File
from typing import Any

from gateway.errors import ConfigInvalid
from gateway.settings.layers import Entry, Layer
from gateway.settings.schema import Leaf, Path, dotted, leaf_at

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_FILE = "file:"


class Unset(ConfigInvalid):
    """A value refers to something that is not there."""


def resolve(path: Path, entry: Entry, environ: Mapping[str, str], folder: File) -> Any:
    """Give the value with its references replaced; `file:` paths are relative to `folder`.

    Raises:
        Unset: a variable is not set or empty, or a secret's file cannot be read.
    """
    value = entry.value
    if not isinstance(value, str):
        return value
    if is_secret(path) and value.startswith(_FILE):
        return _read(path, entry, folder / value.removeprefix(_FILE))

    def look_up(match: re.Match[str]) -> str:
        found = environ.get(match[1])
        if found:
            return found
        fix = f"set the variable {match[1]}"
        raise Unset(f"refers to {match[0]}, which is not set; {fix}", path=dotted(path), fix=fix, source=entry.source)

    return _VARIABLE.sub(look_up, value)


def _read(path: Path, entry: Entry, file: File) -> str:
    try:
        return file.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Unset(f"its file cannot be read: {error}", path=dotted(path), source=entry.source) from error


def is_secret(path: Path) -> bool:
    """Tell whether the setting at `path` must never be shown."""
    leaf = leaf_at(path)
    return isinstance(leaf, Leaf) and leaf.secret


def is_reference(value: Any) -> bool:
    """Tell whether a value names where a secret is, instead of being one."""
    return isinstance(value, str) and (value.startswith(_FILE) or _VARIABLE.fullmatch(value) is not None)


def under(layer: Layer, prefix: Path) -> Layer:
    """Give the part of a layer below `prefix`, the table itself included."""
    return {path: entry for path, entry in layer.items() if path[: len(prefix)] == prefix}
