"""After a refused preview: the stream goes on, and the refused kind of request is tried less and less often."""

from __future__ import annotations

_MOST_FRAMES = 8


class Skips:
    """Which kinds of request the next frames leave out."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}
        self._length: dict[str, int] = {}

    def skips(self, kind: str) -> bool:
        """Tell whether the next frame leaves `kind` out."""
        return self._left.get(kind, 0) > 0

    def skipped(self, kind: str) -> None:
        """Note that a frame left `kind` out."""
        self._left[kind] = max(0, self._left.get(kind, 0) - 1)

    def refused(self, kind: str) -> None:
        """Leave `kind` out of the next frames: none the first time, then 1, 2, 4, 8."""
        length = self._length.get(kind, 0)
        self._left[kind] = length
        self._length[kind] = min(_MOST_FRAMES, max(1, length * 2))

    def accepted(self, kind: str) -> None:
        """The platform takes `kind` again."""
        if self._length:
            self._length.pop(kind, None)
            self._left.pop(kind, None)
