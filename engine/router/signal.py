"""One thing that speaks for a way: a name, a weight, and how it looks in Chinese and in English."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from engine.router.request import Request

Pull = Literal["direct", "agent", "team"]

_ZH_OPENERS = (
    r"(?:请|麻烦|劳驾|拜托|帮我|帮忙|帮|替我|给我|为我|能不能|能否|可不可以|可以|你能|你|能|我想让|"
    r"我需要|我想要?|我要|需要|那就|那|先|再|现在|然后|并且|并|接着|最后|快|直接|也|都|用\w{1,12}|,|"
    r"\s)*"
)
_ZH_CLAUSE = r"(?:^|[,;。!?\n:]|然后|并且?|再|接着|之后)"
_EN_OPENERS = (
    r"(?:(?:hi|hey|hello|there|ok|okay|please|pls|kindly|can|could|would|will|you|i want you to|"
    r"i need you to|i need to|i want to|i'd like you to|i'd like to|help me(?: to)?|let's|now|then|"
    r"also|first|just|go ahead and|go|try to|and|so|for me)[ ,]+)*"
)
_EN_CLAUSE = r"(?:^|[.,;!?:\n]\s*|\band (?:then )?|\bthen )"


def zh_order(verbs: str) -> str:
    """Give the pattern of a Chinese clause that begins with one of `verbs`: an order, not talk about it."""
    return rf"{_ZH_CLAUSE}{_ZH_OPENERS}(?:{verbs})"


def en_order(verbs: str) -> str:
    """Give the pattern of an English clause that begins with one of `verbs`."""
    return rf"{_EN_CLAUSE}{_EN_OPENERS}(?:{verbs})(?![a-z0-9-])"


@dataclass(frozen=True, slots=True)
class Signal:
    """Speaks for `pull` with `weight` where its pattern is in the asking words.

    `zh` is tried only where Chinese is, `en` only where Latin letters are; write both in small letters and half-width
    punctuation. About 2 leans, 4 says so, 6 and more outvotes what else is there.
    """

    name: str
    pull: Pull
    weight: int
    zh: str = ""
    en: str = ""
    _zh: re.Pattern[str] | None = field(init=False, repr=False, compare=False)
    _en: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_zh", re.compile(self.zh) if self.zh else None)
        object.__setattr__(self, "_en", re.compile(self.en) if self.en else None)

    def speaks(self, request: Request) -> bool:
        """Tell whether it is there."""
        if self._zh is not None and request.is_chinese and self._zh.search(request.ask):
            return True
        return self._en is not None and request.is_latin and self._en.search(request.ask) is not None
