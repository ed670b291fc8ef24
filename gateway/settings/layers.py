"""Reading one source of settings into a flat layer: path of a setting -> value and where it came from."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, Literal, cast

from gateway.errors import ConfigInvalid, together
from gateway.settings.schema import ROOT, Leaf, Path, Table, dotted, is_id, is_item, unknown

Origin = Literal["default", "file", "environment", "command line", "database"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A value, which kind of source it came from, and which one exactly (a file, a variable)."""

    value: Any
    origin: Origin
    source: str

    def __repr__(self) -> str:
        return f"Entry({self.origin}: {self.source})"


Layer = dict[Path, Entry]


def read_file(file: File, origin: Origin) -> Layer:
    """Read a TOML file.

    Raises:
        ConfigInvalid: it cannot be read, is not TOML, or holds a key or table that does not exist.
    """
    source = file.name if origin == "default" else str(file)
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"cannot be read: {error}", path="", source=source) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigInvalid(f"is not TOML: {error}", path="", source=source) from error
    return {path: Entry(value, origin, source) for path, value in flatten(tree, ROOT, (), source)}


def flatten(value: Any, node: Leaf | Table, path: Path, source: str) -> Iterator[tuple[Path, Any]]:
    """Give every setting in `value`, which stands at `path`; an item table is also given itself, as an empty table."""
    if isinstance(node, Leaf):
        if isinstance(value, dict):
            raise ConfigInvalid("is one value, not a table", path=dotted(path), source=source)
        yield path, value
        return
    if node.listed:
        value = _by_id(value, path, source)
    if not isinstance(value, dict):
        if is_item(path):
            # `defalt = "main"` in a table of tables is more likely a misspelled key than a table without its brackets.
            raise unknown(path, source=source)
        raise ConfigInvalid("is a table, not one value", path=dotted(path), source=source)
    problems: list[ConfigInvalid] = []
    for key, below in cast(dict[str, Any], value).items():
        try:
            child = _child(node, (*path, key), source)
            if child is node.items:
                yield (*path, key), {}
            yield from flatten(below, child, (*path, key), source)
        except ConfigInvalid as problem:
            problems.append(problem)
    if problems:
        raise together(problems)


def _child(node: Table, path: Path, source: str) -> Leaf | Table:
    child = node.child(path[-1])
    if child is not None:
        return child
    if node.items is not None and not is_id(path[-1]):
        raise ConfigInvalid(
            "is no name: lower-case letters and digits, parts joined by single '_'", path=dotted(path), source=source
        )
    raise unknown(path, source=source)


def _by_id(value: Any, path: Path, source: str) -> dict[str, Any]:
    """Turn a list of tables into a table of tables."""
    if not isinstance(value, list):
        raise ConfigInvalid(f"is a list of tables: write [[{dotted(path)}]]", path=dotted(path), source=source)
    named: dict[str, Any] = {}
    for item in cast(list[Any], value):
        name: Any = cast(dict[str, Any], item).get("id") if isinstance(item, dict) else None
        if not isinstance(name, str) or not is_id(name):
            fix = 'give each table an id like id = "main"'
            raise ConfigInvalid(
                "needs an id: lower-case letters and digits, parts joined by single '_'",
                path=dotted(path),
                fix=fix,
                source=source,
            )
        if name in named:
            raise ConfigInvalid(f"has two tables with the id {name!r}", path=dotted(path), source=source)
        named[name] = item
    return named


def merge(*layers: Layer) -> Layer:
    """Lay the layers over each other, the strongest last. A list is replaced whole, tables merge key by key."""
    merged: Layer = {}
    for layer in layers:
        merged |= layer
    return merged
