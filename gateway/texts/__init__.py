"""Every word a person reads. Others give a key and parameters; `text` turns them into the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from gateway.texts import (
    access_en,
    access_zh,
    commands_en,
    commands_zh,
    doctor_en,
    doctor_zh,
    en,
    panels_en,
    panels_zh,
    permissions_en,
    permissions_zh,
    runs_en,
    runs_zh,
    zh,
)

Language = Literal["zh", "en"]
LANGUAGES: Final[Mapping[Language, Mapping[str, str]]] = {
    "zh": {
        **zh.TEXTS,
        **access_zh.TEXTS,
        **commands_zh.TEXTS,
        **doctor_zh.TEXTS,
        **panels_zh.TEXTS,
        **permissions_zh.TEXTS,
        **runs_zh.TEXTS,
    },
    "en": {
        **en.TEXTS,
        **access_en.TEXTS,
        **commands_en.TEXTS,
        **doctor_en.TEXTS,
        **panels_en.TEXTS,
        **permissions_en.TEXTS,
        **runs_en.TEXTS,
    },
}
_CJK = (("\u4e00", "\u9fff"), ("\u3400", "\u4dbf"), ("\u3000", "\u303f"), ("\uff00", "\uffef"))


def text(lang: Language, key: str, /, **params: object) -> str:
    """Give the words of `key` with `params` filled in, unchanged: escape them before where a platform needs it.

    Stored events may come from another version. So a failure or notice we have no words for is named by its code, and
    a placeholder without a parameter shows as an ellipsis: a reader is better off than with no card.

    Raises:
        KeyError: there is no such key.
    """
    words = LANGUAGES[lang]
    group, _, code = key.partition(".")
    if key not in words and f"{group}.unknown" in words:
        key, params = f"{group}.unknown", {"code": code}
    return words[key].format_map(_Filled(params))


def fix_for(lang: Language, advice: str, /, **params: object) -> str:
    """Give what an operator can do about what `advice` names (an error's advice, a red check's code)."""
    return text(lang, f"fix.{advice}", **params)


def language_of_system(environ: Mapping[str, str]) -> Language:
    """Give the language of whoever runs this program, by the usual variables; English unless they say Chinese."""
    chosen = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    return "zh" if chosen.lower().startswith("zh") else "en"


class _Filled(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return "…"


def language_of(words: str) -> Language:
    """Guess the reader's language from what they wrote: Chinese when its characters outweigh the Latin words.

    A Chinese character counts like a word, so `"用 litellm 调用模型"` is Chinese; text without letters is too.
    """
    chinese = sum(any(low <= char <= high for low, high in _CJK) for char in words)
    latin = sum(1 for word in words.split() if any(char.isascii() and char.isalpha() for char in word))
    return "zh" if chinese >= latin else "en"
