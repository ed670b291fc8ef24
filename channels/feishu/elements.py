"""Single card elements: JSON 2.0 objects with stable ids, and what they cost.

Source: open.feishu.cn "卡片 JSON 2.0 结构" and its component pages, read 2026-02.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, cast

from channels.cards.model import Action, Table, WorkStatus
from channels.cards.shorten import head
from channels.feishu.markdown import escape
from channels.readable import Json, dump

MARKS: Mapping[WorkStatus, str] = {"pending": "⬜", "in_progress": "⏳", "success": "✅", "fail": "❌"}
LINE_BREAK = "  \n"
"""A line break that stays one: the platform joins lines that are parted by a single newline."""
_COLORS: Mapping[str, str] = {"info": "grey", "success": "green", "warning": "orange", "error": "red"}
_BUTTONS: Mapping[str, str] = {"default": "default", "primary": "primary", "danger": "danger"}
_OPAQUE = frozenset({"value", "rows"})
_BUTTON_CHARS = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """One top-level element and what it takes of a card's limits."""

    native: Json
    bytes: int
    objects: int
    tables: int = 0
    room: int = 0
    """Bytes that a card must have left for it: more than `bytes` where it may still grow."""
    fewer: Callable[[int], Piece] | None = field(default=None, compare=False)
    """Gives it with that many tables at most, the others as code."""


def piece_of(native: Json, *, tables: int = 0, room: int = 0, fewer: Callable[[int], Piece] | None = None) -> Piece:
    """Measure an element: UTF-8 bytes of its JSON and every tagged object in it."""
    size = len(dump(native).encode()) + 1
    return Piece(native, size, _objects(native), tables, max(room, size), fewer)


def _objects(node: object) -> int:
    """Count tagged objects."""
    if isinstance(node, list):
        return sum(map(_objects, cast("list[object]", node)))
    if not isinstance(node, dict):
        return 0
    fields = cast("Json", node)
    inner = sum(_objects(value) for key, value in fields.items() if key not in _OPAQUE)
    return inner + isinstance(fields.get("tag"), str)


def part_id(eid: str, number: int) -> str:
    """Give the id of one of several elements of a block."""
    return eid if number == 0 else f"{eid}_{number}"


@lru_cache(maxsize=4096)
def element_id(name: str) -> str:
    """Give an id the platform takes: a letter, then letters, digits, underscores. Equal names have equal ids.

    16 characters of the 20 allowed at most and one underscore, so that no part (`_1`) takes the id of another.
    """
    if len(name) <= 14 and name.isascii() and name.isalnum() and name[0].isalpha():
        return f"b_{name}"
    return f"x_{hashlib.blake2s(name.encode(), digest_size=7).hexdigest()}"


def markdown(eid: str, content: str, *, small: bool = False) -> Json:
    """Give a markdown element."""
    element: Json = {"tag": "markdown", "element_id": eid, "content": content}
    if small:
        element["text_size"] = "notation"
    return element


def note(eid: str, text: str, tone: Literal["info", "success", "warning", "error"]) -> Json:
    """Give a short coloured line of plain text."""
    lines = LINE_BREAK.join(escape(line) for line in text.split("\n"))
    return markdown(eid, f"<font color='{_COLORS[tone]}'>{lines}</font>", small=tone == "info")


def panel(eid: str, title: str, children: list[Json], *, expanded: bool, tint: str = "grey") -> Json:
    """Give a part that folds; `title` is plain text, `tint` the colour of its border."""
    header: Json = {
        "title": {"tag": "plain_text", "content": title},
        "icon": {"tag": "standard_icon", "token": "down-small-ccm_outlined", "size": "16px 16px"},
        "icon_position": "right",
        "icon_expanded_angle": -180,
    }
    return {
        "tag": "collapsible_panel",
        "element_id": eid,
        "expanded": expanded,
        "header": header,
        "border": {"color": tint, "corner_radius": "5px"},
        "elements": children,
    }


def table(eid: str, block: Table, rows: tuple[tuple[str, ...], ...]) -> Json:
    """Give a native table of some of the block's rows. Cells are plain text and paged by the client."""
    columns = [{"name": f"c{at}", "display_name": name, "data_type": "text"} for at, name in enumerate(block.columns)]
    cells = [{f"c{at}": cell for at, cell in enumerate(row)} for row in rows]
    return {"tag": "table", "element_id": eid, "page_size": 10, "columns": columns, "rows": cells}


def button(action: Action, *, submits: bool = False) -> Json:
    """Give a button. Its payload is an object: with a plain text some clients' handlers fail."""
    element: Json = {
        "tag": "button",
        "text": {"tag": "plain_text", "content": head(action.label, _BUTTON_CHARS)},
        "type": _BUTTONS[action.style],
        "disabled": not action.enabled,
        "behaviors": [{"type": "callback", "value": action.value()}],
    }
    if submits:
        element |= {"name": f"submit_{action.name}", "form_action_type": "submit"}
    return element


def button_row(eid: str, actions: tuple[Action, ...]) -> Json:
    """Give all buttons side by side, wrapping where the screen is narrow."""
    columns = [{"tag": "column", "width": "auto", "elements": [button(action)]} for action in actions]
    return {"tag": "column_set", "element_id": eid, "flex_mode": "flow", "columns": columns}
