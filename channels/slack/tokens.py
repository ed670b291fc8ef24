"""The platform's text, decoded: entities, mentions, links; the address to us taken away.

Source: docs.slack.dev "Formatting message text" (`<@U>`, `<#C|name>`, `<!here>`, `<url|label>`; `&`, `<`, `>` as
entities), read 2026-08.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(r"<([^<>\n]+)>")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ENTITIES = re.compile(r"&(amp|lt|gt);")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">"}
NameOf = Callable[[str], str]
"""Gives a person's name by id; empty where it is not known."""


def decode(text: str, *, me: str, name_of: NameOf) -> str:
    """Give what a person wrote: entities once, mentions by name, links as markdown, our own mention away once."""
    addressed = False

    def read(match: re.Match[str]) -> str:
        nonlocal addressed
        body = match[1]
        if me and not addressed and body.split("|")[0] == f"@{me}":
            addressed = True
            return ""
        return _read(body, name_of)

    parts: list[str] = []
    end = 0
    for match in _TOKEN.finditer(text):
        parts += [unescape(text[end : match.start()]), read(match)]
        end = match.end()
    parts.append(unescape(text[end:]))
    decoded = "".join(parts)
    return _closed_gap(decoded) if addressed else decoded.strip()


def mentions(text: str, user: str) -> bool:
    """Tell whether the text mentions this user."""
    return bool(user) and (f"<@{user}>" in text or f"<@{user}|" in text)


def unescape(text: str) -> str:
    """Decode entities, once."""
    return _ENTITIES.sub(lambda match: _CHARACTERS[match[1]], text)


def _read(body: str, name_of: NameOf) -> str:
    kind = body[0]
    target, _, label = body.partition("|")
    label = unescape(label).strip()
    if kind == "@":
        return "@" + " ".join((label or name_of(target[1:]) or target[1:]).split())
    if kind == "#":
        return "#" + (label or target[1:])
    if kind == "!":
        return _special(target[1:], label)
    return _link(unescape(target), label) if _ADDRESS.match(target) else f"<{unescape(body)}>"


def _special(target: str, label: str) -> str:
    """Read a group, a date or a broadcast: its words, else its name."""
    name = target.partition("^")[0]
    if name == "date":
        return label or target
    return label or f"@{'group' if name == 'subteam' else name}"


def _link(url: str, label: str) -> str:
    shown = url.removeprefix("mailto:").removeprefix("tel:")
    if not label or label in (url, shown):
        return shown
    is_bare = url in (f"http://{label}", f"https://{label}", f"http://{label}/", f"https://{label}/")
    return url if is_bare else f"[{label}]({url})"


def _closed_gap(text: str) -> str:
    """Tidy the blanks that the removed address left, without touching line breaks or indentation of code."""
    lines = text.split("\n")
    lines[0] = lines[0].lstrip(" ,:，：")
    return "\n".join(lines).strip()
