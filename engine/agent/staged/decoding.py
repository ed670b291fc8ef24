"""From a bracketed text to plain values: as it stands, or mended in ways that cannot change what it says."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, cast

from engine.models.surrogates import mended

MAX_MENDED_CHARS = 50_000
"""Longer texts are read as they stand or not at all: mending them would hold up every card."""
MAX_DEPTH = 40
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u200e\u200f\u2028\u2029\ufeff]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class Undecodable(Exception):
    """This is no JSON, and cannot be mended."""


def decode(text: str) -> Any:
    """Give the value of a whole JSON text, mending what models do to it.

    Raises:
        Undecodable: it is none.
    """
    for form in _forms(text):
        try:
            return _bounded(_loads(form))
        except (ValueError, RecursionError):
            continue
    return _bounded(_mended(text))


def _forms(text: str) -> Iterator[str]:
    """Give the readings of a text in order: as it is, without control characters, with doubled braces made single."""
    yield text
    plain = _CONTROL.sub("", text)
    yield plain
    if plain.startswith("{{"):
        yield _single(plain)
        yield plain[1:-1]


def _single(text: str) -> str:
    """Make doubled braces single, but not in strings: there they are somebody's template."""
    pieces: list[str] = []
    at = 0
    for match in _STRING.finditer(text):
        pieces += [_halved(text[at : match.start()]), match[0]]
        at = match.end()
    return "".join([*pieces, _halved(text[at:])])


def _halved(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def _loads(text: str) -> Any:
    value = json.loads(text, strict=False, parse_constant=_no_number)
    if "\\u" in text:
        # An escape can hold half a character, which nothing can store or send.
        value = json.loads(mended(json.dumps(value, ensure_ascii=False)))
    return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _mended(text: str) -> Any:
    if len(text) > MAX_MENDED_CHARS:
        raise Undecodable(f"it is no valid JSON and too long to be mended ({len(text)} characters)")
    import json_repair  # rarely needed, and not free to import

    try:
        value: Any = json_repair.loads(_CONTROL.sub("", text))
        return json.loads(mended(json.dumps(value, ensure_ascii=False, allow_nan=False)))
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise Undecodable(f"it cannot be read as JSON ({type(error).__name__})") from error


def _bounded(value: Any) -> Any:
    """Refuse what could not be stored: endless depth, numbers that are none.

    Raises:
        Undecodable: it is that.
    """
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise Undecodable(f"it is nested more than {MAX_DEPTH} deep")
        if isinstance(item, float) and not math.isfinite(item):
            raise Undecodable("it holds a number that is none")
        waiting += [(each, depth + 1) for each in _children(item)]
    return value


def _children(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return list(cast("dict[str, Any]", item).values())
    return cast("list[Any]", item) if isinstance(item, list) else []
