"""A model's verdict is read out of what models write, and out of nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.errors import BadOutput
from engine.router.verdict import parse_verdict

GOOD = {"way": "agent", "intent": "read a file", "domains": ["files"], "confidence": 0.8}
TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Sure! Here it is:\n\n{TEXT}\n\nAnything else?",
        f"{{{TEXT}}}",
        f"<think>{{maybe}}</think>{TEXT}",
        f'{{"note": 1}}\n{TEXT}',
        TEXT.replace("read a file", "read\x07 a\n file"),
        TEXT[:-1] + ",}",
        TEXT.replace("agent", " Agent "),
        TEXT[:-1] + ', "extra": {"a": [1]}}',
    ],
)
def test_what_models_write_around_it_is_read_over(text: str) -> None:
    verdict = parse_verdict(text, ["files"])
    assert (verdict.way, verdict.domains, verdict.confidence) == ("agent", ["files"], 0.8)
    assert verdict.intent.split() == ["read", "a", "file"]


@pytest.mark.parametrize(
    "change",
    [
        {"way": "swarm"},
        {"way": None},
        {"intent": ""},
        {"intent": "  "},
        {"intent": 3},
        {"domains": "files"},
        {"domains": [1]},
        {"domains": ["a"] * 9},
        {"confidence": 1.2},
        {"confidence": -0.1},
        {"confidence": "0.8"},
        {"confidence": True},
        {"confidence": float("nan")},
    ],
)
def test_a_field_that_is_wrong_is_not_guessed(change: dict[str, Any]) -> None:
    with pytest.raises(BadOutput):
        parse_verdict(json.dumps(GOOD | change))


@pytest.mark.parametrize("missing", list(GOOD))
def test_a_field_that_is_missing_is_not_guessed(missing: str) -> None:
    with pytest.raises(BadOutput):
        parse_verdict(json.dumps({key: value for key, value in GOOD.items() if key != missing}))


@pytest.mark.parametrize("text", ["", "agent", "[1]", "{" * 5_000, '{"a":' * 1_500, '{"a":' + "[" * 3_000, "\ud800{"])
def test_what_is_no_verdict_is_refused(text: str) -> None:
    with pytest.raises(BadOutput):
        parse_verdict(text)


def test_domains_that_do_not_exist_are_left_out() -> None:
    assert parse_verdict(json.dumps(GOOD | {"domains": ["files", "made up", "files"]}), ["files"]).domains == ["files"]
