"""A page as a person reads it: its title, and its text as markdown with whole links."""

from __future__ import annotations

from dataclasses import dataclass

from engine.tools.web.hidden import hides, one_line
from engine.tools.web.links import Link, absolute
from engine.tools.web.markup import RAW, Tag, tokens
from engine.tools.web.prose import Prose

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"} | {"track", "wbr"}
)
_CLOSES = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "tr": frozenset({"td", "th", "tr"}),
    "td": frozenset({"td", "th"}),
    "th": frozenset({"td", "th"}),
    "option": frozenset({"option"}),
}
"""Elements whose beginning ends others that were left open."""
_ENDS_PARAGRAPH = frozenset(
    {"address", "article", "aside", "blockquote", "div", "dl", "fieldset", "footer", "form", "h1", "h2"}
    | {"h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul"}
    | {"details", "figure"}
)
_MAX_DEPTH = 400
MAX_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Page:
    """`links` are those of the text, the first of each target, at most 200."""

    title: str
    text: str
    links: tuple[Link, ...] = ()


def read_page(html: str, address: str) -> Page:
    """Read a page that lies at `address`. Takes time in proportion to its length, whatever it holds."""
    reader = _Reader(address)
    for token in tokens(html):
        reader.take(token)
    return reader.page()


class _Reader:
    def __init__(self, address: str) -> None:
        self._base = address
        self._open: list[tuple[str, bool]] = []
        """Elements that are open, each with whether it hides what is in it."""
        self._hidden = 0
        self._title: str | None = None
        self._prose = Prose()

    def take(self, token: Tag | str) -> None:
        if isinstance(token, str):
            self._text(token)
        elif token.is_end:
            self._end(token.name)
        else:
            self._begin(token)

    def page(self) -> Page:
        while self._open:
            self._pop()
        return Page((self._title or "")[:MAX_TITLE_CHARS], self._prose.text(), tuple(self._prose.links.values()))

    def _text(self, text: str) -> None:
        if self._open and self._open[-1][0] == "title":
            self._title = one_line(text) if self._title is None else self._title
        elif not self._hidden:
            self._prose.write(text)

    def _begin(self, tag: Tag) -> None:
        self._close_what_ends(tag.name)
        if tag.name == "body":
            self._end("head")
        if tag.name == "base" and tag.attributes.get("href"):
            self._base = absolute(tag.attributes["href"], self._base) or self._base
        hidden = hides(tag)
        if not self._hidden and not hidden:
            self._show(tag)
        if tag.name not in _VOID and (len(self._open) < _MAX_DEPTH or tag.name in RAW):
            self._open.append((tag.name, hidden))
            self._hidden += hidden

    def _show(self, tag: Tag) -> None:
        if tag.name == "a":
            target = absolute(tag.attributes.get("href", ""), self._base)
            self._prose.begin_link(target)
        elif tag.name == "img":
            self._prose.picture(one_line(tag.attributes.get("alt", "")))
        else:
            self._prose.begin(tag.name)

    def _end(self, name: str) -> None:
        if not any(each == name for each, _ in self._open):
            return
        while self._pop() != name:
            pass

    def _pop(self) -> str:
        name, hidden = self._open.pop()
        self._hidden -= hidden
        if self._hidden or hidden:
            return name
        if name == "a":
            self._prose.end_link()
        else:
            self._prose.end(name)
        return name

    def _close_what_ends(self, name: str) -> None:
        if name in _ENDS_PARAGRAPH and self._open and self._open[-1][0] == "p":
            self._pop()
        ends = _CLOSES.get(name, frozenset())
        while self._open and self._open[-1][0] in ends:
            self._pop()
