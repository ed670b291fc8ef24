"""How much a conversation's workspace may hold, counted seldom and told with a reason."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ToolFailed

RECOUNTED_AFTER_S = 60.0
"""Others than our tools write there too: shells, people's files, another replica."""
MAX_KNOWN = 1_000
_MEGABYTE = 1_000_000


FULL = "workspace_full"
"""The code of what was refused for want of room."""


@dataclass(slots=True)
class Usage:
    """What lies in a workspace. `files` counts folders and links, too."""

    size_bytes: int = 0
    files: int = 0
    unread: str = ""
    """A folder that could not be looked into: nobody knows how much lies there."""
    counted_at_s: float = 0.0


class Quota:
    """Limits of bytes and files for each workspace; 0 sets none. Safe for several threads."""

    def __init__(self, max_bytes: int = 0, max_files: int = 0) -> None:
        self._max_bytes, self._max_files = max_bytes, max_files
        self._known: OrderedDict[str, Usage] = OrderedDict()
        self._one_by_one = threading.Lock()

    def check(self, workspace: Path, more_bytes: int, more_files: int = 0) -> None:
        """See whether that much more may be written, and count it as written. Blocks.

        Counted anew when the last count is old, and before anything is refused.

        Raises:
            ToolFailed: it is too much; the message says how much there is and what to do.
        """
        if not (self._max_bytes or self._max_files):
            return
        with self._one_by_one:
            usage = self._usage(workspace)
            if self._refusal(usage, more_bytes, more_files):
                usage = self._counted(workspace)
            reason = self._refusal(usage, more_bytes, more_files)
            if reason:
                raise ToolFailed(reason, code=FULL)
            usage.size_bytes += more_bytes
            usage.files += more_files

    def _usage(self, workspace: Path) -> Usage:
        known = self._known.get(str(workspace))
        if known is None or time.monotonic() - known.counted_at_s > RECOUNTED_AFTER_S:
            return self._counted(workspace)
        self._known.move_to_end(str(workspace))
        return known

    def _counted(self, workspace: Path) -> Usage:
        usage = count(workspace, self._max_files)
        self._known[str(workspace)] = usage
        self._known.move_to_end(str(workspace))
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        return usage

    def _refusal(self, usage: Usage, more_bytes: int, more_files: int) -> str:
        advice = "Nothing was written; delete what is not needed any more"
        # What makes a workspace smaller is never refused.
        if usage.unread and (more_bytes > 0 or more_files > 0):
            return f"the folder {usage.unread!r} of the workspace cannot be counted. {advice}"
        if self._max_bytes and more_bytes > 0 and usage.size_bytes + more_bytes > self._max_bytes:
            return (
                f"the workspace is full: {_megabytes(usage.size_bytes)} of {_megabytes(self._max_bytes)} are used and "
                f"{_megabytes(more_bytes)} more do not fit. {advice}"
            )
        if self._max_files and more_files > 0 and usage.files + more_files > self._max_files:
            return f"the workspace is full: it may hold {self._max_files} files and folders. {advice}"
        return ""


UNLIMITED = Quota()


def count(workspace: Path, max_files: int = 0) -> Usage:
    """Count what lies in a workspace, links as links; it ends early where there are more than `max_files`. Blocks."""
    usage = Usage(counted_at_s=time.monotonic())
    todo = [str(workspace)]
    while todo and not (max_files and usage.files > max_files):
        folder = todo.pop()
        try:
            with os.scandir(folder) as entries:
                todo += [entry.path for entry in entries if _take(entry, usage)]
        except FileNotFoundError:
            continue  # gone since its parent was listed
        except OSError:
            usage.unread = usage.unread or os.path.relpath(folder, workspace)  # told when something is refused for it
    return usage


def _take(entry: os.DirEntry[str], usage: Usage) -> bool:
    """Count one entry, and tell whether it is a folder to look into."""
    usage.files += 1
    if entry.is_dir(follow_symlinks=False):
        return True
    try:
        usage.size_bytes += entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        usage.files -= 1
    return False


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / _MEGABYTE:.1f} MB" if size_bytes >= _MEGABYTE // 10 else f"{size_bytes} bytes"
