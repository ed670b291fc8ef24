"""Settings from the environment: `NIUMA_CARDS__REFRESH_MS=300`, and from the command line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from gateway.errors import ConfigInvalid
from gateway.settings.layers import Entry, Layer, Origin, flatten
from gateway.settings.schema import ROOT, Leaf, Path, Table, dotted, node_at, unknown

PREFIX = "NIUMA_"
_NOT_SETTINGS = "NIUMA_TEST_"


def is_setting(name: str) -> bool:
    """Tell whether a variable of this name is meant as a setting: `NIUMA_`, and `__` between its parts."""
    return name.startswith(PREFIX) and not name.startswith(_NOT_SETTINGS) and "__" in name.removeprefix(PREFIX)


def read_environment(environ: Mapping[str, str]) -> Layer:
    """Read every variable that names a setting.

    Raises:
        ConfigInvalid: a name is no setting, or a value is not of its kind.
    """
    layer: Layer = {}
    for name in sorted(filter(is_setting, environ)):
        path = tuple(name.removeprefix(PREFIX).lower().split("__"))
        layer |= parse(path, environ[name], "environment", name)
    return layer


def read_overrides(overrides: Mapping[str, Any]) -> Layer:
    """Read what the command line says: dotted path -> value; a text is read like a variable's."""
    layer: Layer = {}
    for key, value in overrides.items():
        layer |= parse(tuple(key.split(".")), value, "command line", "command line")
    return layer


def parse(path: Path, value: Any, origin: Origin, source: str) -> Layer:
    """Read one value for `path` and create the table it belongs to, where tables are named by id.

    Raises:
        ConfigInvalid: there is no such setting, or the value is not of its kind.
    """
    node = node_at(path, source=source)
    if isinstance(node, Table) and not node.listed:
        raise unknown(path, source=source)
    layer: Layer = {item: Entry({}, origin, source) for item in _items_above(path)}
    read = _read(node, value, path, source) if isinstance(value, str) else value
    return layer | {at: Entry(found, origin, source) for at, found in flatten(read, node, path, source)}


def _items_above(path: Path) -> Iterator[Path]:
    """Give the id-named tables that a setting at `path` lies in."""
    node: Leaf | Table | None = ROOT
    for depth, key in enumerate(path[:-1], 1):
        if not isinstance(node, Table):
            return
        if node.items is not None and key not in node.fields:
            yield path[:depth]
        node = node.child(key)


def _read(node: Leaf | Table, text: str, path: Path, source: str) -> Any:
    kind = node.kind if isinstance(node, Leaf) else "list"
    if kind == "text":
        return text
    try:
        value = json.loads(text) if kind == "list" else tomllib.loads(f"x = {text}")["x"]
    except ValueError:
        value = None
    wanted: dict[str, tuple[type, ...]] = {"list": (list,), "bool": (bool,), "int": (int,), "float": (int, float)}
    if isinstance(value, wanted[kind]) and isinstance(value, bool) == (kind == "bool"):
        return value
    raise ConfigInvalid(f"{text!r} is not {_WORDS[kind]}", path=dotted(path), fix=_WORDS[kind], source=source)


_WORDS = {
    "list": 'a JSON list, like ["a", "b"]',
    "bool": "true or false",
    "int": "a whole number, like 200",
    "float": "a number, like 2.5",
}
