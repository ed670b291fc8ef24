"""Lines typed before, in a file for the owner only."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

logger = logging.getLogger(__name__)

KEPT_LINES = 1000


class History:
    """The file of typed lines, one JSON string each; `None` keeps none. A file that cannot be used costs no chat."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def lines(self) -> list[str]:
        """Give what was typed, oldest first; shortens the file when it has grown."""
        if self._file is None or not self._file.exists():
            return []
        try:
            raw = self._file.read_text("utf-8", "replace").rstrip("\n").split("\n")
            kept = raw[-KEPT_LINES:]
            if len(raw) > 2 * KEPT_LINES:
                self._write("w", kept)
        except OSError:
            logger.warning("history_not_read", exc_info=True)
            return []
        return [text for each in kept if (text := _text(each))]

    def add(self, text: str) -> None:
        """Keep one message."""
        if self._file is None or not text.strip():
            return
        try:
            self._write("a", [json.dumps(text, ensure_ascii=False)])
        except OSError:
            logger.warning("history_not_kept", exc_info=True)

    def _write(self, mode: str, lines: list[str]) -> None:
        assert self._file is not None
        with open(self._file, mode, encoding="utf-8", errors="replace", opener=_private) as file:
            file.writelines(f"{each}\n" for each in lines)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _text(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
