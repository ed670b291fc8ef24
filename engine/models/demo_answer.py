"""What the demo model makes of tool results and of its own earlier answer."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, cast

MAX_LINES = 20
MAX_LINE_CHARS = 160
MAX_ROWS = 8
_FENCES = {".py": "python", ".toml": "toml", ".json": "json", ".sh": "sh", ".yaml": "yaml", ".yml": "yaml"}
_FOOTER = {
    False: "> Put together by the offline demo model from a script; the facts come from real tool calls.\n",
    True: "> 以上由离线演示模型按脚本整理，其中的事实来自真实的工具调用。\n",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of one call, as the model reads it."""

    name: str
    text: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def error(self) -> str:
        """Give the first sentence of what went wrong; empty when nothing did."""
        head, _, reason = self.text.partition("error: ")
        return "" if head or not reason else reason.split(". ")[0].rstrip(".")


def answer(results: Sequence[Seen], chinese: bool) -> str:
    """Say what the tools found. Begins with a sentence: a person may stop the answer anywhere."""
    parts = (_part(result, chinese) for result in results)
    return "\n".join([*(part for part in parts if part), _FOOTER[chinese]])


def together(lanes: Sequence[tuple[str, str, str]], chinese: bool) -> str:
    """Put results of domain agents under each other: name, how it ended, words."""
    parts = [f"## {name}\n\n{_without_footer(words)}\n" for name, ended, words in lanes if ended == "done"]
    missing = [name for name, ended, _ in lanes if ended != "done"]
    if missing and chinese:
        parts.append(f"没有结果：{'、'.join(missing)}。\n")
    elif missing:
        parts.append(f"No result from: {', '.join(missing)}.\n")
    return "\n".join([*parts, _FOOTER[chinese]])


def _without_footer(words: str) -> str:
    return "\n".join(line for line in words.strip().splitlines() if not line.startswith("> ")).strip()


def points(text: str, most: int = 3) -> list[str]:
    """Give the first plain sentences of a markdown text, one line each."""
    found: list[str] = []
    in_code = False
    for line in text.splitlines():
        in_code ^= line.startswith("```")
        plain = line.lstrip("-0123456789. ").strip()
        if plain and not in_code and not plain.startswith(("#", "|", ">", "```")) and not plain.endswith((":", "：")):
            found.append(_short(plain))
    return found[:most]


def _part(result: Seen, chinese: bool) -> str:
    draw = _DRAWN.get(result.name)
    if draw is not None and not result.error:
        return draw(result, chinese)
    if result.name == "ask_user":
        return "没有等到你的回答，我就不猜了。\n" if chinese else "No answer came, and I do not guess.\n"
    if result.name == "send_note" and "denied" in result.error:
        return "你没有批准，所以便签**没有**发出。\n" if chinese else "You said no, so the note was **not** sent.\n"
    reason = f"`{result.error or result.text[:MAX_LINE_CHARS]}`".replace("\n", " ")
    said = f"`{result.name}` 没有成功：{reason}" if chinese else f"`{result.name}` did not work: {reason}"
    if result.name == "send_note":
        said += "。便签**没有**发出。" if chinese else ". The note was **not** sent."
    return said + "\n"


def _scan(result: Seen, chinese: bool) -> str:
    try:
        facts: dict[str, Any] = json.loads(result.text)
    except ValueError:
        return f"{result.text}\n"
    files, lines = facts.get("total_files", 0), facts.get("total_lines", 0)
    if chinese:
        said, title = f"我数了一遍工作区：共 **{files}** 个文件，**{lines}** 行。\n", "## 项目概况"
        head = "| 类型 | 文件数 | 行数 |"
    else:
        said = f"I counted the workspace: **{files}** files, **{lines}** lines in all.\n"
        title = "## The project at a glance"
        head = "| Type | Files | Lines |"
    of_lines = cast("dict[str, int]", facts.get("lines_by_extension") or {})
    kinds = list(cast("dict[str, int]", facts.get("by_extension") or {}).items())[:MAX_ROWS]
    rows = [f"| `{kind}` | {number} | {of_lines.get(kind, '-')} |" for kind, number in kinds]
    table = "\n".join(["", title, "", head, "|---|---:|---:|", *rows, ""]) if rows else ""
    folders = _folders(cast("list[dict[str, Any]]", facts.get("by_directory") or []), chinese)
    return said + table + folders + _next(cast("list[dict[str, Any]]", facts.get("largest") or []), chinese)


