"""Where files that people send lie in a workspace, under names that are no paths."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import threading
import unicodedata
from itertools import count
from pathlib import Path

from engine.errors import ToolRetry
from engine.tools.contents import read_bytes
from engine.tools.output import KEPT_IN
from engine.tools.place import FOLDER_FLAGS, Place, Ways, opened
from engine.tools.quota import UNLIMITED, Quota
from engine.tools.replacement import Replacement
from engine.tools.workspace import CONVERSATIONS

FOLDER = "received"
_MAX_NAME_BYTES = 120
_FRAME = str.maketrans("[]", "()")
_RESERVED = frozenset('<>:"|?*')
_one_by_one = threading.Lock()
"""Between looking whether a name is free and taking it nobody else may take it: every picture is called the same."""


def put_received(workspace: Path, name: str, content: bytes, quota: Quota = UNLIMITED) -> str:
    """Keep `content` in the workspace and give its path there; the same file sent twice is kept once. Blocks.

    Raises:
        ToolRetry: somebody made a link or a file of the folder.
        ToolFailed: the workspace is full, or the disk does not take it.
    """
    wanted = safe_file_name(name)
    ways = Ways(make=lambda: quota.check(workspace, 0, 1))
    with _one_by_one:
        for number in count(1):
            path = f"{FOLDER}/{_numbered(wanted, number)}"
            with opened(workspace, path, ways=ways) as place:
                if _is_kept(place, content, (workspace, quota)):
                    return path
    raise AssertionError("numbers do not end")


def _is_kept(place: Place, content: bytes, room: tuple[Path, Quota]) -> bool:
    """Put it there if the name is free; tell whether the place holds it now."""
    facts = place.facts()
    if facts is None:
        room[1].check(room[0], len(content), 1)
        try:
            Replacement(place, content, None, secrets.token_hex(8), mode=0o600).put()
        except ToolRetry:
            return False  # another replica took the name meanwhile: the next number is tried
        return True
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1 or facts.st_size != len(content):
        return False
    if read_bytes(place, len(content)) != content:
        return False
    os.utime(place.name, dir_fd=place.folder, follow_symlinks=False)
    return True


def _numbered(wanted: str, number: int) -> str:
    stem, dot, suffix = wanted.rpartition(".")
    return wanted if number == 1 else f"{stem or suffix}-{number}{dot}{suffix if stem else ''}"


def sweep_received(home: Path, before_s: float) -> int:
    """Delete what people sent last before this time (UTC s) from the conversations' folders, and give how many.

    What tools left there for themselves (`KEPT_IN`) goes too; what anybody put elsewhere stays. Blocks.

    Raises:
        OSError: a folder cannot be read or written.
    """
    conversations = home / CONVERSATIONS
    if not conversations.is_dir():
        return 0
    folders = [each / name for each in conversations.iterdir() for name in (FOLDER, KEPT_IN)]
    return sum(_swept(folder, before_s) for folder in folders)


def _swept(folder: Path, before_s: float) -> int:
    try:
        handle = os.open(folder, FOLDER_FLAGS)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return 0  # nothing was kept there, or somebody made a link of it, which leads to what is not ours
        raise
    gone = 0
    try:
        for name in os.listdir(handle):
            gone += _is_swept(handle, name, before_s)
    finally:
        os.close(handle)
    return gone


def _is_swept(folder: int, name: str, before_s: float) -> bool:
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(facts.st_mode) or facts.st_mtime >= before_s:
            return False
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


def safe_file_name(name: str) -> str:
    """Give a name for a file that a person named: one level, no control signs, never hidden, not too long."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    kept = "".join(char for char in unicodedata.normalize("NFC", last) if _is_harmless(char)).strip(" .")
    kept = kept.translate(_FRAME)  # brackets frame what we tell a model of it
    stem, dot, suffix = kept.rpartition(".")
    if not stem or len(suffix) > 12:
        stem, dot, suffix = kept, "", ""
    room = _MAX_NAME_BYTES - len(f"{dot}{suffix}".encode())
    short = stem.encode()[:room].decode("utf-8", "ignore").rstrip(" .")
    return f"{short}{dot}{suffix}" if short else "file"


def _is_harmless(char: str) -> bool:
    return char not in _RESERVED and unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
