"""The folder a run's tools see, and which folders in it they do not."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
CONVERSATIONS = "workspaces"
_MADE_FOR_TOOLS = frozenset({CONVERSATIONS, "workspace"})
"""Folders of the data folder that hold what tools may see; the second one is the demo's."""


def workspace_for(home: Path, address: str, override: Path | None = None) -> Path:
    """Give the conversation's folder, made when it is not there: `<home>/workspaces/<safe name>`, or `override`."""
    folder = override or home / CONVERSATIONS / safe_name(address)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def safe_name(address: str) -> str:
    """Give a file name for an address: readable, short, and different for different addresses."""
    readable = _UNSAFE.sub("_", address).strip("._")[:60]
    return f"{readable}-{hashlib.sha256(address.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def named(path: object) -> str:
    """Give a path as rules read it: normalised, with `/`; what leads out of the workspace keeps its `..` or `/`."""
    return posixpath.normpath(str(path).replace("\\", "/"))


class Hidden:
    """The private folders that matter in a workspace, by what the disk knows them by, whatever they are called.

    A workspace that was made for tools inside a private folder (a conversation's, the demo's) is not hidden by it.
    """

    def __init__(self, workspace: Path, private: Iterable[Path]) -> None:
        root = workspace.resolve()
        self._known = {_identity(folder) for folder in private if not _is_made_for_tools(root, folder.resolve())}
        self._known.discard(None)

    def __contains__(self, folder: Path) -> bool:
        return bool(self._known) and _identity(folder) in self._known

    def holds(self, facts: os.stat_result) -> bool:
        """Tell it of what was opened already, which nobody can exchange any more."""
        return (facts.st_dev, facts.st_ino) in self._known


def _is_made_for_tools(workspace: Path, private: Path) -> bool:
    return private in workspace.parents and not _MADE_FOR_TOOLS.isdisjoint(workspace.relative_to(private).parts)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        facts = folder.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
