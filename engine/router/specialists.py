"""What skills and domain agents say of themselves, as words that pull towards an agent. They are no rules of ours."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from engine.router.request import Request

NAMED_WEIGHT = 5
"""A request that says a specialist's name."""
DESCRIBED_WEIGHT = 3
"""A request that shares words with a specialist's description."""
SHARED_WORDS = 2
"""So many words of a description must be in a request; one is chance."""
COMMON_SHARE = 0.5
"""A word that more than this share of several specialists use says nothing of any."""
MANY = 4

_WORD = re.compile(r"[a-z][a-z0-9]{3,}|[\u3400-\u9fff]+")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "when user users wants want asks asked about with from this that these those need needs use used using into "
        "have should would could your their them they what which where will also such like task tasks help helps "
        "的时 时候 用户 需要 使用 或者 以及 进行 可以 要求 询问 提供 相关 当用 户需 如果 一个 什么 怎么 帮我",
    )
)


class Specialist(Protocol):
    """A skill or a domain agent, as far as a router reads it."""

    @property
    def name(self) -> str:
        """Give its name: `"expense-report"`."""
        ...

    @property
    def when_to_use(self) -> str:
        """Give, in a sentence or in key words, what it is for."""
        ...


class Directory:
    """The specialists there are, with their words counted once; build it anew when they change.

    Example:
        Directory(skills).fitting(request)   # ("expense-report",)
    """

    def __init__(self, specialists: Sequence[Specialist] = ()) -> None:
        self.specialists = tuple(specialists)
        self._names = [(each.name, _spoken(each.name)) for each in specialists if each.name.strip()]
        described = [(each.name, set(_words(each.when_to_use))) for each in specialists]
        counts = Counter(word for _, words in described for word in words)
        most = len(described) * COMMON_SHARE if len(described) >= MANY else len(described)
        self._users: dict[str, list[str]] = {}
        for name, words in described:
            for word in words:
                if counts[word] <= most:
                    self._users.setdefault(word, []).append(name)

    def fitting(self, request: Request) -> dict[str, int]:
        """Give the names of those that fit, with their weight; empty where none does."""
        if not self.specialists:
            return {}
        fits = {name: NAMED_WEIGHT for name, said in self._names if said in request.ask or name.lower() in request.ask}
        shared = Counter(name for word in set(_words(request.ask)) for name in self._users.get(word, ()))
        for name, count in shared.items():
            if count >= SHARED_WORDS:
                fits.setdefault(name, DESCRIBED_WEIGHT)
        return fits


def _spoken(name: str) -> str:
    return re.sub(r"[-_\s]+", " ", unicodedata.normalize("NFKC", name).lower()).strip()


def _words(text: str) -> Iterable[str]:
    """Give English words, and pairs of Chinese characters: Chinese does not say where a word ends."""
    for run in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        pieces = [run] if run.isascii() else [run[at : at + 2] for at in range(len(run) - 1)]
        yield from (piece for piece in pieces if piece not in _STOP)
