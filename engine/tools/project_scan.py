"""The tool that counts files and lines of the workspace."""

from __future__ import annotations

import asyncio
import heapq
import json
import os
import stat
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.contents import READ_FLAGS
from engine.tools.cut import clean
from engine.tools.place import FOLDER_FLAGS, MAX_DEPTH
from engine.tools.workspace import Hidden

_VERSIONING = {".git", ".hg", ".svn"}
_MADE = {
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".niuma",
    ".niuma-outputs",
}
SKIPPED = frozenset(_VERSIONING | _MADE)
MAX_FILES = 20_000
MAX_LARGEST = 5
MAX_DIRECTORIES = 200
MAX_TABLE_DIRECTORIES = 8
MAX_ENTRIES = 200_000
"""Files looked at, where only some kinds are counted."""
MAX_COUNTED_BYTES = 64 * 1024 * 1024
"""Lines are counted until this much was read in all; after that only files are."""
MAX_FILE_BYTES = 2 * 1024 * 1024
_CHUNK_BYTES = 256 * 1024


@dataclass(slots=True)
class _Count:
    files: int = 0
    lines: int = 0
    seen: int = 0
    """Entries that were looked at."""
    read_bytes: int = 0
    cut: bool = False
    by_extension: Counter[str] = field(default_factory=Counter[str])
    lines_by_extension: Counter[str] = field(default_factory=Counter[str])
    only: frozenset[str] = frozenset()
    """Extensions that are counted; empty: all."""
    by_directory: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Files and lines that lie directly in a folder."""
    largest: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Lines and path of the longest files, a heap."""


