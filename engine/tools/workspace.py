"""The folder a run's tools see, and the check that keeps every path inside it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from engine.errors import ToolRetry

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def workspace_for(home: Path, address: str, override: Path | None = None) -> Path:
    """Give the conversation's folder, made when it is not there: `<home>/workspaces/<safe name>`, or `override`."""
    folder = override or home / "workspaces" / safe_name(address)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def safe_name(address: str) -> str:
    """Give a file name for an address: readable, short, and different for different addresses."""
    readable = _UNSAFE.sub("_", address).strip("._")[:60]
    return f"{readable}-{hashlib.sha256(address.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def inside(workspace: Path, given: str) -> Path:
    """Give the real path of `given`, which is relative to `workspace`.

    Raises:
        ToolRetry: it is absolute, or leads out of the workspace, by `..` or by a link.
    """
    if "\0" in given:
        raise ToolRetry("the path holds a NUL character")
    path = Path(given)
    if path.is_absolute() or given.startswith("~"):
        raise ToolRetry(f"{given!r} is absolute; give a path relative to the workspace")
    root = workspace.resolve()
    try:
        real = (root / path).resolve()
    except (OSError, RuntimeError) as error:
        raise ToolRetry(f"{given!r} cannot be followed: {error}") from error
    if real != root and root not in real.parents:
        raise ToolRetry(f"{given!r} leads out of the workspace")
    return real
