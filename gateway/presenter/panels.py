"""One tool call as a panel: what was done to what in the title, what came of it inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from channels.cards.model import ToolPanel, WorkStatus
from channels.cards.shorten import shorten
from gateway.presenter.merge import Record
from gateway.texts import LANGUAGES, Language, text

SUBJECT_CHARS = 60
PATH_CHARS = 120
_FILES = frozenset({"read_file", "edit_file", "create_file", "delete_file"})
_WORDED = frozenset({"denied", "approval_expired", "approval_void", "approvals_full", "stopped", "held_back"})
"""Codes whose words say all there is to say."""
_MOST_FILES = 50
Args = Mapping[str, Any]


def panel_of(name: str, record: Record, *, live: bool, language: Language) -> ToolPanel:
    """Draw a call. `live` says whether the run goes on: what is not finished by its end never will be."""
    data = record.data
    status: WorkStatus = record.status or "pending"
    if status == "in_progress" and not live:
        status = "fail"
    code = str(data.get("error") or "") if status == "fail" else ""
    title = " · ".join([*_title(record.type, data, language), *_why(record.type, data, code, language)])
    kind = cast("Literal['terminal', 'diff', 'text']", data.get("body_kind", "text"))
    body = "\n".join(_body(record, code)).strip("\n")
    return ToolPanel(name, record.type, title, status, body, kind)


def _title(type: str, data: Mapping[str, Any], language: Language) -> Iterator[str]:
    if type == "outputs" and (files := _files(data)):
        yield text(language, "panel.outputs", count=len(files))
        return
    yield title_of(str(data.get("name") or type), type, _args(data), language)
    yield from _facts(type, data, language)


def title_of(tool: str, type: str, args: Args, language: Language) -> str:
    """Give what a call does, on one line; a command by its first line."""
    if type in _FILES and isinstance(args.get("file_path"), str):
        key = f"panel.{tool}" if f"panel.{tool}" in LANGUAGES[language] else f"panel.{type}"
        return text(language, key, subject=shorten(str(args["file_path"]), PATH_CHARS))
    if type == "bash" and isinstance(args.get("command"), str):
        first, _, rest = str(args["command"]).strip().partition("\n")
        return text(language, "panel.bash", subject=shorten(f"{first} …" if rest else first, SUBJECT_CHARS))
    if type == "search" and isinstance(args.get("query"), str):
        return text(language, "panel.search", subject=shorten(str(args["query"]), SUBJECT_CHARS))
    told = ", ".join(f"{key}={value}" for key, value in args.items())
    return " ".join(part for part in (tool, shorten(told, SUBJECT_CHARS)) if part)


def _args(data: Mapping[str, Any]) -> dict[str, Any]:
    args = dict(cast("dict[str, Any]", data.get("args") or {}))
    return args | ({"file_path": data["file_path"]} if data.get("file_path") else {})


def _parsed(data: Mapping[str, Any]) -> dict[str, Any]:
    parsed = data.get("parsed")
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}


def _facts(type: str, data: Mapping[str, Any], language: Language) -> Iterator[str]:
    """Give what is worth knowing without unfolding: lines read, lines changed, how a command ended, what was found."""
    parsed = _parsed(data)
    if type == "read_file" and {"start_line", "end_line"} <= parsed.keys():
        yield text(language, "panel.lines", first=parsed["start_line"], last=parsed["end_line"])
    counts = [f"{sign}{data[key]}" for sign, key in (("+", "add_lines"), ("-", "remove_lines")) if data.get(key)]
    if counts:
        yield " ".join(counts)
    if (code := _exit_code(type, parsed)) is not None:
        yield text(language, "panel.exit_code", code=code)
    results = parsed.get("results")
    if type == "search" and isinstance(results, list):
        yield text(language, "panel.results", count=len(cast("list[Any]", results)))


def _exit_code(type: str, parsed: Mapping[str, Any]) -> int | None:
    """Give how a command ended by itself; one that was ended says so in words."""
    code = parsed.get("exit_code")
    is_told = type == "bash" and isinstance(code, int) and parsed.get("ended", "exited") == "exited"
    return code if is_told else None


def _why(type: str, data: Mapping[str, Any], code: str, language: Language) -> Iterator[str]:
    """Give why it failed, in words for a person; an exit code says it already."""
    is_told = code == "tool_failed" and _exit_code(type, _parsed(data)) is not None
    if f"error.{code}" in LANGUAGES[language] and not is_told:
        yield text(language, f"error.{code}").rstrip(".。")


def _body(record: Record, code: str) -> Iterator[str]:
    """Give what is inside: the whole command, then what it told."""
    data, args = record.data, _args(record.data)
    if record.type == "bash" and isinstance(args.get("command"), str):
        yield f"$ {args['command']}"
    if code not in _WORDED:
        summary = "" if _says_nothing_more(record.type, data) else str(data.get("summary") or "")
        yield from dict.fromkeys(part for part in (summary, _told(record, code)) if part)
    yield from _files(data)[:_MOST_FILES] if record.type == "outputs" else ()


def _says_nothing_more(type: str, data: Mapping[str, Any]) -> bool:
    """Tell whether the title says already what the summary would."""
    parsed = _parsed(data)
    has_lines = type == "read_file" and "start_line" in parsed
    return has_lines or "add_lines" in data or _exit_code(type, parsed) is not None


def _told(record: Record, code: str) -> str:
    """Give what the call itself told; a command's exit code stands in the title."""
    body = str(record.data.get("body") or record.text).rstrip("\n")
    exit_code = _exit_code(record.type, _parsed(record.data))
    if exit_code is not None:
        body = body.removesuffix(f"[exit code {exit_code}]").rstrip("\n")
    return body or (code if record.data.get("body") is None else "")


def _files(data: Mapping[str, Any]) -> list[str]:
    """Give the names of output files, however they are listed."""
    listed: Any = data.get("files") or _parsed(data).get("files") or []
    if not isinstance(listed, list):
        return []
    return [_file_name(each) for each in cast("list[Any]", listed)]


def _file_name(given: Any) -> str:
    if not isinstance(given, dict):
        return shorten(str(given), PATH_CHARS)
    fields = cast("dict[str, Any]", given)
    return shorten(str(fields.get("file_path") or fields.get("path") or fields.get("name") or ""), PATH_CHARS)
