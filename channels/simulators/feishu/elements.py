"""Card trees: finding, replacing and counting elements. A tree is never changed in place, only copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from channels.simulators.jsons import Json, as_object

Change = Callable[[Json], list[Json]]


def walk(node: object) -> Iterator[Json]:
    """Give every object with a `tag`, parents before children."""
    found = as_object(node)
    if found is not None:
        if isinstance(found.get("tag"), str):
            yield found
        for key, value in found.items():
            if key not in OPAQUE:
                yield from walk(value)
    elif isinstance(node, list):
        for item in cast("list[Any]", node):
            yield from walk(item)


OPAQUE = frozenset({"value", "chart_spec", "rows", "behaviors"})
"""Properties whose insides are the app's own data, not card elements."""


def find(tree: Json, element_id: str) -> Json | None:
    """Give the element with this id."""
    return next((element for element in walk(tree) if element.get("element_id") == element_id), None)


def edit(tree: Json, element_id: str, change: Change) -> Json | None:
    """Give the tree with one element exchanged for what `change` makes of it; None when there is no such element."""
    new = _edit(tree, element_id, change)
    return None if new is tree else cast("Json", new)


def _edit(node: Any, element_id: str, change: Change) -> Any:
    if isinstance(node, dict):
        return _edit_object(cast("Json", node), element_id, change)
    if isinstance(node, list):
        return _edit_list(cast("list[Any]", node), element_id, change)
    return node


def _edit_object(node: Json, element_id: str, change: Change) -> Json:
    for key, value in node.items():
        if key in OPAQUE or not isinstance(value, (dict, list)):
            continue
        inner = as_object(cast("object", value))
        if inner is not None and inner.get("element_id") == element_id and "tag" in inner:
            return {**node, key: change(inner)[0]}
        new = _edit(value, element_id, change)
        if new is not value:
            return {**node, key: new}
    return node


def _edit_list(node: list[Any], element_id: str, change: Change) -> list[Any]:
    for at, item in enumerate(node):
        inner = as_object(item)
        if inner is not None and inner.get("element_id") == element_id:
            return [*node[:at], *change(inner), *node[at + 1 :]]
        new = _edit(item, element_id, change)
        if new is not item:
            return [*node[:at], new, *node[at + 1 :]]
    return node


def append(tree: Json, elements: list[Json]) -> Json:
    """Give the tree with elements added at the end of its body."""
    body = as_object(tree.get("body")) or {}
    return {**tree, "body": {**body, "elements": [*body.get("elements", []), *elements]}}


def config(tree: Json) -> Json:
    """Give the card's `config`, empty when it has none."""
    return as_object(tree.get("config")) or {}


def with_config(tree: Json, changes: Json) -> Json:
    """Give the tree with parts of its `config` replaced."""
    return {**tree, "config": {**config(tree), **changes}}


def is_streaming(tree: Json) -> bool:
    """Tell whether the card says it streams."""
    return config(tree).get("streaming_mode") is True


def summary(tree: Json) -> str:
    """Give the preview shown in the chat list; streaming cards have a default."""
    given = (as_object(config(tree).get("summary")) or {}).get("content")
    if isinstance(given, str) and given:
        return given
    return "[generating...]" if is_streaming(tree) else ""
