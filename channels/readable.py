"""JSON as it comes from outside: whatever cannot be read is a `ValueError`, and what is read can be stored."""

from __future__ import annotations

import json
import re
from typing import Any, cast

Json = dict[str, Any]

_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(raw: str | bytes) -> object:
    """Read JSON; half a character, which nothing can store or send, becomes U+FFFD.

    Raises:
        ValueError: it is no JSON, or nested too deeply to be read.
    """
    text = raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw
    try:
        value: object = json.loads(text)
        if _ESCAPED_HALF.search(text) is None:
            return value
        return json.loads(_HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def read_object(raw: str | bytes) -> Json:
    """Read a JSON object. Raises `ValueError` for anything else."""
    value = read_json(raw)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    return cast("Json", value)


def dump(value: object) -> str:
    """Give JSON text in its shortest form: size limits count UTF-8 bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def object_in(value: Json, key: str) -> Json:
    """Give the object under `key`; an empty one where there is none."""
    found = value.get(key)
    return cast("Json", found) if isinstance(found, dict) else {}


def objects_in(value: Json, key: str) -> list[Json]:
    """Give the objects of the list under `key`; none where there is no list."""
    found = value.get(key)
    if not isinstance(found, list):
        return []
    return [cast("Json", each) for each in cast("list[object]", found) if isinstance(each, dict)]


def text_in(value: Json, key: str) -> str:
    """Give the text (or number, as text) under `key`; empty where there is none."""
    found = value.get(key)
    return str(found) if isinstance(found, str | int | float) and not isinstance(found, bool) else ""
