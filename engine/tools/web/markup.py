"""HTML taken apart into tags and text, in one pass over it.

Python's `html.parser` reads hostile pages in quadratic time (60 KB of `<a ` took 56 s), so this is our own reading. It
knows what a browser shows, no more: what never ends (a comment, a tag, a script) goes on to the end of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"})
"""Elements whose content holds no tags."""
_NAME = re.compile(r"[A-Za-z][^\s/>\x00]*+")
_ATTRIBUTE = re.compile(
    r"[\s/]*+(?P<name>[^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:\"(?P<a>[^\"]*+)\"|'(?P<b>[^']*+)'|(?P<c>[^\s>\"'][^\s>]*+)))?"
)
_TAG_END = re.compile(r"[\s/]*+>")
_STRAY = re.compile(r"[\s/]*+=?")
_CLOSING = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW}
_MAX_ATTRIBUTES = 200


@dataclass(frozen=True, slots=True)
class Tag:
    """`<name ...>`, or `</name>` with `is_end`."""

    name: str
    is_end: bool = False
    attributes: dict[str, str] = field(default_factory=dict[str, str])


def tokens(html: str) -> Iterator[Tag | str]:
    """Give tags and texts in order, texts with their entities spelled out; comments and declarations are left out."""
    at, length = 0, len(html)
    while at < length:
        start = html.find("<", at)
        if start < 0:
            start = length
        if start > at:
            yield unescape(html[at:start])
        if start == length:
            return
        tag, at = _markup(html, start)
        if tag is None:
            if at == start:  # a "<" that begins nothing is text
                yield "<"
                at += 1
            continue
        yield tag
        if tag.name in RAW and not tag.is_end:
            text, at = _raw(html, at, tag.name)
            yield text


def _markup(html: str, start: int) -> tuple[Tag | None, int]:
    """Give the tag at `start` and where it ends; no tag and `start` when it is text, another place for a comment."""
    following = html[start + 1 : start + 2]
    if following in ("!", "?"):
        return None, _after_declaration(html, start)
    is_end = following == "/"
    name = _NAME.match(html, start + 1 + is_end)
    if name is None:
        return None, _after(html, ">", start) if is_end else start
    attributes, end = _attributes(html, name.end())
    return (None, len(html)) if end < 0 else (Tag(name[0].lower(), is_end, attributes), end)


def _after_declaration(html: str, start: int) -> int:
    if not html.startswith("<!--", start):
        return _after(html, ">", start)
    if html.startswith((">", "->"), start + 4):
        return _after(html, ">", start)
    return _after(html, "-->", start + 4)


def _after(html: str, mark: str, start: int) -> int:
    found = html.find(mark, start)
    return len(html) if found < 0 else found + len(mark)


def _attributes(html: str, at: int) -> tuple[dict[str, str], int]:
    """Give the attributes, the first of each name, and the place behind `>`; -1 when the tag never ends."""
    found: dict[str, str] = {}
    while (end := _TAG_END.match(html, at)) is None:
        attribute = _ATTRIBUTE.match(html, at)
        if attribute is None:  # a stray "=", or the end of the page
            at = _STRAY.match(html, at).end()  # pyright: ignore[reportOptionalMemberAccess]
            if at >= len(html):
                return found, -1
            continue
        if len(found) < _MAX_ATTRIBUTES:
            found.setdefault(attribute["name"].lower(), unescape(_value(attribute)))
        at = attribute.end()
    return found, end.end()


def _value(attribute: re.Match[str]) -> str:
    return next((text for text in attribute.group("a", "b", "c") if text is not None), "")


def _raw(html: str, at: int, name: str) -> tuple[str, int]:
    """Give the content of an element without tags, and the place of its end tag."""
    end = _CLOSING[name].search(html, at)
    stop = len(html) if end is None else end.start()
    text = html[at:stop]
    return (unescape(text) if name in ("title", "textarea") else text), stop
