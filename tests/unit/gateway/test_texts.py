"""The words people read: the same in both languages."""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from channels.cards.model import ActionName, CardStatus
from engine.errors import ModelError
from gateway.texts import LANGUAGES, Language, language_of, language_of_system, text

ZH, EN = LANGUAGES["zh"], LANGUAGES["en"]
BOTH: tuple[Language, ...] = ("zh", "en")


def _placeholders(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}


def test_both_languages_have_the_same_keys() -> None:
    assert ZH.keys() == EN.keys()


@pytest.mark.parametrize("key", sorted(EN))
def test_placeholders_match_and_nothing_is_empty(key: str) -> None:
    assert _placeholders(ZH[key]) == _placeholders(EN[key])
    assert ZH[key].strip() and EN[key].strip()


@pytest.mark.parametrize("name", ["en", "zh"])
def test_no_key_stands_twice(name: str) -> None:
    folder = Path(__file__).parents[3] / "gateway" / "texts"
    lines = [line for file in folder.glob(f"*{name}.py") for line in file.read_text("utf-8").splitlines()]
    keys = [line.split('"')[1] for line in lines if line.startswith('    "')]
    assert len(keys) == len(set(keys)) == len(LANGUAGES[name])


@pytest.mark.parametrize("lang", BOTH)
def test_everything_the_product_can_say_has_words(lang: Language) -> None:
    keys = [f"status.{status.value}" for status in CardStatus]
    keys += [f"button.{name}" for name in ActionName.__args__]
    keys += [f"error.{kind.usual_code}" for kind in (ModelError, *ModelError.__subclasses__())]
    keys += [f"error.{code}" for code in ("internal", "time_limit", "poisoned")]
    assert [key for key in keys if key not in LANGUAGES[lang]] == []


def test_parameters_are_filled_in_and_never_read_as_format() -> None:
    assert text("en", "verdict.satisfied", name="{lang} {0}") == "{lang} {0} is satisfied."
    assert text("zh", "approval.purpose", purpose="统计") == "目的：统计"
    assert text("en", "status.done", unused=1) == "Done"


def test_unknown_codes_and_missing_parameters_still_give_a_line() -> None:
    assert text("en", "error.from_the_future", detail="x") == "It failed (from_the_future)."
    assert text("zh", "notice.from_the_future") == "提示：from_the_future"
    assert text("en", "verdict.satisfied") == "… is satisfied."
    with pytest.raises(KeyError):
        text("en", "button.from_the_future")


@pytest.mark.parametrize(
    ("words", "lang"),
    [
        ("扫描这个项目", "zh"),
        ("@niuma 用 litellm 调用模型", "zh"),
        ("what does 牛马 mean please", "en"),
        ("scan the project", "en"),
        ("Hello, wie geht's", "en"),
        ("", "zh"),
        ("42?", "zh"),
        ("！", "zh"),
    ],
)
def test_language_follows_the_words(words: str, lang: Language) -> None:
    assert language_of(words) == lang


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN", "LC_ALL": ""}, "zh"),
    ],
)
def test_language_follows_the_system(environ: dict[str, str], lang: Language) -> None:
    assert language_of_system(environ) == lang
