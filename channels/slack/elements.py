"""Single blocks of the platform, and what they cost.

Source: docs.slack.dev "Block Kit" reference, read 2026-08: section 3,000 characters, header 150, context 10 elements,
button text 75 and value 2,000, table 100 rows x 20 columns and one a message, markdown 12,000 a payload.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from channels.cards.model import Action, Form, WorkStatus
from channels.cards.shorten import head, shorten
from channels.readable import Json, dump
from channels.slack.cells import settings_of
from channels.slack.escape import code, mrkdwn, neutral

MARKS: Mapping[WorkStatus, str] = {"pending": "⬜", "in_progress": "⏳", "success": "✅", "fail": "❌"}
SECTION_CHARS = 2900
HEADER_CHARS = 150
LINE_CHARS = 300
TABLE_ROWS, TABLE_COLUMNS = 100, 20
_BUTTON_CHARS = 75
_PLACEHOLDER_CHARS = 150
VALUE_CHARS = 2000
THREAD_KEY = "at"
"""Under this key a button's value carries the thread of its conversation, which the platform may tell differently."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One or more blocks that stay together. `plain`: the same without a table block, where there is one."""

    blocks: tuple[Json, ...]
    bytes: int
    tables: int = 0
    plain: tuple[Json, ...] = ()


def piece_of(*blocks: Json, plain: Sequence[Json] = ()) -> Piece:
    """Measure blocks: UTF-8 bytes of their JSON."""
    size = sum(len(dump(block).encode()) + 1 for block in blocks)
    return Piece(blocks, size, sum(block["type"] == "table" for block in blocks), tuple(plain))


def fitted(text: str, chars: int) -> str:
    """Give a text on one line, neutral, in at most so many characters as the platform counts them: code points.

    What a reader sees as one character may be many.
    """
    line = neutral(shorten(text, chars))
    return line if len(line) <= chars else head(line, chars - 1) + "…"


def plain_text(text: str) -> Json:
    """Give a text object that shows its text as it is."""
    return {"type": "plain_text", "text": neutral(text) or " ", "emoji": True}


def header(title: str) -> Json:
    """Give a title line."""
    return {"type": "header", "text": plain_text(fitted(title, HEADER_CHARS - 10) or "…")}


def line(text: str) -> Json:
    """Give a line of small print."""
    return {"type": "context", "elements": [plain_text(head(neutral(text), SECTION_CHARS))]}


def section(text: str) -> Json:
    """Give a paragraph of plain text, at most `SECTION_CHARS`."""
    return {"type": "section", "text": plain_text(head(neutral(text), SECTION_CHARS))}


def bold(text: str) -> Json:
    """Give a line of plain text in bold."""
    words = fitted(text, LINE_CHARS).replace("*", "∗")
    return {"type": "section", "text": {"type": "mrkdwn", "text": f"*{mrkdwn(words)}*", "verbatim": True}}


def code_block(text: str) -> Json:
    """Give plain text as code; the caller keeps it below `SECTION_CHARS`."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": code(text), "verbatim": True}}


def markdown_block(text: str) -> Json:
    """Give standard Markdown, already in the platform's dialect."""
    return {"type": "markdown", "text": text}


def table_block(rows: Sequence[Sequence[Json]], aligns: Sequence[str] = ()) -> Json:
    """Give a native table of cells, the head first; no more than `TABLE_ROWS`, and `TABLE_COLUMNS`."""
    settings = settings_of(aligns)
    return {"type": "table", "rows": [list(row) for row in rows], **({"column_settings": settings} if settings else {})}


def button(action: Action, number: int, thread: str) -> Json:
    """Give a button. Its value comes back as it is."""
    value = dump({**action.value(), THREAD_KEY: thread})
    native: Json = {
        "type": "button",
        "action_id": f"{action.name}_{number}",
        "text": plain_text(fitted(action.label, _BUTTON_CHARS)),
        "value": value[:VALUE_CHARS],
    }
    if action.style != "default":
        native["style"] = action.style
    return native


def buttons(actions: Sequence[Action], thread: str) -> Json | None:
    """Give the buttons that can be pressed, side by side: the platform knows no disabled ones."""
    shown = [button(action, number, thread) for number, action in enumerate(actions) if action.enabled]
    return {"type": "actions", "elements": shown[:25]} if shown else None


def form_blocks(form: Form, thread: str) -> list[Json]:
    """Give inputs and the button that submits them."""
    blocks: list[Json] = []
    for field in form.fields:
        element: Json = {"type": "plain_text_input", "action_id": field.name}
        if field.placeholder:
            element["placeholder"] = plain_text(fitted(field.placeholder, _PLACEHOLDER_CHARS))
        blocks.append(
            {
                "type": "input",
                "label": plain_text(fitted(field.label, 200)),
                "element": element,
                "optional": not field.required,
            }
        )
    submit = buttons((form.submit,), thread)
    return [*blocks, submit] if submit is not None else blocks
