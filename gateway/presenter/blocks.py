"""One merged record as one block of the card."""

from __future__ import annotations

import zlib
from typing import Any, Literal, cast

from channels.cards.model import LaneBlock, Note, Text, Thinking, TodoItem, Todos, ToolPanel, WorkStatus
from channels.cards.shorten import shorten
from engine.events import TOOL_TYPES
from gateway.presenter.merge import Record
from gateway.presenter.progress import bar, step_title
from gateway.presenter.question import is_question, question_note
from gateway.texts import LANGUAGES, Language, text

ARGUMENT_CHARS = 60
ASKED_CHARS = 2000
"""Of a call that waits for approval: a person must see what they allow, not how it begins."""

SHORT_CHARS = 200

_NOBODYS = ("expired", "stopped")
"""How a question ends without an answer."""


def block_id(kind: str, key: str) -> str:
    """Give a block id of at most 12 characters that depends on nothing but what the block stands for.

    So a card that is drawn again after a crash has the same ids.
    """
    return f"{kind[:4]}{zlib.crc32(f'{kind}:{key}'.encode()):08x}"


def block_of(record: Record, *, live: bool, language: Language) -> LaneBlock | None:
    """Draw one record; `None` when there is nothing to see in it. `live` says whether the run goes on."""
    name = block_id(record.type, record.segment or str(record.order))
    match record.type:
        case "text" | "summary":
            streaming = live and record.status == "in_progress"
            return Text(name, record.text, streaming) if record.text else None
        case "thinking":
            return Thinking(name, record.text, live and record.status == "in_progress") if record.text else None
        case "todos":
            items = tuple(_todo(item) for item in _dicts(record.data.get("items")))
            return Todos(name, items, bar(record.data))
        case "notice":
            return _notice(name, record.data, language)
        case "approval":
            return _approval(name, record.data, language)
        case "choice":
            return _choice(name, record.data, language)
        case "task":
            return Note(name, str(record.data.get("title") or record.text))
        case _ if record.type in TOOL_TYPES:
            return _panel(name, record, live=live)
        case _:
            return None


def _dicts(value: Any) -> list[dict[str, Any]]:
    return list(cast("list[dict[str, Any]]", value or []))


def _todo(item: dict[str, Any]) -> TodoItem:
    return TodoItem(str(item["id"]), step_title(item), item.get("status", "pending"))


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


def _approval(name: str, data: dict[str, Any], language: Language) -> Note:
    state = str(data.get("state", "pending"))
    tool = str(data.get("tool", ""))
    if state != "pending":
        tones: dict[str, Literal["info", "success", "warning", "error"]] = {"approved": "success", "denied": "error"}
        outcome = (
            text(language, f"approval.{state}") if state in _NOBODYS else by_name(language, f"approval.{state}", data)
        )
        return Note(name, f"{tool}: {outcome}", tones.get(state, "warning"))
    key = "approval.cut" if data.get("reason") == "cut" else "approval.question"
    args = cast("dict[str, Any]", data.get("args") or {})
    lines = [text(language, key, tool=tool), _arguments(_short_first(args), ASKED_CHARS)]
    if data.get("purpose"):
        lines.append(text(language, "approval.purpose", purpose=_purpose(tool, str(data["purpose"]), language)))
    return Note(name, "\n".join(line for line in lines if line), "warning")


def _short_first(args: dict[str, Any]) -> dict[str, Any]:
    """Put long arguments last: the content of a file must not push out of sight which file it is for."""
    return dict(sorted(args.items(), key=lambda item: len(str(item[1])) > SHORT_CHARS))


def _purpose(tool: str, told: str, language: Language) -> str:
    """Give what a tool is for in words for a person; a tool we have none for tells what a model reads of it."""
    return LANGUAGES[language].get(f"purpose.{tool}", told)


def by_name(language: Language, key: str, data: dict[str, Any]) -> str:
    """Say who did something; a platform that tells no name gives words without one: an id tells a reader nothing."""
    name = str(data.get("name") or "")
    return text(language, key, name=name) if name else text(language, f"{key}_unnamed")


def _panel(name: str, record: Record, *, live: bool) -> ToolPanel:
    data = record.data
    status: WorkStatus = record.status or "pending"
    if status == "in_progress" and not live:
        status = "fail"
    args = cast("dict[str, Any]", data.get("args") or {})
    subject = str(data.get("file_path") or "") or _arguments(args)
    title = " ".join(part for part in (str(data.get("name") or record.type), subject) if part)
    summary, body = str(data.get("summary") or ""), str(data.get("body") or data.get("error") or record.text)
    shown = "\n".join(dict.fromkeys(part for part in (summary, body) if part))
    kind = cast("Literal['terminal', 'diff', 'text']", data.get("body_kind", "text"))
    return ToolPanel(name, record.type, title, status, shown, kind)


def _arguments(args: dict[str, Any], most_chars: int = ARGUMENT_CHARS) -> str:
    return shorten(", ".join(f"{key}={value}" for key, value in args.items()), most_chars)
