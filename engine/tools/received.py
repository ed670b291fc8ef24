"""Where files that people send lie in a workspace, under names that are no paths."""

from __future__ import annotations

import os
import stat
import threading
import unicodedata
from itertools import count
from pathlib import Path

from engine.storage.blobs import write_atomically
from engine.tools.output import KEPT_IN
from engine.tools.workspace import CONVERSATIONS, inside

FOLDER = "received"
_MAX_NAME_BYTES = 120
_RESERVED = frozenset('<>:"|?*')
_one_by_one = threading.Lock()
"""Between looking whether a name is free and taking it nobody else may take it: every picture is called the same."""


def put_received(workspace: Path, name: str, content: bytes) -> str:
    """Keep `content` in the workspace and give its path there; the same file sent twice is kept once. Blocks.

    Raises:
        ToolRetry: somebody made a link of the folder that leads out of the workspace.
        OSError: the disk does not take it.
    """
    wanted = safe_file_name(name)
    with _one_by_one:
        return _put(workspace, wanted, content)


def _put(workspace: Path, wanted: str, content: bytes) -> str:
    stem, dot, suffix = wanted.rpartition(".")
    for number in count(1):
        numbered = wanted if number == 1 else f"{stem or suffix}-{number}{dot}{suffix if stem else ''}"
        path = inside(workspace, f"{FOLDER}/{numbered}")
        if not path.exists():
            write_atomically(path, content)
            return f"{FOLDER}/{numbered}"
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            os.utime(path)
            return f"{FOLDER}/{numbered}"
    raise AssertionError("numbers do not end")


def sweep_received(home: Path, before_s: float) -> int:
    """Delete what people sent last before this time (UTC s) from the conversations' folders, and give how many.

    What tools left there for themselves (`KEPT_IN`) goes too; what anybody put elsewhere stays. Blocks.

    Raises:
        OSError: a folder cannot be read or written.
    """
    gone = 0
    for name in (FOLDER, KEPT_IN):
        for path in (home / CONVERSATIONS).glob(f"*/{name}/*"):
            facts = path.lstat()
            if stat.S_ISREG(facts.st_mode) and not path.parent.is_symlink() and facts.st_mtime < before_s:
                path.unlink(missing_ok=True)
                gone += 1
    return gone


def safe_file_name(name: str) -> str:
    """Give a name for a file that a person named: one level, no control signs, never hidden, not too long."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    kept = "".join(char for char in unicodedata.normalize("NFC", last) if _is_harmless(char)).strip(" .")
    stem, dot, suffix = kept.rpartition(".")
    if not stem or len(suffix) > 12:
        stem, dot, suffix = kept, "", ""
    room = _MAX_NAME_BYTES - len(f"{dot}{suffix}".encode())
    short = stem.encode()[:room].decode("utf-8", "ignore").rstrip(" .")
    return f"{short}{dot}{suffix}" if short else "file"


def _is_harmless(char: str) -> bool:
    return char not in _RESERVED and unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
