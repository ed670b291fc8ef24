"""A terminal to look at: what a person sees after the bytes a program wrote, scrollback included.

Knows what our window uses and no more; anything else fails the test, so that nothing slips to a terminal unseen.
"""

from __future__ import annotations

import re

from channels.terminal.width import cells, clusters

_TOKEN = re.compile(r"\x1b\[(?P<args>[?\d;]*)(?P<do>[A-Za-z])|\r|\n|[^\x1b\r\n]+")


class Emulator:
    """`columns` x `rows`; `resize` breaks lines anew as most terminals do."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.columns, self.rows = columns, rows
        self.history: list[str] = []
        self.lines: list[str] = [""]
        """Rows on the screen, from the top, as far as something was written."""
        self.row = 0
        self.column = 0
        self.hidden = False
        self._left = ""

    @property
    def text(self) -> str:
        """Give everything, scrollback first, without the empty rows at the end."""
        return "\n".join(each.rstrip() for each in [*self.history, *self.lines]).rstrip("\n")

    @property
    def screen(self) -> str:
        """Give what stands on the screen."""
        return "\n".join(each.rstrip() for each in self.lines)

    def feed(self, text: str) -> None:
        """Take what a program wrote."""
        text = self._left + text
        self._left = ""
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                assert re.fullmatch(r"\x1b(\[[?\d;]*)?", text[at:]), f"unknown: {text[at : at + 20]!r}"
                self._left = text[at:]
                return
            self._take(found)
            at = found.end()

    def resize(self, columns: int, rows: int) -> None:
        """Break long rows anew; what has no room goes to the scrollback, and comes back when there is room again."""
        while len(self.lines) > self.row + 1 and not self.lines[-1].strip():
            self.lines.pop()
        before = [*self.history, *self.lines]
        at = len(self.history) + self.row
        broken: list[str] = []
        place = 0
        for number, each in enumerate(before):
            parts = _broken(each, columns)
            if number == at:
                place = len(broken) + min(self.column // columns, len(parts) - 1)
            broken += parts
        self.columns, self.rows = columns, rows
        top = max(0, len(broken) - rows)
        self.history, self.lines = broken[:top], broken[top:]
        self.row, self.column = max(0, place - top), min(self.column % columns, columns - 1)

    def _take(self, found: re.Match[str]) -> None:
        whole = found.group()
        if whole == "\r":
            self.column = 0
        elif whole == "\n":
            self._down()
        elif whole[0] == "\x1b":
            self._obey(found["do"], found["args"])
        else:
            self._print(whole)

    def _obey(self, do: str, args: str) -> None:
        count = int(args) if args.isdigit() else 1
        match do:
            case "A":
                self.row = max(0, self.row - count)
            case "B":
                self.row = min(self.rows - 1, self.row + count)
                self._fill()
            case "C":
                self.column = min(self.columns - 1, self.column + count)
            case "K":
                self.lines[self.row] = _until(self.lines[self.row], self.column)
            case "J":
                self.lines[self.row] = _until(self.lines[self.row], self.column)
                del self.lines[self.row + 1 :]
            case "m":
                pass
            case "h" | "l":
                assert args in ("?25", "?2004", "?2026"), args
                self.hidden = do == "l" if args == "?25" else self.hidden
            case _:
                raise AssertionError(f"unknown: {do} {args}")

    def _print(self, text: str) -> None:
        for each in clusters(text):
            assert each >= " " and not "\x7f" <= each <= "\x9f", f"control character {each!r}"
            if self.column + cells(each) > self.columns:
                self.column = 0
                self._down()
            line = self.lines[self.row]
            head = _until(line, self.column)
            self.lines[self.row] = head + each + _after(line, self.column + cells(each))
            self.column += cells(each)

    def _down(self) -> None:
        self.row += 1
        if self.row == self.rows:
            self.row -= 1
            self.history.append(self.lines.pop(0))
        self._fill()

    def _fill(self) -> None:
        self.lines += [""] * (self.row + 1 - len(self.lines))


def _until(line: str, column: int) -> str:
    kept, used = "", 0
    for each in clusters(line):
        if used + cells(each) > column:
            break
        kept += each
        used += cells(each)
    return kept + " " * (column - used)


def _after(line: str, column: int) -> str:
    used = 0
    kept = ""
    for each in clusters(line):
        if used >= column:
            kept += each
        used += cells(each)
    return kept


def _broken(line: str, columns: int) -> list[str]:
    rows, used = [""], 0
    for each in clusters(line):
        if used + cells(each) > columns:
            rows.append("")
            used = 0
        rows[-1] += each
        used += cells(each)
    return rows
