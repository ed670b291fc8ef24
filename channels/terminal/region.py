"""The part of the window that is redrawn in place: what stands above it is never touched again.

A region is drawn at the end of the normal buffer, one terminal row a line, never higher than the window. Lines that are
finished are committed: printed once above the region, where the terminal scrolls them into its history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_BEGIN, _END = "\x1b[?2026h\x1b[?25l", "\x1b[?25h\x1b[?2026l"
"""Drawn at once where the terminal knows how, without a jumping cursor everywhere."""
_CLEAR_LINE, _CLEAR_BELOW = "\x1b[K", "\x1b[J"


@dataclass(frozen=True, slots=True)
class Picture:
    """What the region shows: painted lines, the cells each takes, and where the person's cursor stands."""

    lines: tuple[str, ...] = ()
    widths: tuple[int, ...] = ()
    row: int = 0
    column: int = 0


class Region:
    """Knows what is drawn and gives what must be written to draw something else."""

    def __init__(self, *, reflows: bool = True) -> None:
        """`reflows`: the terminal breaks long lines anew when its window becomes narrower."""
        self._reflows = reflows
        self._drawn = Picture()
        self._is_stale = False
        """What was drawn stands in other rows than we think; only how far up it begins is known."""
        self._gone: list[int] = []
        """Cells of each line of older drawings that left the window upwards when it became smaller."""

    def draw(self, picture: Picture, commit: Sequence[str] = ()) -> str:
        """Give the bytes that print `commit` for good and show `picture` below it; empty when nothing changes."""
        anew = bool(commit) or self._is_stale
        if not anew and picture == self._drawn:
            return ""
        old = () if anew else self._drawn.lines
        at = 0 if anew else self._drawn.row
        out = [_BEGIN, _move(-self._drawn.row) if anew else ""]
        out += [f"{each}{_CLEAR_LINE}\r\n" for each in commit]
        for row, each in enumerate(picture.lines):
            if row < len(old) and old[row] == each:
                continue
            exists = row == 0 or row < len(old)
            out.append(_move(row - at) if exists else f"{_move(row - 1 - at)}\r\n")
            out.append(each + _CLEAR_LINE)
            at = row
        if anew or len(picture.lines) < len(old):
            # After the last line of a drawing made anew, else from the first line that is no more.
            out.append(_CLEAR_BELOW if anew else _move(len(picture.lines) - at) + _CLEAR_BELOW)
            at = at if anew else len(picture.lines)
        out += [_move(picture.row - at), f"\x1b[{picture.column}C" if picture.column else "", _END]
        self._drawn, self._is_stale = picture, False
        if commit:
            self._gone = []
        return "".join(out)

    def resized(self, columns: int, rows: int) -> None:
        """Take note of a new size: the terminal has broken what was drawn into other rows, or pushed it up.

        Going up further than the window's first row stops there, so counting rows that left the window is harmless
        where the terminal does not bring them back.
        """
        drawn = self._drawn
        if not drawn.lines:
            return
        heights = [self._height(each, columns) for each in drawn.widths]
        in_line = min(drawn.column // max(1, columns), heights[drawn.row] - 1)
        gone = [self._height(each, columns) for each in self._gone]
        up = sum(gone) + sum(heights[: drawn.row]) + in_line
        self._gone = _out_of_sight([*self._gone, *drawn.widths], [*gone, *heights], rows, columns)
        self._drawn, self._is_stale = Picture(row=up), True

    def leave(self) -> str:
        """Give the bytes that take the region away and leave the cursor where it began."""
        return self.draw(Picture())

    def _height(self, cells: int, columns: int) -> int:
        return max(1, -(-cells // max(1, columns))) if self._reflows else 1


def _out_of_sight(widths: Sequence[int], heights: Sequence[int], rows: int, columns: int) -> list[int]:
    """Give the cells of the lines, from the top, that a window of `rows` rows has no room for."""
    gone: list[int] = []
    hidden = sum(heights) - rows
    for cells, height in zip(widths, heights, strict=True):
        if hidden <= 0:
            break
        gone.append(cells if height <= hidden else hidden * columns)
        hidden -= height
    return gone


def _move(rows: int) -> str:
    """Go down, or up, to the beginning of a row."""
    return "\r" + (f"\x1b[{rows}B" if rows > 0 else f"\x1b[{-rows}A" if rows < 0 else "")
