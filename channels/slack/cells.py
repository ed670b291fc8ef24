"""The inside of a native table: inline markdown as the platform's rich text, so that no sign of it is left to read.

Source: docs.slack.dev "Table block" and "Rich text block", read 2026-08.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from channels.readable import Json
from channels.slack.escape import markdown as as_markdown
from channels.slack.escape import neutral

_PARSER = MarkdownIt("commonmark").enable("strikethrough")
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}
_SIGNS = frozenset("`*_~[!<\\&")


def plain_cell(text: str) -> Json:
    """Give a cell that shows `text` as it is."""
    return {"type": "raw_text", "text": neutral(text) or " "}


def markdown_cell(markdown: str) -> Json:
    """Give a cell that shows inline markdown."""
    if not _SIGNS & set(markdown):
        return plain_cell(markdown)
    leaves = list(_leaves(_PARSER.parseInline(as_markdown(markdown))[0].children or []))
    if not leaves:
        return plain_cell("")
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": leaves}]}


def words_of(cell: Json) -> str:
    """Give what a cell says."""
    if cell["type"] == "raw_text":
        return str(cell["text"])
    return "".join(
        str(leaf.get("text") or leaf.get("url", "")) for part in cell["elements"] for leaf in part["elements"]
    )


def settings_of(aligns: Sequence[str]) -> list[Json]:
    """Give the settings of the columns; none where all begin at the left, as without settings."""
    return [{"align": align} for align in aligns] if set(aligns) - {"left"} else []


def _leaves(tokens: Sequence[Token]) -> Iterator[Json]:
    """Give the pieces of a line, each with the emphasis that is open there."""
    open_styles: list[str] = []
    url = ""
    for token in tokens:
        name = token.type.rpartition("_")[0]
        if name in _STYLES:
            (open_styles.append if token.nesting > 0 else open_styles.remove)(_STYLES[name])
        elif name == "link":
            url = str(token.attrGet("href") or "") if token.nesting > 0 else ""
        elif text := _text_of(token):
            yield _leaf(neutral(text), [*open_styles, *(["code"] if token.type == "code_inline" else [])], url)


def _text_of(token: Token) -> str:
    return "\n" if token.type in ("softbreak", "hardbreak") else token.content


def _leaf(text: str, styles: Sequence[str], url: str) -> Json:
    leaf: Json = {"type": "link", "url": url, "text": text} if url else {"type": "text", "text": text}
    return {**leaf, "style": dict.fromkeys(styles, True)} if styles else leaf
