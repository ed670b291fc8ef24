"""A whole card as plain text, for channels and moments that have no card."""

from __future__ import annotations

from channels.cards.markdown import split
from channels.cards.model import Card, Text


def plain_messages(card: Card, *, max_bytes: int) -> list[str]:
    """Give the card as messages of at most `max_bytes` UTF-8 bytes each, in reading order."""
    body = "\n\n".join(block.markdown for block in card.blocks if isinstance(block, Text))
    return split(body or card.header.title, max_bytes, measure=lambda text: len(text.encode()))
