"""Markdown as it grows out of a page's elements."""

from __future__ import annotations

import re

from engine.tools.web.hidden import seen
from engine.tools.web.links import Link

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt"}
    | {"fieldset", "figcaption", "figure", "footer", "form", "header", "legend", "main", "nav", "ol", "p"}
    | {"section", "summary", "table", "ul", "html"}
)
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "code": "`", "kbd": "`", "samp": "`"}
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")
_MAX_INDENT = 8
MAX_LINKS = 200


class Prose:
    """Collects lines. A line begins when something is written on it, so empty elements leave nothing behind."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._lists: list[int] = []
        """For each open list the number of its last item; -1 for one without numbers."""
        self._quotes = 0
        self._code: list[str] | None = None
        self._link: tuple[str, list[str]] | None = None
        self.links: dict[str, Link] = {}
        """The first link of each target."""

    def write(self, text: str) -> None:
        """Add text; white space is one space, except in code."""
        text = seen(text)
        if self._code is not None:
            self._code.append(text)
            return
        text = _SPACE.sub(" ", text)
        line = self._link[1] if self._link is not None else self._line
        if not text.strip() and not (line or self._line):
            return
        before = line or self._line
        line.append(text.lstrip() if not before or before[-1].endswith(" ") else text)

    def picture(self, alt: str) -> None:
        """Add what a picture shows, as its page says; nothing is fetched."""
        if alt:
            self.write(f"[picture: {alt}]")

    def begin(self, name: str) -> None:
        """Begin an element that is shown."""
        if self._code is not None:
            return
        if name in _HEADINGS:
            self._block(_HEADINGS[name])
        elif name in ("ul", "ol"):
            self._block()
            self._lists.append(0 if name == "ol" else -1)
        elif name == "li":
            self._item()
        elif name in ("td", "th"):
            self._cell()
        elif name == "blockquote":
            self._block()
            self._quotes = min(self._quotes + 1, _MAX_INDENT)
        elif name in ("pre", "br", "hr", "tr"):
            self._special(name)
        elif name in _BLOCKS:
            self._block()
        elif name in _MARKS and self._link is None:
            self._line.append(_MARKS[name])

    def end(self, name: str) -> None:
        """End an element that was shown."""
        if name == "pre":
            self._end_code()
        elif self._code is not None:
            return
        elif name in ("ul", "ol"):
            self._break()
            self._lists = self._lists[:-1]
            self._blank()
        elif name == "blockquote":
            self._block()
            self._quotes = max(0, self._quotes - 1)
        elif name in ("li", "tr"):
            self._break()
        elif name in _HEADINGS or name in _BLOCKS:
            self._block()
        elif name in _MARKS and self._link is None:
            self._end_mark(_MARKS[name])

    def begin_link(self, target: str) -> None:
        """Begin a link; one within another ends it."""
        if self._link is not None:
            self.end_link()
        if target and self._code is None:
            self._link = (target, [])

    def end_link(self) -> None:
        """End a link; it leaves nothing behind when no text stood on it."""
        link, self._link = self._link, None
        if link is None:
            return
        label = " ".join("".join(link[1]).split()).replace("[", "(").replace("]", ")")
        if not label:
            return
        if self._line and not self._line[-1].endswith((" ", "*", "`", "(")) and link[1][0].startswith(" "):
            self._line.append(" ")
        self._line.append(f"[{label}]({link[0]})" + (" " if link[1][-1].endswith(" ") else ""))
        if len(self.links) < MAX_LINKS:
            self.links.setdefault(link[0], Link(label, link[0]))

    def text(self) -> str:
        """Give all of it."""
        if self._code is not None:
            self._end_code()
        self.end_link()
        self._break()
        return "\n".join(self._lines).strip("\n")

    def _special(self, name: str) -> None:
        if name in ("br", "tr"):
            self._break()
            return
        self._block()
        if name == "pre":
            self._code = []
        else:
            self._lines += ["---", ""]

    def _item(self) -> None:
        self._break()
        depth = min(max(0, len(self._lists) - 1), _MAX_INDENT)
        mark = "- "
        if self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            mark = f"{self._lists[-1]}. "
        self._prefix = "  " * depth + mark

    def _cell(self) -> None:
        if self._line or self._prefix == "| ":
            self._line.append(" | ")
        else:
            self._prefix = "| "

    def _end_mark(self, mark: str) -> None:
        if self._line and self._line[-1] == mark:
            self._line.pop()
            return
        if self._line and self._line[-1].endswith(" "):
            self._line[-1] = self._line[-1].rstrip()
            self._line.append(f"{mark} ")
        elif self._line:
            self._line.append(mark)

    def _end_code(self) -> None:
        code, self._code = "".join(self._code or []).strip("\n"), None
        if not code.strip():
            return
        longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
        fence = "`" * (longest + 1)
        self._lines += [self._quote() + line for line in (fence, *code.splitlines(), fence)]
        self._blank()

    def _block(self, prefix: str = "") -> None:
        if self._link is not None and self._link[1]:
            self.end_link()  # a link around blocks that stands before the first of them goes on
        had = bool(self._line)
        self._break()
        if prefix or had or not self._lists:
            self._blank_unless_item()
        self._prefix = prefix or self._prefix

    def _break(self) -> None:
        """End the line; a prefix nothing was written behind waits for the next one."""
        line = "".join(self._line).strip()
        self._line = []
        if line:
            self._lines.append(self._quote() + self._prefix + line)
            self._prefix = ""

    def _blank_unless_item(self) -> None:
        if not self._lists:
            self._blank()

    def _blank(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def _quote(self) -> str:
        return "> " * self._quotes
