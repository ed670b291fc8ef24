"""Links that hide nothing: where one leads is where its words say, or the host stands beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

_LINK = re.compile(r"\[([^\[\]\n]*)\]\(\s*(?:<([^<>\n]*)>|([^\s<>]*))[^\n]*\)")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|www\.)[^\s]+|(?<![\w@])(?:[\w-]+\.)+[a-z]{2,}(?![\w.])(?:[/:?#][^\s]*)?", re.I
)
"""What a reader takes for an address: with a scheme, or a name with dots."""
_UNSEEN = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SECOND_HALF = re.compile(r"\][(:]")
_LONGEST_NAME = 1000
_BENT = re.compile(r"\](?=[(\[:])")
_NARROW = "\u200b"
_SAFE = "%/:=&?~#+!$,;'@*[]-._"
"""What an address keeps where it loses its pointed brackets; blanks and round ones would end it."""


def honest_link(piece: str) -> str:
    """Give a link of markdown (`[words](target)`) as it may be shown; anything else unchanged.

    One that leads to no web and no mail address is shown as it was written: it would run a program or hold a page
    itself. Words that look like another address than the target's have the target's host beside them.
    """
    found = _LINK.fullmatch(piece)
    if found is None:
        return inert(piece)
    target = (found[2] or found[3] or "").strip()
    if not target.lower().startswith(("http://", "https://", "mailto:")):
        return inert(piece)
    words, host = _UNSEEN.sub("", found[1]), host_of(target)
    is_as_written = words == found[1] and found[2] is None
    shown = piece if is_as_written else f"[{words}]({quote(target, safe=_SAFE)})"
    return f"{shown} ({host})" if host and misleads(words, host) else shown


def misleads(words: str, host: str) -> bool:
    """Tell whether words look like an address that leads elsewhere than to `host`."""
    plain = _UNSEEN.sub("", words).replace("\\", "")
    hosts = {host_of(each[0]) for each in _ADDRESS.finditer(plain)}
    return any(each and each.removeprefix("www.") != host.removeprefix("www.") for each in hosts)


def host_of(address: str) -> str:
    """Give the host that an address leads to, in small letters; empty where there is none."""
    if address.lower().startswith("mailto:"):
        return address.partition(":")[2].partition("?")[0].rpartition("@")[2].lower()
    whole = address if "://" in address else f"//{address}"
    try:
        return (urlsplit(whole.replace("\\", "/")).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def inert(text: str) -> str:
    """Give plain text that makes no link where it stands in markdown, and reads the same."""
    return _BENT.sub(f"]{_NARROW}", text)


def unlinked(text: str, start: int, piece: str, shown: Callable[[str, int], str] | None = None) -> str:
    """Give the prose of `text` that begins at `start` so that nothing in it is read as the second half of a link.

    What this package knows as a link is looked at as a whole, by `honest_link`. What is none for us may be one for a
    platform: over several lines, in nested brackets, by a definition further down. `shown` gives a piece of prose, told
    where in `text` it begins, as the platform shows it.
    """
    cuts = _second_halves(text, start, piece)
    if not cuts:
        return piece if shown is None else shown(piece, start)
    ends = [*cuts, len(piece)]
    parts = [(piece[at:end], start + at) for at, end in zip((0, *cuts), ends, strict=True)]
    return _NARROW.join(part if shown is None else shown(part, at) for part, at in parts)


def _second_halves(text: str, start: int, piece: str) -> list[int]:
    """Give where in the piece brackets and colons stand that would make a link of the words before them."""
    is_second = piece[:1] in ("(", ":") and text[start - 1 : start] == "]"
    if not is_second and "](" not in piece and "]:" not in piece:
        return []
    found = _SECOND_HALF.finditer(text, max(0, start - 1), start + len(piece))
    return [each.start() + 1 - start for each in found if each[0][1] == "(" or _begins_definition(text, each.start())]


def _begins_definition(text: str, bracket: int) -> bool:
    """Tell whether the bracket closes the first thing of its line: a colon behind it then says where links lead."""
    opened = text.rfind("[", max(0, bracket - _LONGEST_NAME), bracket)
    line = text.rfind("\n", max(0, opened - _LONGEST_NAME), max(0, opened)) + 1
    return opened >= 0 and not text[line:opened].strip(" \t>")
