"""Which pictures people and models are shown as pictures, told by their first bytes."""

from __future__ import annotations

import mimetypes

_MAGIC = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_UNKNOWN = "application/octet-stream"


def picture_type(content: bytes) -> str:
    """Give the type of a PNG, JPEG, GIF or WEBP; empty for all else."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _MAGIC if content.startswith(magic)), "")


def type_of(name: str, content: bytes) -> str:
    """Give the type of a file by its content where that is a picture, else by its name; a name makes no picture."""
    guessed = mimetypes.guess_type(name)[0] or _UNKNOWN
    return picture_type(content) or (_UNKNOWN if guessed.startswith("image/") else guessed)