def _folders(found: list[dict[str, Any]], chinese: bool) -> str:
    if len(found) < 2:
        return ""
    head = "| 目录 | 文件数 | 行数 |" if chinese else "| Directory | Files | Lines |"
    rows = [f"| `{each['directory']}` | {each['files']} | {each['lines']} |" for each in found[:MAX_ROWS]]
    left = len(found) - MAX_ROWS
    rest = (
        (f"\n另有 {left} 个目录没有列出。" if chinese else f"\n{left} more directories are not shown.")
        if left > 0
        else ""
    )
    return "\n".join(["", head, "|---|---:|---:|", *rows]) + f"{rest}\n"


def _next(largest: list[dict[str, Any]], chinese: bool) -> str:
    if not largest:
        return ""
    path, lines = largest[0].get("file_path"), largest[0].get("lines")
    if chinese:
        return f"\n最长的文件是 `{path}`，{lines} 行。想看看它，可以接着写：\n\n```text\n读取 {path}\n```\n"
    return f"\nThe longest file is `{path}` with {lines} lines. To see it, go on with:\n\n```text\nread {path}\n```\n"


def _file(result: Seen, chinese: bool) -> str:
    path = str(result.args.get("file_path") or "")
    kind = PurePosixPath(path).suffix.lower()
    lines = result.text.strip("\n").splitlines()
    said = f"`{path}` 有 {len(lines)} 行：\n\n" if chinese else f"`{path}` has {len(lines)} lines:\n\n"
    if kind == ".csv" and len(lines) > 1:
        return said + _rows(lines, chinese)
    quoted = "\n".join(line.replace("```", "'''")[:MAX_LINE_CHARS] for line in lines[:MAX_LINES])
    return f"{said}```{_FENCES.get(kind, 'text')}\n{quoted}\n```\n{_more(len(lines) - MAX_LINES, chinese)}"


def _rows(lines: list[str], chinese: bool) -> str:
    rows = [[_cell(cell) for cell in row] for row in csv.reader(lines[: MAX_ROWS + 1]) if row]
    head, *rest = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest]) + f"\n{_more(len(lines) - MAX_ROWS - 1, chinese)}"


def _cell(text: str) -> str:
    return _short(text.replace("|", "/"), 40)


def _more(left: int, chinese: bool) -> str:
    if left <= 0:
        return ""
    return f"\n另有 {left} 行没有列出。\n" if chinese else f"\n{left} more lines are not shown.\n"


def _note(result: Seen, chinese: bool) -> str:
    line = str(result.args.get("text") or result.text).replace("```", "'''")
    if chinese:
        return (
            f"你批准了，便签已经发出，而且只发了一次。\n\n## 发出的内容\n\n```text\n{line}\n```\n\n"
            "它是工作区里 `outbox.txt` 的最后一行。\n"
        )
    return (
        f"You approved it, so the note is out, once.\n\n## What was sent\n\n```text\n{line}\n```\n\n"
        "It is the last line of `outbox.txt` in the workspace.\n"
    )


def _sent(result: Seen, chinese: bool) -> str:
    path = result.args.get("path")
    # Whether the chat took it is known only later, and the card says so.
    return f"我把文件 `{path}` 交给了聊天。\n" if chinese else f"I handed the file `{path}` to the chat.\n"


def _asked(result: Seen, chinese: bool) -> str:
    said = result.text.partition(": ")[2] or result.text
    return f"你的回答是“{said}”，我就按这个来。\n" if chinese else f"You said *{said}*, so that is what I go by.\n"


def _moved(result: Seen, chinese: bool) -> str:
    if "100 %" not in result.text:
        return ""
    return "每一步都在上面的进度条里。\n" if chinese else "Each step stands in the bar above.\n"


def _short(text: str, limit: int = MAX_LINE_CHARS) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


_DRAWN = {
    "project_scan": _scan,
    "read_file": _file,
    "send_note": _note,
    "send_file": _sent,
    "ask_user": _asked,
    "progress": _moved,
}
