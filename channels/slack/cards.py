"""The neutral card as messages of blocks, as many as the platform's limits ask for.

Source: docs.slack.dev "Block Kit", read 2026-08: 50 blocks a message, 12,000 characters in all its markdown blocks;
about 13,200 characters of JSON: slackapi/bolt-js#2509.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from channels.cards.model import Card, CardStatus, Header, Text
from channels.cards.panels import words_of
from channels.readable import Json
from channels.slack.blocks import block_pieces
from channels.slack.elements import HEADER_CHARS, Piece, buttons, fitted, header, line, piece_of
from channels.slack.escape import mrkdwn
from channels.slack.growth import Texts

MESSAGE_BYTES = 11_000
"""For the blocks of one message, in UTF-8 bytes of their JSON: below what users saw refused."""
MESSAGE_BLOCKS = 45
SUMMARY_CHARS = 150
_FRAME_BYTES = 600
_FRAME_BLOCKS = 4

STATUS_MARKS: Mapping[CardStatus, str] = {
    CardStatus.QUEUED: "🕓",
    CardStatus.WORKING: "⏳",
    CardStatus.WAITING: "✋",
    CardStatus.PAUSED: "⏸️",
    CardStatus.DONE: "✅",
    CardStatus.STOPPED: "⏹️",
    CardStatus.FAILED: "❌",
    CardStatus.INTERRUPTED: "⚠️",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One message. `text` is what a notification shows."""

    blocks: tuple[Json, ...]
    text: str
    is_cut: bool = False
    """More would follow, but no further message can be put up."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one message may hold; made smaller when the platform found one too long."""

    bytes: int = MESSAGE_BYTES
    blocks: int = MESSAGE_BLOCKS

    def smaller(self) -> Budget:
        """Give a budget that leaves more room."""
        return Budget(self.bytes * 6 // 10, max(10, self.blocks * 6 // 10))


def render_card(
    card: Card, budget: Budget | None = None, *, most: int | None = None, texts: Texts | None = None, thread: str = ""
) -> list[Page]:
    """Give the messages for one snapshot, at least one, in reading order.

    Only the last one tells the status and has the buttons, so that a part of an answer never says "done". `most`: no
    more messages than that. `texts`: kept by the caller from snapshot to snapshot. `thread`: of the conversation.
    """
    words, kept = words_of(card), texts or Texts()
    pieces = [piece for block in card.blocks for piece in block_pieces(block, words, kept, thread)]
    tail = _tail(card, thread)
    stacks = _divide(pieces, tail, budget or Budget())
    is_cut = most is not None and len(stacks) > most
    if is_cut:
        stacks = [*stacks[: most or 1]]
        stacks[-1] = [*stacks[-1], line("…")]
    text = mrkdwn(fitted(card.summary or card.header.title or card.header.subtitle, SUMMARY_CHARS)) or "…"
    last = len(stacks) - 1
    pages: list[Page] = []
    for number, stack in enumerate(stacks):
        end = tail if number == last and not is_cut else ()
        blocks = (*_head(card.header, number, is_last=number == last), *stack, *end)
        pages.append(Page(blocks, text, is_cut=is_cut and number == last))
    return pages


def render_leftover(card: Card, number: int) -> Page:
    """Give an emptied message: its text was withdrawn after it had been shown."""
    return Page((header(f"{fitted(card.header.title, HEADER_CHARS - 20)} ({number + 1})"), line("—")), "—")


def simplified(card: Card) -> Card:
    """Give the card with the markdown of its texts as code, for a platform that refuses the way it was written."""
    blocks = tuple(
        replace(block, markdown="\n".join(f"    {each}" for each in block.markdown.split("\n")))
        if isinstance(block, Text)
        else block
        for block in card.blocks
    )
    return replace(card, blocks=blocks)


def _head(told: Header, number: int, *, is_last: bool) -> tuple[Json, ...]:
    more = f" ({number + 1})" if number else ""
    title = header(fitted(told.title or "…", HEADER_CHARS - 20) + more)
    if not is_last:
        return (title,)
    return (title, line(fitted(f"{STATUS_MARKS[told.status]} {told.subtitle or told.status.value}", 200)))


def _tail(card: Card, thread: str) -> tuple[Json, ...]:
    row = buttons(card.actions, thread)
    footer = line(card.footer.text) if card.footer.text else None
    return tuple(block for block in (row, footer) if block is not None)


def _divide(pieces: list[Piece], tail: tuple[Json, ...], budget: Budget) -> list[list[Json]]:
    """Fill message after message, in order, keeping room for the end on each: any may be the last."""
    room = budget.bytes - _FRAME_BYTES - piece_of(*tail).bytes
    count = budget.blocks - _FRAME_BLOCKS - len(tail)
    stacks: list[list[Json]] = [[]]
    size = tables = 0
    for piece in (part for whole in pieces for part in _fitting(whole, count)):
        if stacks[-1] and (size + piece.bytes > room or len(stacks[-1]) + len(piece.blocks) > count):
            stacks.append([])
            size = tables = 0
        if tables and piece.tables and piece.plain:
            for part in _fitting(piece_of(*piece.plain), count):
                stacks[-1] += part.blocks
                size += part.bytes
            continue
        stacks[-1] += piece.blocks
        size, tables = size + piece.bytes, tables + piece.tables
    return stacks


def _fitting(piece: Piece, count: int) -> list[Piece]:
    """Give a part that holds more than a message takes as single blocks."""
    return [piece] if len(piece.blocks) <= count else [piece_of(block) for block in piece.blocks]
