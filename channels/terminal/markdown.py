"""Markdown as a person reads it on a terminal: headings, emphasis, lists, quotes, code, tables.

A growing text is drawn piece by piece: what ended with a blank line is kept, so that a frame costs what has grown.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from channels.terminal.grid import Cell, grid
from channels.terminal.ink import Line, Span, indented, line, wrap
from channels.terminal.width import clean, one_line

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_INLINE_STYLES = {"strong": "bold", "em": "italic", "s": "strike", "link": "under", "code_inline": "cyan"}
_HEADING = {"h1": "bold under cyan", "h2": "bold cyan"}
_CODE = "cyan"
_KEPT_CHUNKS = 8192
"""As many paragraphs as the longest answers have, so that none is drawn twice."""


def render_markdown(markdown: str, columns: int) -> list[Line]:
    """Give `markdown` as lines of at most `columns` cells; its text is made harmless first."""
    lines: list[Line] = []
    for chunk in _chunks(clean(markdown)):
        drawn = _chunk(chunk, columns)
        if drawn and lines:
            lines.append(())
        lines += drawn
    return lines


def _chunks(text: str) -> Iterator[str]:
    """Cut at blank lines, but not inside a code block nor before an indented line: that may belong to a list."""
    chunk: list[str] = []
    fence, blank = "", False
    for each in text.split("\n"):
        if blank and not fence and each.strip() and not each[0].isspace():
            yield "\n".join(chunk)
            chunk = []
        chunk.append(each)
        blank = not each.strip()
        fence = _fence_after(each.lstrip(), fence)
    yield "\n".join(chunk)


def _fence_after(stripped: str, fence: str) -> str:
    mark = stripped[:1]
    ticks = stripped[: len(stripped) - len(stripped.lstrip(mark))] if mark in ("`", "~") else ""
    if not fence:
        return ticks if len(ticks) >= 3 and (mark == "~" or "`" not in stripped[len(ticks) :]) else ""
    closes = len(ticks) >= len(fence) and ticks[:1] == fence[0] and not stripped.strip(mark).strip()
    return "" if closes else fence


@lru_cache(maxsize=_KEPT_CHUNKS)
def _chunk(markdown: str, columns: int) -> tuple[Line, ...]:
    return tuple(_blocks(SyntaxTreeNode(_PARSER.parse(markdown)), columns))


def _blocks(node: SyntaxTreeNode, columns: int, *, tight: bool = False) -> list[Line]:
    lines: list[Line] = []
    for child in node.children:
        drawn = _block(child, columns)
        if drawn and lines and not tight:
            lines.append(())
        lines += drawn
    return lines


def _block(node: SyntaxTreeNode, columns: int) -> list[Line]:
    match node.type:
        case "heading":
            return _wrapped(_inline(node, _HEADING.get(node.tag, "bold")), columns)
        case "bullet_list" | "ordered_list":
            return _list(node, columns)
        case "blockquote":
            bar = Span("│ ", "dim")
            return indented(_blocks(node, max(4, columns - 2)), bar, bar)
        case "fence" | "code_block":
            return _code(node, columns)
        case "hr":
            return [line("─" * min(columns, 40), "dim")]
        case "table":
            rows = [row.children for part in node.children for row in part.children]
            right = {place for place, cell in enumerate(rows[0]) if "right" in str(cell.attrs.get("style", ""))}
            cells = [[_inline(cell, "") for cell in row] for row in rows]
            return grid(cells[0], cells[1:], columns, right=right)
        case "html_block":
            return _wrapped((Span(node.content.rstrip("\n")),), columns)
        case _:
            return _wrapped(_inline(node, ""), columns)


def _list(node: SyntaxTreeNode, columns: int) -> list[Line]:
    number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
    lines: list[Line] = []
    for item in node.children:
        mark = f"{number}. " if number else "• "
        number += bool(number)
        inner = _blocks(item, max(4, columns - len(mark)), tight=True) or [()]
        lines += indented(inner, Span(mark, "dim"), Span(" " * len(mark)))
    return lines


def _code(node: SyntaxTreeNode, columns: int) -> list[Line]:
    """Code is indented and not otherwise touched, so that it can be copied; a long line goes on in the next row."""
    rows: list[Line] = []
    for each in node.content.rstrip("\n").split("\n"):
        rows += wrap(line(each, _CODE), max(4, columns - 2))
    margin = Span("  ")
    label = line(f"  {one_line(node.info).split()[0]}", "dim") if one_line(node.info) else ()
    return [*([label] if label else []), *indented(rows, margin, margin)]


def _wrapped(cell: Cell, columns: int) -> list[Line]:
    return list(wrap(cell, columns)) if cell else []


def _inline(node: SyntaxTreeNode, style: str) -> Cell:
    """Give the spans of a node; its text is made harmless once more: entities stand for any character."""
    return tuple(Span(clean(span.text), span.style) for span in _spans(node, style) if span.text)


def _spans(node: SyntaxTreeNode, style: str) -> Iterator[Span]:
    for child in node.children:
        match child.type:
            case "softbreak" | "hardbreak":
                yield Span("\n", style)
            case "code_inline":
                yield Span(child.content, _joined(style, _CODE))
            case "image":
                yield Span(f"[{child.content or 'image'}] ({child.attrs.get('src', '')})", _joined(style, "dim"))
            case "link":
                yield from _link(child, style)
            case _ if child.children:
                yield from _spans(child, _joined(style, _INLINE_STYLES.get(child.type, "")))
            case _:
                yield Span(child.content, style)


def _link(node: SyntaxTreeNode, style: str) -> Iterator[Span]:
    """Give the words, then where they lead: a reader sees the true address, and can copy it."""
    words = list(_spans(node, _joined(style, "under")))
    address = clean(str(node.attrs.get("href", "")))
    yield from words
    if address and address != "".join(span.text for span in words):
        yield Span(f" ({address})", _joined(style, "dim"))


def _joined(*styles: str) -> str:
    """Give styles together, each word once; a later colour wins by coming later."""
    return " ".join(dict.fromkeys(" ".join(styles).split()))
