"""A file for the person as a line of the card: which, and what became of it."""

from __future__ import annotations

from typing import Any, Literal

from channels.cards.model import Note
from channels.cards.shorten import shorten
from gateway.texts import LANGUAGES, Language, text

NAME_CHARS = 80
_TONES: dict[str, Literal["info", "success", "warning"]] = {"": "info", "sent": "success"}


def file_note(id: str, file: dict[str, Any], state: str, language: Language) -> Note:
    """Draw a file.

    `state` is empty while it is on its way, `sent`, `later` or `missing_scope` while it is tried again, or the code of
    a refusal.
    """
    key = f"file.{state or 'named'}"
    known = key if key in LANGUAGES[language] else "file.refused"
    words = text(language, known, name=shorten(str(file["name"]), NAME_CHARS), size=_size(int(file["size_bytes"])))
    caption = str(file.get("caption") or "")
    return Note(id, f"{words}\n{caption}" if caption else words, _TONES.get(state, "warning"))


def _size(bytes_: int) -> str:
    """Give a size as people read it."""
    if bytes_ < 1_000_000:
        return f"{max(1, round(bytes_ / 1000))} KB"
    return f"{bytes_ / 1_000_000:.1f} MB"
