"""Names that a file may not get, whoever asks for it."""

from __future__ import annotations

import unicodedata

from engine.errors import ToolRetry

MAX_NAME_BYTES = 240
"""Of one component: 255 on most disks, less what a temporary name adds."""
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))})
"""Source: Microsoft Learn, "Naming Files, Paths, and Namespaces", read 2026-12: also with a suffix."""
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks of the direction of writing: with them `gpj.exe` reads as `exe.jpg`."""


def check_names(names: list[str], given: str) -> None:
    """Refuse a path that a disk, a person or another system would not read as it stands here.

    Raises:
        ToolRetry: a component is the name of a device, too long, or has signs in it that are not seen.
    """
    for name in names:
        wrong = _wrong(name)
        if wrong:
            raise ToolRetry(f"{given!r} cannot be the name of a file: {wrong}")


def _wrong(name: str) -> str:
    if "\\" in name:
        return "folders are separated by '/', not by a backslash"
    if any(char in _TURNING or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in name):
        return "it holds control characters"
    if name.partition(".")[0].rstrip().lower() in _DEVICES:
        return f"{name!r} is the name of a device on Windows; choose another one"
    if name != name.strip() or name.endswith("."):
        return "it begins or ends with a space, or ends with a full stop"
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"it is longer than {MAX_NAME_BYTES} bytes"
    return ""
