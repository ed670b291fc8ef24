"""How the pretended platform shows a card: the answer on its own, everything else as lines of text."""

from __future__ import annotations

from typing import assert_never

from channels.cards.model import (
    Block,
    Card,
    CardStatus,
    Form,
    Image,
    Lane,
    Note,
    Table,
    Text,
    Thinking,
    Todos,
    ToolPanel,
)


def answer(card: Card) -> str:
    """Give the text that streams: all text blocks outside lanes."""
    return "\n\n".join(block.markdown for block in card.blocks if isinstance(block, Text))


def still_growing(card: Card) -> bool:
    """Tell whether more text may come."""
    return any(isinstance(block, Text) and block.streaming for block in card.blocks)


def streams(card: Card) -> bool:
    """Tell whether the platform should show the card as streaming: not while it waits, not when it is over."""
    return card.header.status in (CardStatus.QUEUED, CardStatus.WORKING)


def rest(card: Card) -> str:
    """Give everything but the answer, one thing a line."""
    lines = [f"# {card.header.title} [{card.header.status}]"]
    for block in card.blocks:
        if not isinstance(block, Text):
            lines += _lines(block)
    if card.footer.text:
        lines.append(f"-- {card.footer.text}")
    return "\n".join(lines)


def buttons(card: Card) -> list[dict[str, str]]:
    """Give the values of the buttons that can be pressed."""
    actions = list(card.actions) + [block.submit for block in card.blocks if isinstance(block, Form)]
    return [action.value() for action in actions if action.enabled]


def _lines(block: Block) -> list[str]:
    match block:
        case Text():
            return [block.markdown]
        case Thinking():
            return [f"thinking: {block.text}"]
        case Todos():
            lines = [f"[{item.status}] {item.title}" for item in block.items]
            return [block.title, *lines] if block.title else lines
        case ToolPanel():
            return [f"({block.status}) {block.title}", *([block.body] if block.body else [])]
        case Lane():
            return [f"== {block.title} ({block.status})", *(line for inner in block.blocks for line in _lines(inner))]
        case Table():
            return [" | ".join(row) for row in (block.columns, *block.rows)]
        case Image():
            return [f"image: {block.alt or block.key}"]
        case Note():
            return [f"{block.tone}: {block.text}"]
        case Form():
            return [f"{field.label}: ____" for field in block.fields]
        case _:
            assert_never(block)