class ProjectScan:
    """Counts files and lines, by extension and by directory.

    Links are not followed; caches, repositories' insides and private folders are skipped.
    """

    name = "project_scan"
    description = (
        "Count the files and lines of the workspace, by file extension and by directory, and name the longest files. "
        "Use it to learn how large a project is and what it is written in. `extensions` counts only files of these "
        'kinds, e.g. [".py"] for Python.'
    )
    effect: Effect = "none"
    asks = False
    is_foreign = False
    event_type: EventType = "tool"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "extensions": {
                "type": "array",
                "items": {"type": "string", "maxLength": 20},
                "maxItems": 20,
                "description": 'Count only these, e.g. [".py"]; leave it out to count all.',
            }
        },
        "additionalProperties": False,
    }

    def touches(self, _args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(reads=(".",))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Scan; never raises for files that cannot be read, they count without lines."""
        count = _Count(only=frozenset(_extension(str(each)) for each in args.get("extensions") or ()))
        await asyncio.to_thread(_scan, context.workspace, Hidden(context.workspace, context.private), count)
        parsed: dict[str, Any] = {
            "total_files": count.files,
            "total_lines": count.lines,
            "by_extension": dict(count.by_extension.most_common()),
            "lines_by_extension": dict(count.lines_by_extension.most_common()),
            "by_directory": _directories(count),
            "largest": [{"file_path": path, "lines": lines} for lines, path in sorted(count.largest, reverse=True)],
            "cut": count.cut,
        }
        if (left := len(count.by_directory) - MAX_DIRECTORIES) > 0:
            parsed["more_directories"] = left
        if count.only:
            parsed["extensions"] = sorted(count.only)
        return ToolResult(
            success=True,
            summary=f"{count.files} files, {count.lines} lines",
            text=json.dumps(parsed, ensure_ascii=False),
            parsed=parsed,
            body=_table(count),
            body_kind="terminal",
        )


def _table(count: _Count) -> str:
    """Give what a person reads: the most frequent extensions, and the longest files."""
    kinds = [f"{kind:<12}{n:>7}{count.lines_by_extension[kind]:>9}" for kind, n in count.by_extension.most_common(8)]
    longest = [f"{lines:>8}  {path}" for lines, path in sorted(count.largest, reverse=True)]
    folders = [f"{each['lines']:>8}  {each['directory']}" for each in _directories(count)[:MAX_TABLE_DIRECTORIES]]
    heads = (f"{'type':<12}{'files':>7}{'lines':>9}", f"{'lines':>8}  folders", f"{'lines':>8}  longest files")
    return "\n".join([heads[0], *kinds, "", heads[1], *folders, "", heads[2], *longest]) if kinds else ""


def _directories(count: _Count) -> list[dict[str, Any]]:
    """Give the folders that hold files themselves, the one with most lines first; each file counts in one folder."""
    ranked = sorted(count.by_directory.items(), key=lambda each: (-each[1][1], each[0]))
    return [{"directory": at, "files": files, "lines": lines} for at, (files, lines) in ranked[:MAX_DIRECTORIES]]


def _extension(written: str) -> str:
    """Give an extension as it is counted: `py`, `*.PY` and `.py` are one."""
    bare = written.strip().lower().lstrip("*")
    return bare if bare.startswith((".", "(")) or not bare else f".{bare}"


def _scan(workspace: Path, hidden: Hidden, count: _Count) -> None:
    root = workspace.resolve()
    if any(folder in hidden for folder in (root, *root.parents)):
        return
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _scan_folder(handle, "", count, hidden)
    finally:
        os.close(handle)


def _scan_folder(handle: int, at: str, count: _Count, hidden: Hidden) -> None:
    """Count what lies in an opened folder, then in its folders; each is opened from it, and links are not followed."""
    with os.scandir(handle) as entries:
        known = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    for name in (name for name, is_folder in known if not is_folder):
        count.seen += 1
        if count.files >= MAX_FILES or count.seen > MAX_ENTRIES:
            count.cut = True
            return
        _take(handle, name, f"{at}{name}", count)
    for name in (name for name, is_folder in known if is_folder and name not in SKIPPED):
        _enter(handle, name, f"{at}{name}/", count, hidden)


def _enter(handle: int, name: str, at: str, count: _Count, hidden: Hidden) -> None:
    if at.count("/") > MAX_DEPTH:
        count.cut = True
        return
    try:
        folder = os.open(name, FOLDER_FLAGS, dir_fd=handle)
    except OSError:
        return  # gone, exchanged or closed to us: what cannot be read is not counted
    try:
        if not hidden.holds(os.fstat(folder)):
            _scan_folder(folder, at, count, hidden)
    finally:
        os.close(folder)


def _take(handle: int, name: str, path: str, count: _Count) -> None:
    try:
        facts = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:
        return  # gone since the folder was listed
    if not stat.S_ISREG(facts.st_mode):
        return
    kind = clean(PurePath(name).suffix.lower()) or "(none)"
    if count.only and kind not in count.only:
        return
    count.files += 1
    here = count.by_directory.setdefault(clean(path.removesuffix(name)).rstrip("/") or ".", [0, 0])
    here[0] += 1
    count.by_extension[kind] += 1
    if facts.st_size > MAX_FILE_BYTES or count.read_bytes + facts.st_size > MAX_COUNTED_BYTES:
        count.cut = True
        return
    count.read_bytes += facts.st_size
    lines = _lines(handle, name)
    count.lines += lines
    here[1] += lines
    count.lines_by_extension[kind] += lines
    if lines:
        heapq.heappush(count.largest, (lines, clean(path)))
        if len(count.largest) > MAX_LARGEST:
            heapq.heappop(count.largest)


def _lines(handle: int, name: str) -> int:
    lines, last = 0, b"\n"
    try:
        with os.fdopen(os.open(name, READ_FLAGS, dir_fd=handle), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return 0
            while chunk := file.read(_CHUNK_BYTES):
                if b"\0" in chunk:
                    return 0
                lines += chunk.count(b"\n")
                last = chunk[-1:]
    except OSError:
        return 0
    return lines if last == b"\n" else lines + 1
