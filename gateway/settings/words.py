"""What is wrong with a value, in words for the person who wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WORDS = {
    "missing": "is missing",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "string_type": "must be text in quotes",
    "list_type": 'must be a list, like ["a", "b"]',
    "tuple_type": 'must be a list, like ["a", "b"]',
    "literal_error": "must be {expected}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
    "value_error": "{error}",
}


def say(error: Mapping[str, Any]) -> str:
    """Give what one of pydantic's errors means; where we have no words, its own."""
    kind, facts = str(error["type"]), dict(error.get("ctx") or {})
    if kind == "string_too_short" and facts.get("min_length") == 1:
        return "must not be empty"
    words = _WORDS.get(kind)
    return words.format(**facts) if words is not None else str(error["msg"])
