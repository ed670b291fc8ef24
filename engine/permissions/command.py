"""What can be said of a shell command without running it."""

from __future__ import annotations

import re
import shlex
from fnmatch import fnmatchcase

_MORE_THAN_WORDS = re.compile(r"[;&|`$<>(){}\[\]*?~!#\\\n\r\0]")
"""Whatever makes a shell do more than run one program with these words."""
_BETWEEN = re.compile(r"(?:\$\{?IFS\}?|[\s;&|()`{},])+")
"""What stands between the words of programs, also where braces are expanded to words."""


def words_of(command: str) -> list[str] | None:
    """Give the words of a command that runs one program and nothing else; `None` for any other."""
    if _MORE_THAN_WORDS.search(command):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    # `A=1 program` is a program with a variable, not a program named `A=1`.
    return None if not words or "=" in words[0] else words


def is_covered(command: str, pattern: str) -> bool:
    """Tell whether an allowing `pattern` (`git status`, `git log *`) covers the whole command.

    Words are compared one by one; a last `*` stands for any further words. A command that is more than one program is
    never covered.
    """
    words, wanted = words_of(command), pattern.split()
    if words is None or not wanted:
        return False
    if wanted[-1] == "*":
        wanted = wanted[:-1]
        words = words[: len(wanted)]
    return len(words) == len(wanted) and all(map(fnmatchcase, words, wanted))


def mentions(command: str, pattern: str) -> bool:
    """Tell whether a forbidding or asking `pattern` is found anywhere in a command: also quoted, escaped, by its path.

    A net, not a wall: a shell can say the same in ways that nobody can list (a variable, a script, an encoding). What
    must not happen is kept from it by what is allowed at all, and by the sandbox.
    """
    wanted = _flat(pattern).rstrip("*").strip()
    return bool(wanted) and re.search(rf"(?<![\w.-]){_glob(wanted)}(?![\w-])", _flat(command)) is not None


def _flat(command: str) -> str:
    bare = re.sub(r"""\\\n|[\\'"]""", "", command)
    return " ".join(_BETWEEN.split(bare)).strip()


def _glob(pattern: str) -> str:
    return "".join(r"\S*" if character == "*" else re.escape(character) for character in pattern)
