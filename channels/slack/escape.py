"""What we write, so that it rings nobody's phone and vanishes nowhere.

Two dialects: mrkdwn (`text`, sections), where `<` always begins a token; and standard Markdown (markdown blocks,
streams), where only the platform's own tokens do. One pair of functions serves edits and streams alike.

Source: docs.slack.dev "Formatting message text", "Markdown block", read 2026-08.
"""

from __future__ import annotations

import re

from channels.cards.links import honest_link, unlinked
from channels.cards.markdown import Rewriting, image_link
from channels.cards.scan import Atom, Kind

JOINER = "\u2060"
"""Invisible, and no place to break a line: put behind `<`, it makes a token plain words."""
_RINGS = re.compile(r"<(?=!(?:channel|here|everyone|group|subteam\^|date\^)|[@#][A-Z0-9])", re.IGNORECASE)
_BEGINNINGS = ("<!channel", "<!here", "<!everyone", "<!group", "<!subteam^", "<!date^")
_LABELLED = re.compile(r"<((?:https?|mailto):[^<>|\s]+)\|([^<>|\n]+)>")
_PROGRAM = re.compile(r"<(?!(?:https?|mailto):)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
"""Begins an address in brackets that is none of the web: standard Markdown makes a link of any."""
_LONGEST_BEGINNING = 11


def neutral(text: str) -> str:
    """Give text in which no mention and no broadcast is left; it reads the same."""
    return _RINGS.sub("<" + JOINER, text) if "<" in text else text


def settled_tail(text: str) -> str:
    """Give a growing text without what may become a token at its end: what was streamed cannot be taken back."""
    start = text.rfind("<", max(0, len(text) - _LONGEST_BEGINNING))
    if start < 0:
        return text
    tail = text[start:].lower()
    is_open = tail in ("<", "<@", "<#") or any(each.startswith(tail) for each in _BEGINNINGS)
    return text[:start] if is_open else text


def mrkdwn(text: str) -> str:
    """Give plain text that a mrkdwn field shows as it is (but for its own signs of emphasis)."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text: str) -> str:
    """Give plain text as a code block of a mrkdwn field."""
    return f"```{mrkdwn(text.replace('```', 'ʼʼʼ'))}```"


class Dialect:
    """The `Rule` of standard Markdown for this platform: pictures become links, `<url|words>` too."""

    def __call__(self, text: str, atom: Atom) -> str:
        """See `channels.cards.markdown.Rule`."""
        piece = text[atom.start : atom.end]
        if atom.kind is Kind.TEXT:
            return unlinked(text, atom.start, piece)
        if atom.kind is not Kind.SOLID or piece[0] not in "![<":
            return piece
        if piece[0] == "!":
            return honest_link(image_link(piece))
        labelled = _LABELLED.fullmatch(piece)
        if piece[0] == "[" or labelled:
            return honest_link(f"[{labelled[2]}]({labelled[1]})" if labelled else piece)
        return f"<{JOINER}{piece[1:]}" if _PROGRAM.match(piece) else piece

    def end(self) -> str:
        """See `channels.cards.markdown.Rule`."""
        return ""


def markdown(text: str) -> str:
    """Give finished markdown as this platform's markdown."""
    return neutral(Rewriting(Dialect()).of(text, growing=False))
