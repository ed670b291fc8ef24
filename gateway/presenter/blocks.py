"""One merged record as blocks of the card."""

from __future__ import annotations

from typing import Any, cast

from channels.cards.model import LaneBlock, Note, Text, Thinking, TodoItem, Todos
from engine.events import TOOL_TYPES
from gateway.presenter.approvals import approval_blocks
from gateway.presenter.merge import Record
from gateway.presenter.names import block_id
from gateway.presenter.panels import panel_of
from gateway.presenter.progress import bar, step_title
from gateway.presenter.question import is_question, question_note
from gateway.texts import LANGUAGES, Language, text


def blocks_of(record: Record, *, live: bool, language: Language) -> tuple[LaneBlock, ...]:
    """Draw one record; nothing when there is nothing to see in it. `live` says whether the run goes on."""
    if record.type == "approval":
        return approval_blocks(block_id("approval", record.segment or str(record.order)), record.data, language)
    block = _block(record, live=live, language=language)
    return () if block is None else (block,)


def _block(record: Record, *, live: bool, language: Language) -> LaneBlock | None:
    name = block_id(record.type, record.segment or str(record.order))
    match record.type:
        case "text" | "summary":
            streaming = live and record.status == "in_progress"
            return Text(name, record.text, streaming) if record.text else None
        case "thinking":
            return Thinking(name, record.text, live and record.status == "in_progress") if record.text else None
        case "todos":
            return _todos(name, record.data, live=live, language=language)
        case "notice":
            return _notice(name, record.data, language)
        case "choice":
            return _choice(name, record.data, language)
        case "task":
            return Note(name, str(record.data.get("title") or record.text))
        case _ if record.type in TOOL_TYPES:
            return panel_of(name, record, live=live, language=language)
        case _:
            return None


def _dicts(value: Any) -> list[dict[str, Any]]:
    return list(cast("list[dict[str, Any]]", value or []))


def _todos(name: str, data: dict[str, Any], *, live: bool, language: Language) -> Todos:
    """Draw a to-do list, or the steps of a run, under how much of it is done."""
    items = tuple(_todo(item, live=live, language=language) for item in _dicts(data.get("items")))
    done = sum(item.status == "success" for item in items)
    return Todos(name, items, bar(data) or text(language, "panel.todos", done=done, total=len(items)))


def _todo(item: dict[str, Any], *, live: bool, language: Language) -> TodoItem:
    """Draw a to-do; one that was being worked on when the run ended was not done, and one that failed says why."""
    status, title = item.get("status", "pending"), step_title(item)
    if status == "in_progress" and not live:
        status = "fail"
    key = f"error.{item.get('code')}"
    words = text(language, key).rstrip(".。") if key in LANGUAGES[language] else ""
    return TodoItem(str(item["id"]), f"{title} ({words})" if words else title, status)


def _notice(name: str, data: dict[str, Any], language: Language) -> Note:
    words = text(language, f"notice.{data['code']}", **data.get("params", {}))
    return Note(name, words, data.get("tone", "info"))


def _choice(name: str, data: dict[str, Any], language: Language) -> Note:
    """Draw a question with several answers: what it is about, and what was chosen."""
    if is_question(data):
        return question_note(name, data, language)
    state, code = str(data.get("state")), str(data.get("code"))
    lines = [text(language, f"choice.{code}_{state}", count=data.get("count", 0))]
    lines += [f"{number}. {words}" for number, words in enumerate(cast("list[str]", data.get("texts") or []), 1)]
    return Note(name, "\n".join(lines), "warning" if state == "pending" else "info")
