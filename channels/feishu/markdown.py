"""CommonMark in the platform's dialect: what its markdown element shows differently, vanishes or refuses.

Source: open.feishu.cn "富文本组件" (card JSON 2.0 markdown), read 2026-02; refusals (11310, 200570) as users
reported them.
"""

from __future__ import annotations

import re
from functools import lru_cache

CHUNK_CHARS = 3000
"""One markdown element holds at most this much: long ones grow slowly, and some clients drop text beyond 10,000."""
TABLES_PER_ELEMENT = 4

_FENCE = re.compile(r"^( *)(`{3,20}(?=[^`]*$)|~{3,20}(?!~))(.*)$")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(\s*(\S+?)(?:\s+\"[^\"\n]*\")?\s*\)")
_CUT_IMAGE = re.compile(r"!(?:\[[^\]\n]*(?:\](?:\([^)\n]*)?)?)?$")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]+)>")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_MOVED_FENCE = re.compile(r"^ +(?:```|~~~)", re.MULTILINE)
_ANY_SEPARATOR = re.compile(r"^\s*\|?\s*:?-+:?\s*\|", re.MULTILINE)
_SEPARATOR = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_SPECIAL = str.maketrans({char: f"&#{ord(char)};" for char in "\\`*_[]<>~#&"})


def escape(text: str) -> str:
    """Give plain text that a markdown element shows as it is, on one line."""
    return " ".join(text.split("\n")).translate(_SPECIAL)


def fenced(text: str, language: str = "") -> str:
    """Give plain text as a code block."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


@lru_cache(maxsize=512)
def to_platform(markdown: str, *, tables: int = TABLES_PER_ELEMENT, growing: bool = False) -> str:
    """Give markdown that shows the same here. At most `tables` tables stay tables, further ones become code.

    `growing`: more may follow, so what is cut off at the end (a picture's address, a code span) must not be shown in a
    way that the rest would change.
    """
    if growing and (cut := _CUT_IMAGE.search(markdown)):
        markdown = markdown[: cut.start()]
    if not _differs(markdown, tables):
        return markdown
    at = markdown.rfind("\n\n") if growing else -1
    if at > 0 and not _open_fence(markdown[:at]):
        # Paragraphs that are finished were converted at an earlier tick.
        done, rest = markdown[:at], markdown[at + 2 :]
        left = max(0, tables - has_tables(done))
        return f"{to_platform(done, tables=tables)}\n\n{to_platform(rest, tables=left, growing=True)}"
    return _Dialect(tables, growing=growing).convert(markdown)


def _differs(markdown: str, tables: int) -> bool:
    """Tell quickly whether anything in a text may look different here: most texts are fine as they are."""
    if "<" in markdown or ">" in markdown or "![" in markdown or _MOVED_FENCE.search(markdown):
        return True
    return "|" in markdown and len(_ANY_SEPARATOR.findall(markdown)) > tables


class _Dialect:
    """One pass over the lines of one element."""

    def __init__(self, tables: int, *, growing: bool) -> None:
        self._tables_left = tables
        self._growing = growing
        self._out: list[str] = []
        self._fence = ""
        self._indent = 0

    def convert(self, markdown: str) -> str:
        lines = markdown.split("\n")
        at = 0
        while at < len(lines):
            if self._fence or lines[at].lstrip(" ").startswith(("```", "~~~")):
                self._code(lines[at])
            elif self._is_table(lines, at):
                at = self._table(lines, at)
                continue
            else:
                self._out.append(_prose(lines[at], open_end=self._growing and at == len(lines) - 1))
            at += 1
        return "\n".join(self._out)

    def _code(self, line: str) -> None:
        """Copy code as it is; fences must begin at column 0, so the block moves to the left as a whole."""
        match = _FENCE.match(line)
        if not self._fence and match:
            self._fence, self._indent = match.group(2), len(match.group(1))
            self._out.append(line[self._indent :])
            return
        strip = min(self._indent, len(line) - len(line.lstrip(" ")))
        self._out.append(line[strip:])
        if match and match.group(2).startswith(self._fence) and not match.group(3).strip():
            self._fence = ""

    @staticmethod
    def _is_table(lines: list[str], at: int) -> bool:
        if at + 1 == len(lines) or "|" not in lines[at] or "|" not in lines[at + 1]:
            return False
        return bool(_SEPARATOR.match(lines[at + 1]))

    def _table(self, lines: list[str], at: int) -> int:
        """Take a whole table; give the number of the line after it."""
        end = at + 2
        while end < len(lines) and "|" in lines[end] and lines[end].strip():
            end += 1
        rows = lines[at:end]
        if self._tables_left > 0:
            self._tables_left -= 1
            self._out += [_prose(row, open_end=False) for row in rows]
        else:
            self._out += ["```", *(row for number, row in enumerate(rows) if number != 1)]
            if not (self._growing and end == len(lines)):
                self._out.append("```")
        return end


@lru_cache(maxsize=4096)
def _prose(line: str, *, open_end: bool) -> str:
    """Convert a line outside of code blocks, leaving its code spans alone."""
    if not any(char in line for char in "<>!"):
        return line
    out: list[str] = []
    at = 0
    for span in _CODE_SPAN.finditer(line):
        out += [_plain(line[at : span.start()], at_start=at == 0), span.group()]
        at = span.end()
    rest = line[at:]
    if open_end and (tick := rest.find("`")) >= 0:
        return "".join([*out, _plain(rest[:tick], at_start=at == 0), rest[tick:]])
    return "".join([*out, _plain(rest, at_start=at == 0)])


def _plain(text: str, *, at_start: bool) -> str:
    quote = _QUOTE.match(text) if at_start else None
    head = quote.group() if quote else ""
    body = _IMAGE.sub(_picture, text[len(head) :])
    body = _AUTOLINK.sub(r"\1", body)
    return head + body.replace("<", "&#60;").replace(">", "&#62;")


def _picture(match: re.Match[str]) -> str:
    """Give a link for a picture by address: one such picture makes the platform refuse the whole card."""
    alt, target = match.groups()
    if target.startswith("img_"):
        return match.group()
    return f"[{alt or target}]({target})"


def has_tables(markdown: str) -> int:
    """Tell how many tables a converted text holds (as far as the platform counts them)."""
    if "|" not in markdown:
        return 0
    fence, count, before = "", 0, ""
    for line in markdown.split("\n"):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match.group(2)
        elif match and fence and match.group(2).startswith(fence) and not match.group(3).strip():
            fence = ""
        elif not fence and "|" in before and "|" in line and _SEPARATOR.match(line):
            count += 1
        before = "" if fence else line
    return count


def chunks(markdown: str) -> list[str]:
    """Cut long markdown into pieces for one element each.

    Where a cut falls depends only on the text before it, so it stays while the text grows. An open code block is closed
    at a cut and opened again behind it.
    """
    pieces: list[str] = []
    carry, rest = "", markdown
    while len(rest) > CHUNK_CHARS:
        at = _cut(rest[:CHUNK_CHARS])
        piece = carry + rest[:at]
        fence = _open_fence(piece)
        if fence:
            marker = fence[: len(fence) - len(fence.lstrip(fence[0]))]
            pieces.append(f"{piece.rstrip()}\n{marker}")
        else:
            pieces.append(piece.rstrip("\n"))
        carry = f"{fence}\n" if fence else ""
        rest = rest[at:].lstrip("\n")
    return [*pieces, carry + rest]


@lru_cache(maxsize=256)
def _cut(window: str) -> int:
    """Give where to cut: after the last paragraph, else line, else sentence or word, of the window's second half."""
    least = len(window) // 2
    for mark in ("\n\n", "\n", "。", ". ", " "):
        at = window.rfind(mark, least)
        if at >= 0:
            return at + len(mark)
    return len(window)


@lru_cache(maxsize=256)
def _open_fence(piece: str) -> str:
    """Give the opening line of the code block that is open at the end, empty when none is."""
    opened, fence = "", ""
    for line in piece.split("\n"):
        match = _FENCE.match(line)
        if match and not fence:
            fence, opened = match.group(2), line.strip()
        elif match and match.group(2).startswith(fence) and not match.group(3).strip():
            fence = opened = ""
    return opened
