"""Every finding and every code that can turn something red has its words, in both languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from channels import errors as channel_errors
from channels.connection import State
from channels.dingtalk import errors as dingtalk_errors
from channels.errors import ChannelError
from channels.feishu import errors as feishu_errors
from channels.feishu.errors import connect_error, error_of
from channels.slack.errors import ADVICE as SLACK_ADVICE
from engine.errors import ModelError
from gateway.texts import LANGUAGES, Language

ROOT = Path(__file__).parents[4]
BOTH: tuple[Language, ...] = ("zh", "en")
HEALTH = {"connecting", "lost", "auth_failed", "stopped", "identity_unknown", "quota_used_up"}
ENGINE = {
    *(f"database_{code}" for code in ("locked", "full", "read_only", "gone", "away")),
    "deliveries_dead_letters",
    *(f"runs_{code}" for code in ("lost", "draining", "late")),
    "settings_stored_settings_refused",
    "tools_refused",
}


def lacking(lang: Language, group: str, codes: set[str]) -> list[str]:
    return sorted(code for code in codes if f"{group}.{code}" not in LANGUAGES[lang])


def kinds(of: type[Any]) -> Iterator[type[Any]]:
    yield of
    for below in of.__subclasses__():
        yield from kinds(below)


def numbers() -> set[int]:
    """Give every number of the platform that the adapter's table of errors knows."""
    found: set[int] = set()
    for value in vars(feishu_errors).values():
        if isinstance(value, int) and not isinstance(value, bool):
            found.add(value)
        elif isinstance(value, frozenset | dict):
            found |= {each for each in value if isinstance(each, int)}
    return found


@pytest.mark.parametrize("lang", BOTH)
def test_every_channel_error_says_what_to_do(lang: Language) -> None:
    own = {kind for kind in kinds(ChannelError) if kind.__module__ == channel_errors.__name__}
    assert len(own) > 10
    assert lacking(lang, "fix", {kind.usual_advice() for kind in own}) == []


@pytest.mark.parametrize("lang", BOTH)
def test_every_word_of_a_platform_says_what_to_do(lang: Language) -> None:
    assert lacking(lang, "fix", {*SLACK_ADVICE.values(), "token_shared"}) == []


@pytest.mark.parametrize("lang", BOTH)
def test_every_number_of_a_platform_says_what_to_do(lang: Language) -> None:
    known = numbers()
    assert {99991672, 10014, 230099, 99991400} <= known
    refused = [error_of(code, "", status=400, headers={}, call="x") for code in known]
    refused += [connect_error(code, "") for code in (*known, 1, 403, 513)]
    assert lacking(lang, "fix", {error.advice for error in refused}) == []
    assert lacking(lang, "fix", set(feishu_errors.ADVICE.values())) == []


@pytest.mark.parametrize("lang", BOTH)
def test_every_code_of_dingtalk_says_what_to_do(lang: Language) -> None:
    codes = {each for value in vars(dingtalk_errors).values() if isinstance(value, frozenset) for each in value}
    codes |= {*dingtalk_errors.ADVICE, "Forbidden.AccessDenied.ApiCountLimitForOrg", "unheard.of"}
    told = {"status": 400, "body": {}, "call": "x", "now_ms": 0}
    refused = [dingtalk_errors.error_of(code, "", **told) for code in codes]
    refused += [dingtalk_errors.connect_error(code, "", status) for code in codes for status in (400, 401, 503)]
    assert len(codes) > 15
    assert lacking(lang, "fix", {error.advice for error in refused}) == []
    assert lacking(lang, "fix", set(dingtalk_errors.ADVICE.values())) == []


@pytest.mark.parametrize("lang", BOTH)
def test_every_red_check_of_readiness_says_what_to_do(lang: Language) -> None:
    assert lacking(lang, "fix", {*get_args(State), *HEALTH, *ENGINE}) == []


def test_no_code_of_readiness_is_forgotten_above() -> None:
    """Checks are made in these places; a new code there must be named in `ENGINE` or `HEALTH`."""
    files = [f"engine/runtime/{name}.py" for name in ("readiness", "agent")]
    checks = [tuple(_constant(each) for each in call.args) for file in files for call in _calls(file, "Check")]
    assert {f"{args[0]}_{args[2]}" for args in checks if args[2] not in (None, "ok")} <= ENGINE
    adapters = [file.relative_to(ROOT).as_posix() for file in (ROOT / "channels").glob("*/adapter.py")]
    told = {_constant(call.args[1]) for adapter in adapters for call in _calls(adapter, "ChannelHealth")}
    assert told - {"ok", None} <= HEALTH and "identity_unknown" in told
    health = [_constant(call.args[1]) for call in _calls("engine/storage/database.py", "Health") if call.args]
    assert len(health) >= 4
    assert {f"database_{code}" for code in health} <= ENGINE


@pytest.mark.parametrize("lang", BOTH)
def test_every_failure_of_a_model_says_what_to_do(lang: Language) -> None:
    assert lacking(lang, "fix", {kind.usual_code for kind in kinds(ModelError)}) == []


@pytest.mark.parametrize("lang", BOTH)
def test_every_finding_has_its_words(lang: Language) -> None:
    """Read from the code: `Finding("fail", "folder_no_folder", facts, "folder_no_folder")`."""
    evidence, advice, names = set[str](), set[str](), set[str]()
    for file in [*(ROOT / "gateway" / "doctor").glob("*.py"), *(ROOT / "channels").glob("*/doctor.py")]:
        name = file.relative_to(ROOT).as_posix()
        for call in _calls(name, "Finding"):
            evidence |= set(_texts(call.args[1]))
            places = [*call.args[3:], *(each.value for each in call.keywords if each.arg == "advice")]
            advice |= {text for place in places for text in _texts(place) if text}
        for call in _calls(name, "Examination"):
            names |= set(_texts(call.args[0]))
    assert len(evidence) > 40 and len(advice) > 20 and len(names) > 15
    assert lacking(lang, "found", evidence) == []
    assert lacking(lang, "fix", advice) == []
    assert lacking(lang, "check", names) == []


def _calls(file: str, function: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
            yield node


def _constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _texts(node: ast.expr) -> Iterator[str]:
    """Give the texts an expression may have: of a literal, or of both sides of a choice."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
