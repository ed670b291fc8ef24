"""Files for the person at the terminal: put where they are, under a name that overwrites nothing."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from channels.events import OutFile


def put_file(folder: Path, file: OutFile) -> Path:
    """Put a file into `folder` and give its path; one with the same name and content is not put there twice. Blocks.

    Raises:
        OSError: the folder does not take it.
    """
    wanted = Path(file.name.replace("\\", "/")).name.lstrip(".") or "file"
    stem, suffix = Path(wanted).stem, Path(wanted).suffix
    for number in count(1):
        path = folder / (wanted if number == 1 else f"{stem}-{number}{suffix}")
        if _is_same(path, file.content) or _is_put(path, file.content):
            return path
    raise AssertionError("numbers do not end")


def _is_same(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content


def _is_put(path: Path, content: bytes) -> bool:
    """Write it, unless something is there already."""
    try:
        with path.open("xb") as target:
            target.write(content)
    except FileExistsError:
        return False
    return True
