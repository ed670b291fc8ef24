"""Checks a card's objects against the schema: unknown properties, tags and values are errors."""

from __future__ import annotations

from typing import Any, cast

from channels.simulators.feishu.schema import (
    BUTTON_TYPES,
    CARD,
    COLUMN_TYPES,
    COMPONENTS,
    GONE_TAGS,
    ICON_TAGS,
    TEMPLATES,
    TEXT_TAGS,
)
from channels.simulators.jsons import Json, as_object

UNPARSABLE = 200621
TAG_GONE = 200861
MAX_LABEL_CHARS = 100


class ShapeError(Exception):
    """Something in the card is not in the schema."""

    def __init__(self, path: str, reason: str, sub_code: int = UNPARSABLE) -> None:
        self.sub_code = sub_code
        super().__init__(f"parse card json err, {reason}, path: {path}")


def check_shape(node: object, shape: str, path: str = "ROOT") -> None:
    """Refuse an object that is not of this shape of the schema.

    Raises:
        ShapeError: what is wrong, and where.
    """
    found = as_object(node)
    if found is None:
        raise ShapeError(path, f"not an object of kind {shape}")
    _check_object(found, CARD[shape], path)
    _VALUES.get(shape, _anything)(found, path)


def _check_object(node: Json, shape: dict[str, str], path: str) -> None:
    for key, value in node.items():
        if key not in shape:
            raise ShapeError(f"{path}.{key}", f"unknown property {key!r}")
        _check_value(value, shape[key], f"{path}.{key}")


def _check_value(value: Any, kind: str, path: str) -> None:
    if not kind:
        return
    if kind == "text":
        _check_tagged(value, "text", TEXT_TAGS, path)
    elif kind == "icon":
        _check_tagged(value, "icon", ICON_TAGS, path)
    elif kind == "parts":
        for at, part in enumerate(_list(value, path)):
            _check_component(part, f"{path}[{at}]")
    elif kind.startswith("["):
        for at, part in enumerate(_list(value, path)):
            check_shape(part, kind[1:-1], f"{path}[{at}]")
    else:
        check_shape(value, kind[1:-1], path)


def _check_tagged(value: object, shape: str, tags: tuple[str, ...], path: str) -> None:
    found = as_object(value)
    if found is None or found.get("tag") not in tags:
        raise ShapeError(path, f"tag must be one of {', '.join(tags)}")
    check_shape(found, shape, path)
    if shape == "text" and not isinstance(found.get("content"), str):
        raise ShapeError(path, "content must be a string")


def _check_component(value: object, path: str) -> None:
    found = as_object(value) or {}
    tag = found.get("tag")
    if tag in GONE_TAGS:
        raise ShapeError(path, f"tag {tag} is no longer supported in schema 2.0", TAG_GONE)
    if tag not in COMPONENTS:
        raise ShapeError(path, f"unknown tag {tag!r}")
    _check_object(found, COMPONENTS[str(tag)], path)
    _VALUES.get(str(tag), _anything)(found, path)


def _list(value: object, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise ShapeError(path, "not a list")
    return cast("list[Any]", value)


def _anything(node: Json, path: str) -> None:
    del node, path


def _check_markdown(node: Json, path: str) -> None:
    if not isinstance(node.get("content"), str):
        raise ShapeError(path, "content must be a string")


def _check_header(node: Json, path: str) -> None:
    if node.get("template", "default") not in TEMPLATES:
        raise ShapeError(f"{path}.template", "unknown template")


def _check_button(node: Json, path: str) -> None:
    if node.get("type", "default") not in BUTTON_TYPES:
        raise ShapeError(f"{path}.type", "unknown type")
    if len(str((as_object(node.get("text")) or {}).get("content", ""))) > MAX_LABEL_CHARS:
        raise ShapeError(f"{path}.text", "longer than 100 characters")


def _check_input(node: Json, path: str) -> None:
    if len(str((as_object(node.get("placeholder")) or {}).get("content", ""))) > MAX_LABEL_CHARS:
        raise ShapeError(f"{path}.placeholder", "longer than 100 characters")
    if not 1 <= int(node.get("max_length", 1000)) <= 1000:
        raise ShapeError(f"{path}.max_length", "not within 1..1000")


def _check_table(node: Json, path: str) -> None:
    if not 1 <= int(node.get("page_size", 5)) <= 10:
        raise ShapeError(f"{path}.page_size", "not within 1..10")
    for name in ("columns", "rows"):
        _list(node.get(name), f"{path}.{name}")


def _check_column(node: Json, path: str) -> None:
    if not node.get("name") or node.get("data_type", "text") not in COLUMN_TYPES:
        raise ShapeError(path, "name or data_type")


def _check_panel(node: Json, path: str) -> None:
    if "header" not in node:
        raise ShapeError(path, "header is required")


def _check_behavior(node: Json, path: str) -> None:
    kind = node.get("type")
    if kind not in ("callback", "open_url", "form_action"):
        raise ShapeError(f"{path}.type", "unknown type")
    if kind == "callback" and not isinstance(node.get("value", {}), (dict, str)):
        raise ShapeError(f"{path}.value", "neither object nor string")


_VALUES = {
    "markdown": _check_markdown,
    "header": _check_header,
    "button": _check_button,
    "input": _check_input,
    "table": _check_table,
    "table_column": _check_column,
    "collapsible_panel": _check_panel,
    "behavior": _check_behavior,
}
