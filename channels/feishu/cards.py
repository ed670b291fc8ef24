"""The neutral card as card JSON 2.0, divided into as many cards as the platform's limits ask for.

Source: open.feishu.cn cardkit-v1 and card JSON 2.0 pages, read 2026-02: 30 KB and 200 elements a card, counting every
tagged object; five tables. Users met the element limit at 150 to 180 and never at 100, so 100 it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from channels.cards.model import Action, Card, CardStatus, Header, Text
from channels.cards.panels import words_of
from channels.cards.shorten import shorten
from channels.feishu.blocks import block_pieces
from channels.feishu.elements import Piece, button_row, markdown, note, piece_of
from channels.feishu.growth import Texts
from channels.feishu.markdown import escape
from channels.readable import Json

CARD_BYTES = 26_000
"""For one serialised card: 30 KB less room for what the platform adds when it expands style tags."""
CARD_OBJECTS = 100
CARD_TABLES = 5
SUMMARY_CHARS = 100
"""What a list of chats has room for; ours."""
_FRAME_BYTES = 700
_FRAME_OBJECTS = 2

BUTTONS = "actions"
"""Id of the element that holds the buttons."""
_MORE = piece_of(markdown("b_more", "…"))

STREAMING_CONFIG: Json = {
    "print_frequency_ms": {"default": 40},
    "print_step": {"default": 10},
    "print_strategy": "fast",
}
"""250 characters a second: faster than models write, so that the client never lags. The platform's default is 14."""

_TEMPLATES: Mapping[CardStatus, str] = {
    CardStatus.QUEUED: "grey",
    CardStatus.WORKING: "blue",
    CardStatus.WAITING: "orange",
    CardStatus.PAUSED: "grey",
    CardStatus.DONE: "green",
    CardStatus.STOPPED: "grey",
    CardStatus.FAILED: "red",
    CardStatus.INTERRUPTED: "orange",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One card of the platform. `streaming` says whether its text may still grow."""

    header: Json
    elements: tuple[Json, ...]
    streaming: bool
    summary: str
    is_cut: bool = False
    """More would follow, but no further card can be put up."""

    def config(self) -> Json:
        """Give the card's config."""
        config: Json = {"update_multi": True, "streaming_mode": self.streaming, "summary": {"content": self.summary}}
        if self.streaming:
            config["streaming_config"] = STREAMING_CONFIG
        return config

    def native(self) -> Json:
        """Give the whole card as the platform takes it."""
        body = {"elements": list(self.elements)}
        return {"schema": "2.0", "config": self.config(), "header": self.header, "body": body}


@dataclass(frozen=True, slots=True)
class Budget:
    """What one card may hold; made smaller when the platform found a card too long."""

    bytes: int = CARD_BYTES
    objects: int = CARD_OBJECTS

    def smaller(self) -> Budget:
        """Give a budget that leaves more room."""
        return Budget(self.bytes * 7 // 10, max(20, self.objects * 7 // 10))


def render_card(
    card: Card, budget: Budget | None = None, *, most: int | None = None, texts: Texts | None = None
) -> list[Page]:
    """Give the platform's cards for one snapshot, at least one, in reading order. The buttons are on the last.

    `most`: no more cards than that; the rest is left out. `texts`: kept by the caller from snapshot to snapshot of one
    card, so that only growth costs.
    """
    status = card.header.status
    streaming = status in (CardStatus.QUEUED, CardStatus.WORKING)
    tail = _tail(card.actions, card.footer.text)
    stacks = _divide(_pieces(card, texts or Texts()), tail, budget or Budget())
    is_cut = most is not None and len(stacks) > most
    if is_cut:
        stacks = stacks[:most]
        stacks[-1] += [_MORE, *tail]
    last = len(stacks) - 1
    return [
        Page(
            header=_header(card.header, number),
            elements=tuple(piece.native for piece in stack) or (markdown("b_wait", "…"),),
            streaming=streaming and number == last and not is_cut,
            summary=shorten(card.summary or card.header.title or card.header.subtitle, SUMMARY_CHARS),
            is_cut=is_cut and number == last,
        )
        for number, stack in enumerate(stacks)
    ]


def render_leftover(card: Card, number: int) -> Page:
    """Give an emptied card: its text was withdrawn after it had been shown."""
    return Page(_header(card.header, number), (markdown("b_wait", "—"),), streaming=False, summary="")


def _pieces(card: Card, texts: Texts) -> list[Piece]:
    words = words_of(card)
    return [piece for block in card.blocks for piece in block_pieces(block, words, texts)]


@lru_cache(maxsize=256)
def _tail(actions: tuple[Action, ...], footer: str) -> tuple[Piece, ...]:
    """Give what stands at the end of the last card."""
    tail: list[Piece] = []
    if actions:
        tail.append(piece_of(button_row(BUTTONS, actions)))
    if footer:
        tail.append(piece_of(note("footer", footer, "info")))
    return tuple(tail)


def _divide(pieces: list[Piece], tail: tuple[Piece, ...], budget: Budget) -> list[list[Piece]]:
    """Fill card after card, in order, keeping room for the tail on each: any may be the last."""
    tail_bytes = _FRAME_BYTES + sum(piece.bytes for piece in tail)
    tail_objects = _FRAME_OBJECTS + sum(piece.objects for piece in tail)
    stacks: list[list[Piece]] = [[]]
    size, objects, tables = tail_bytes, tail_objects, 0
    for whole in pieces:
        piece = _within_tables(whole, CARD_TABLES - tables)
        if stacks[-1] and (size + piece.room > budget.bytes or objects + piece.objects > budget.objects):
            stacks.append([])
            size, objects, tables = tail_bytes, tail_objects, 0
            piece = whole
        stacks[-1].append(piece)
        size, objects, tables = size + piece.bytes, objects + piece.objects, tables + piece.tables
    stacks[-1] += tail
    return stacks


def _within_tables(piece: Piece, left: int) -> Piece:
    """Give the element with as many tables as the card has room for, further ones as code."""
    return piece if piece.tables <= left or piece.fewer is None else piece.fewer(max(0, left))


def _header(header: Header, number: int) -> Json:
    more = f" ({number + 1})" if number else ""
    native: Json = {
        "title": {"tag": "plain_text", "content": (header.title or " ") + more},
        "template": _TEMPLATES[header.status],
    }
    if header.subtitle:
        native["subtitle"] = {"tag": "plain_text", "content": header.subtitle}
    return native


def simplified(card: Card) -> Card:
    """Give the card with all its markdown as plain text, for a platform that refuses the way it was written."""
    blocks = tuple(
        Text(block.id, "\n".join(escape(line) for line in block.markdown.split("\n")), block.streaming)
        if isinstance(block, Text)
        else block
        for block in card.blocks
    )
    return replace(card, blocks=blocks)
