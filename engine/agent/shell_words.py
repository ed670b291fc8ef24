"""A command line taken apart far enough to say what it would run; nothing is carried out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_INNER = re.compile(r"\$\(|<\(|>\(")
_LITERAL = re.compile(r"'[^']*'")
_DOCUMENT = re.compile(
    r"<<-?[ \t]*(?P<quote>['\"\\]?)(?P<end>\w+)['\"]?(?P<rest>[^\n]*)\n"
    r"(?P<text>.*?)(?:^[ \t]*(?P=end)[ \t]*(?:\n|\Z)|\Z)",
    re.S | re.M,
)
_JOINED = re.compile(r"(\d*)(?:[<>]&|&>>?)")
"""Redirections with an `&` that is no operator: `2>&1`, `&>file`."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_OPERATORS = frozenset(";&|()\n")
_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"})
_PREFIXES = {
    "env": "-uS",
    "nice": "-n",
    "ionice": "-cn",
    "timeout": "-sk",
    "stdbuf": "-ioe",
    "command": "",
    "exec": "-a",
}
"""Programs that only run another one, and their options that take a word."""
_MOST_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Simple:
    """One program with its words. `fed`: it reads from a pipe or a redirection; `piped`: another one reads it."""

    words: tuple[str, ...]
    fed: bool = False
    piped: bool = False
    background: bool = False

    @property
    def name(self) -> str:
        """Give the program's name without its folder."""
        return self.words[0].rpartition("/")[2]

    def has(self, *options: str) -> bool:
        """Tell whether one of these words is there, or a group of short options that holds it (`-la` for `-l`)."""
        short = {each[1] for each in options if len(each) == 2 and each[0] == "-"}
        return any(
            word in options or (re.fullmatch(r"-[A-Za-z]+", word) and short.intersection(word[1:]))
            for word in self.words[1:]
        )

    @property
    def operands(self) -> tuple[str, ...]:
        """Give the words that are no options."""
        return tuple(word for word in self.words[1:] if not word.startswith("-"))


def simples(command: str, depth: int = 0) -> Iterator[Simple]:
    """Give the programs a command line runs, those in `$(..)` and the like too; never raises for a broken line."""
    command, documents = _without_documents(command)
    if depth < _MOST_DEPTH:
        for inner in (each for text in (command, *documents) for each in _inner(text)):
            yield from simples(inner, depth + 1)
    tokens, fed = _tokens(command), False
    words: list[str] = []
    for token in [*tokens, ";"]:
        if not _is_operator(token):
            words.append(token)
            continue
        if found := _simple(words, fed=fed, after=token):
            yield found
        words, fed = [], token in ("|", "|&")


def _is_operator(token: str) -> bool:
    return bool(token) and _OPERATORS.issuperset(token)


def _inner(text: str) -> list[str]:
    """Give what stands in `$(..)`, `<(..)` and backquotes, the first with what comes behind it."""
    text = _LITERAL.sub("''", text)
    return [*_INNER.split(text)[1:], *text.split("`")[1::2]]


def _without_documents(command: str) -> tuple[str, list[str]]:
    """Give the command without the text of its here-documents, and of that what a shell looks into."""
    looked_into = [found["text"] for found in _DOCUMENT.finditer(command) if not found["quote"]]
    return _DOCUMENT.sub(lambda found: f"<{found['rest']}\n", command), looked_into


def _tokens(command: str) -> list[str]:
    text = _JOINED.sub(r"\1>", command.replace("\\\n", " "))
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        return list(lexer)
    except ValueError:  # a quote without an end: look at what is there all the same
        return re.findall(r"[;&|()\n]+|[^\s;&|()\n]+", text)


def _simple(words: list[str], *, fed: bool, after: str) -> Simple | None:
    redirected = any(word.lstrip("0").startswith("<") for word in words)
    words = list(_without_prefixes([word for word in words if word]))
    if not words:
        return None
    return Simple(tuple(words), fed=fed or redirected, piped=after in ("|", "|&"), background=after == "&")


def _without_prefixes(words: list[str]) -> list[str]:
    """Leave out what stands before the program itself: keywords, variables, `env`, `timeout 5`."""
    while words:
        name = words[0].rpartition("/")[2]
        if name in _KEYWORDS or _ASSIGNMENT.match(words[0]):
            words = words[1:]
        elif name in _PREFIXES and len(words) > 1:
            words = _behind(words[1:], _PREFIXES[name], is_timed=name == "timeout")
        else:
            break
    return words


def _behind(words: list[str], taking: str, *, is_timed: bool) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2:] if taking and len(words[0]) == 2 and words[0][1] in taking else words[1:]
    return words[1:] if is_timed else words
