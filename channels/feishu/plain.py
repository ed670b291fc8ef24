"""What is left of an answer as plain text, when the platform refuses one of its cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import cast

from channels.cards.markdown import split
from channels.cards.model import Card
from channels.cards.text import plain_messages
from channels.feishu.cards import Page
from channels.readable import Json

_FONT = re.compile(r"</?font[^>]*>")


def rest_as_text(card: Card, pages: Sequence[Page], number: int, *, max_bytes: int) -> list[str]:
    """Give what `pages` show from `number` on as texts of at most `max_bytes` UTF-8 bytes each."""
    if number == 0:
        return plain_messages(card, max_bytes=max_bytes)
    lines = [line for page in pages[number:] for element in page.elements for line in _lines(element)]
    text = "\n\n".join(line for line in lines if line.strip())
    return split(text, max_bytes, measure=lambda part: len(part.encode()))


def _lines(node: Json) -> Iterable[str]:
    tag = node.get("tag")
    if tag == "markdown":
        yield unescape(_FONT.sub("", str(node["content"])))
    elif tag == "table":
        columns = cast("list[Json]", node["columns"])
        yield "\n".join(
            [
                " | ".join(str(column["display_name"]) for column in columns),
                *(" | ".join(str(row[column["name"]]) for column in columns) for row in node["rows"]),
            ]
        )
    elif tag == "collapsible_panel":
        yield str(node["header"]["title"]["content"])
        for child in cast("list[Json]", node["elements"]):
            yield from _lines(child)
