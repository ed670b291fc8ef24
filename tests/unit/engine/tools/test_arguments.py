from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from engine.errors import ToolRetry
from engine.tools.arguments import MAX_ARGUMENT_CHARS, parse_arguments
from engine.tools.schema import problems

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer", "minimum": 1}, "kind": {"enum": ["x", "y"]}},
    "required": ["a"],
}
OPEN: dict[str, Any] = {"type": "object"}


@pytest.mark.parametrize("text", ["", "  ", "null", "{}", '"{}"'])
def test_nothing_is_no_arguments(text: str) -> None:
    assert parse_arguments(text, OPEN, tool="t") == {}


@pytest.mark.parametrize("text", ['{"a": 1}', '"{\\"a\\": 1}"', '{"a": 1,}', '```json\n{"a": 1}\n```'])
def test_what_can_be_read(text: str) -> None:
    assert parse_arguments(text, SCHEMA, tool="t") == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "[1,2]",
        '"words"',
        "3",
        '{"a": "1"}',
        '{"a": 0}',
        '{"a": true}',
        '{"a": 1, "kind": "z"}',
        "{}",
        '{"b": 1,}',
        '{"a": 1',
        '{"a": 1, "text": "half a sen',
        "words",
        '"{broken"',
        "[" * 100_000,
        "{" + " " * MAX_ARGUMENT_CHARS + "}",
    ],
)
def test_what_the_model_has_to_mend(text: str) -> None:
    with pytest.raises(ToolRetry, match="the arguments of t "):
        parse_arguments(text, SCHEMA, tool="t")


def test_mending_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        parse_arguments('{"a": 1,}', SCHEMA, tool="t")
        parse_arguments('{"a": 1}', SCHEMA, tool="t")
    assert [record.message for record in caplog.records] == ["mended tool arguments"]


@pytest.mark.parametrize(
    ("value", "schema", "found"),
    [
        (1, {"type": ["string", "integer"]}, []),
        (1.5, {"type": "integer"}, ["v must be integer, not number"]),
        ([1, "x"], {"type": "array", "items": {"type": "integer"}}, ["v[1] must be integer, not string"]),
        ({"b": 1}, {"properties": {"a": {}}, "additionalProperties": False}, ["v.b is unknown; known are ['a']"]),
        ({"a": {"c": None}}, {"properties": {"a": {"required": ["b"]}}}, ["v.a.b is missing"]),
        (9, {"maximum": 8}, ["v must be at most 8"]),
        ({}, {}, []),
    ],
)
def test_the_schema_check(value: Any, schema: dict[str, Any], found: list[str]) -> None:
    assert problems(value, schema, "v") == found


def test_problems_are_words_for_a_model() -> None:
    with pytest.raises(ToolRetry) as caught:
        parse_arguments(json.dumps({"kind": "z"}), SCHEMA, tool="t")
    assert "arguments.a is missing" in str(caught.value)
    assert "['x', 'y']" in str(caught.value)


def test_half_a_character_hidden_in_an_escape_is_replaced() -> None:
    assert parse_arguments('{"a\\ud83d": "\\ud83d"}', OPEN, tool="t") == {"a\ufffd": "\ufffd"}
    assert parse_arguments('{"a": "\\ud83d\\ude00"}', OPEN, tool="t") == {"a": "\U0001f600"}


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000 + "}" * 5000])
def test_what_is_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(ToolRetry):
        parse_arguments(text, SCHEMA, tool="t")
