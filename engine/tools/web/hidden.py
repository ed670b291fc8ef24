"""What of a page nobody sees: elements, attributes and characters that hide text."""

from __future__ import annotations

import re

from engine.tools.web.markup import Tag

_ELEMENTS = frozenset(
    {"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed", "canvas", "audio", "video"}
    | {"textarea", "select", "datalist", "xmp", "noembed", "noframes", "head", "area", "map"}
)
_STYLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|opacity:0*(?:\.0*)?%?(?=;|!|$)"
    r"|font-size:0*(?:\.0*)?[a-z%]*(?=;|!|$)|color:transparent|clip:rect\(0|clip-path:inset\((?:50|100)%"
    r"|(?:left|top|right|bottom|text-indent|margin-left|margin-top):-\d{3,})"
)
_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Zero widths, directions, variation marks but the emoji's, and the tag characters in which whole sentences are hidden.
Joiners between emoji go too: a family becomes its members."""


def hides(tag: Tag) -> bool:
    """Tell whether nobody sees what is in this element, as far as the page itself says so."""
    attributes = tag.attributes
    if tag.name in _ELEMENTS or "hidden" in attributes:
        return True
    if tag.name == "dialog" and "open" not in attributes:
        return True
    if attributes.get("aria-hidden", "").strip().lower() == "true":
        return True
    style = attributes.get("style", "")
    return bool(style) and _STYLE.search(_squeezed(style)) is not None


def seen(text: str) -> str:
    """Give `text` without the characters nobody sees."""
    return _UNSEEN.sub("", text)


def one_line(text: str) -> str:
    """Give `text` on one line, without what nobody sees."""
    return " ".join(seen(text).split())


def _squeezed(style: str) -> str:
    return re.sub(r"/\*.*?\*/|\s", "", style[:2_000].lower(), flags=re.DOTALL)
