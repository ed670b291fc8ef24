"""What a member reads: the plain text of messages and cards."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from channels.simulators.jsons import Json, as_object, as_objects, parse_object

NameOf: TypeAlias = Callable[[str], str]

_AT = re.compile(r"<at (?:id|user_id|email)=\"?([^\s\">]+)\"?>([^<]*)</at>")


def read_message(msg_type: str, content: str, mentions: list[Json], card: Json | None, name_of: NameOf = str) -> str:
    """Give a message's text, mentions by name; `name_of` names whom the text gives by id only."""
    if msg_type == "interactive":
        return read_card(card or {})
    body = parse_object(content) or {}
    if msg_type == "text":
        return name_mentions(str(body.get("text", "")), mentions, name_of)
    if msg_type == "post":
        return name_mentions(_read_post(body), mentions, name_of)
    name = str(body.get("file_name") or "")
    return f"[{msg_type}] {name}".rstrip()


def name_mentions(text: str, mentions: list[Json], name_of: NameOf = str) -> str:
    """Exchange placeholders such as `@_user_1` for names, the longest first."""
    for mention in sorted(mentions, key=lambda m: -len(str(m["key"]))):
        text = text.replace(str(mention["key"]), f"@{mention['name']}")
    return _AT.sub(lambda found: f"@{found[2] or name_of(found[1])}", text).replace("@_all", "@all")


def read_card(tree: Json) -> str:
    """Give the text of a card from top to bottom, one element a line; folded parts are included."""
    header = as_object(tree.get("header")) or {}
    lines = [_content(header.get("title")), _content(header.get("subtitle"))]
    body = as_object(tree.get("body")) or tree
    lines += _read_elements(body.get("elements"))
    return "\n".join(line for line in lines if line)


def _read_elements(elements: object) -> list[str]:
    lines: list[str] = []
    for element in as_objects(elements):
        lines += _read_element(element)
    return lines


def _read_element(element: Json) -> list[str]:
    tag = element.get("tag")
    if tag == "button":
        return [f"[{_content(element.get('text'))}]"]
    if tag == "table":
        return _read_table(element)
    if tag == "hr":
        return ["---"]
    if tag == "img":
        return [f"[image {_content(element.get('alt'))}]".replace(" ]", "]")]
    if tag == "input":
        return [f"[input {_content(element.get('placeholder'))}]"]
    return _read_texts(element)


def _read_texts(element: Json) -> list[str]:
    lines = [_content(element)] if element.get("tag") in ("markdown", "plain_text", "lark_md") else []
    header = as_object(element.get("header"))
    if header is not None:
        lines.append(_content(header.get("title")))
    lines.append(_content(element.get("text")))
    lines += [_content(field.get("text")) for field in as_objects(element.get("fields"))]
    for key in ("elements", "columns", "actions"):
        lines += _read_elements(element.get(key))
    return lines


def _read_table(element: Json) -> list[str]:
    columns = as_objects(element.get("columns"))
    names = [str(column.get("display_name") or column.get("name")) for column in columns]
    rows = [[_cell(row.get(str(column.get("name")))) for column in columns] for row in as_objects(element.get("rows"))]
    return [" | ".join(cells) for cells in (names, *rows)]


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_cell(as_object(item) or item) for item in cast("list[Any]", value))
    found = as_object(value)
    if found is not None:
        return str(found.get("text", ""))
    return "" if value is None else str(value)


def _content(text: object) -> str:
    found = as_object(text)
    return str(found.get("content", "")) if found is not None else ""


def _read_post(body: Json) -> str:
    locale = next((part for part in map(as_object, body.values()) if part is not None), body)
    rows = cast("list[Any]", locale.get("content") or [])
    lines = ["".join(_post_part(part) for part in as_objects(row)) for row in rows]
    return "\n".join(line for line in (str(locale.get("title", "")), *lines) if line)


def _post_part(part: Json) -> str:
    if part.get("tag") == "at":
        return f"@{part.get('user_name') or part.get('user_id', '')}"
    if part.get("tag") == "img":
        return "[image]"
    return str(part.get("text") or part.get("content") or "")
