"""A question to a person before a call runs: what is asked, the exact call, and what became of it."""

from __future__ import annotations

from typing import Any, Literal, cast

from channels.cards.model import LaneBlock, Note
from channels.cards.shorten import shorten
from gateway.presenter.calls import call_panel, seen
from gateway.presenter.names import block_id, by_name
from gateway.texts import LANGUAGES, Language, text

_NOBODYS = ("expired", "stopped", "changed")
"""How a question ends without an answer."""
COVERED_CHARS = 2000
_TONES: dict[str, Literal["info", "success", "warning", "error"]] = {"approved": "success", "denied": "error"}


def approval_blocks(name: str, data: dict[str, Any], language: Language) -> tuple[LaneBlock, ...]:
    """Draw a question: while it is open the words and the exact call, afterwards one line."""
    state, tool = str(data.get("state", "pending")), str(data.get("tool", ""))
    if state != "pending":
        is_unanswered = state in _NOBODYS
        key = f"approval.{state}"
        outcome = text(language, key) if is_unanswered else by_name(language, key, data)
        if state == "approved" and data.get("lasting"):
            lasting = text(language, f"approval.lasting_{data['lasting']}")
            outcome = f"{outcome} {lasting}"
        return (Note(name, f"{tool}: {outcome}", _TONES.get(state, "warning")),)
    key = "approval.cut" if data.get("reason") == "cut" else "approval.question"
    lines = [text(language, key, tool=tool)]
    if data.get("purpose"):
        lines.append(text(language, "approval.purpose", purpose=_purpose(tool, str(data["purpose"]), language)))
    if data.get("offers"):
        lines.append(_covers(cast("dict[str, Any]", data.get("covers") or {}), tool, language))
    args = cast("dict[str, Any]", data.get("args") or {})
    panel = call_panel(block_id("call", name), tool, args, language)
    return (Note(name, "\n".join(lines), "warning"), panel)


def _covers(covers: dict[str, Any], tool: str, language: Language) -> str:
    """Say what a button that allows more than this call would allow."""
    what = shorten(seen(", ".join(cast("list[str]", covers.get("what") or []))), COVERED_CHARS)
    return text(language, f"approval.covers_{covers.get('kind')}", tool=tool, what=what)


def _purpose(tool: str, told: str, language: Language) -> str:
    """Give what a tool is for in words for a person; a tool we have none for tells what a model reads of it."""
    return LANGUAGES[language].get(f"purpose.{tool}", told)
