"""How the cards of an answer end: never "done" before all of it is there, and at rest when it went another way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from channels.cards.ports import Write
from channels.feishu.cards import BUTTONS, Page
from channels.feishu.diff import TextChange
from channels.feishu.sheet import Sheet
from channels.readable import Json

Unrest = Literal["", "status", "active"]

_AT_WORK = "blue"


@dataclass(frozen=True, slots=True)
class PageWrite:
    """Payload of a write: which card (`number`), what it will look like, and the request's own part."""

    number: int
    page: Page
    text: TextChange | None = None
    actions: tuple[Json, ...] = ()
    streaming: bool = False
    final: bool = False
    """The whole card is the last word."""
    leaves: Unrest | None = None
    """The card is left behind: how it looks when this was accepted."""


def held(pages: Sequence[Page], sheets: Sequence[Sheet]) -> list[Page]:
    """Give the pages of an ended run with the state they show now on all but the last.

    The last page alone tells the end, and where an answer is cut none does: a reader who sees the end has all of it.
    """
    is_cut = any(page.is_cut for page in pages)
    last = len(pages) - 1
    return [
        page if number == last and not is_cut else replace(page, header=_header_now(number, page, sheets))
        for number, page in enumerate(pages)
    ]


def _header_now(number: int, page: Page, sheets: Sequence[Sheet]) -> Json:
    known = [sheet.page.header for sheet in (*sheets[number : number + 1], *sheets) if sheet.page is not None]
    now = known[0] if known else {"template": _AT_WORK}
    header: Json = {"title": page.header["title"], "template": now["template"]}
    return {**header, "subtitle": now["subtitle"]} if "subtitle" in now else header


def quiet_writes(number: int, sheet: Sheet, page: Page) -> list[Write]:
    """Give what leaves one card at rest: best as `page`; where that was refused, without spinner and buttons."""
    if not sheet.card_id:
        is_possible = not sheet.refused_rest and sheet.message_id
        return [Write("message.patch", "replace", PageWrite(number, page, leaves=""))] if is_possible else []
    if sheet.refused_rest == 0:
        return [Write("card.replace", "replace", PageWrite(number, page, leaves=""))]
    if sheet.refused_rest > 1:
        return []
    if not _may_have_buttons(sheet):
        return [Write("card.settings", "settings", PageWrite(number, page, leaves="status"))]
    gone: Json = {"action": "delete_elements", "params": {"element_ids": [BUTTONS]}}
    return [
        Write("card.settings", "settings", PageWrite(number, page)),
        Write("card.batch", "batch", PageWrite(number, page, actions=(gone,), leaves="status")),
    ]


def _may_have_buttons(sheet: Sheet) -> bool:
    """Tell whether there may be buttons to take away: the platform refuses to delete what is not there."""
    return sheet.page is None or any(element.get("element_id") == BUTTONS for element in sheet.page.elements)


def worst(sheets: Iterable[Sheet]) -> Unrest:
    """Tell what still looks at work on any of the cards that a reader sees."""
    left: set[Unrest] = {sheet.unrest for sheet in sheets if sheet.is_sent and not sheet.is_gone}
    return "active" if "active" in left else "status" if "status" in left else ""
