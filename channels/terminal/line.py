"""The line a person types: text with a cursor that moves by what a reader sees as one character."""

from __future__ import annotations

import re
from collections.abc import Sequence

from channels.cards import grapheme
from channels.terminal.ink import Line, Span
from channels.terminal.width import cells, clean, clusters

PROMPT = "› "
_WORD_LEFT = re.compile(r"\S+\s*$")
_WORD_RIGHT = re.compile(r"\s*\S+")


class Editor:
    """Edits one message, which may have several lines, and walks through what was typed before."""

    def __init__(self, history: Sequence[str] = ()) -> None:
        self.text = ""
        self.cursor = 0
        self._history = list(history)
        self._place = len(self._history)
        self._draft = ""

    def insert(self, text: str) -> None:
        """Put text in at the cursor; what a terminal would obey is taken out."""
        text = clean(text)
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def take(self) -> str:
        """Give the message and begin a new one."""
        text, self.text, self.cursor = self.text, "", 0
        if text.strip() and (not self._history or self._history[-1] != text):
            self._history.append(text)
        self._place, self._draft = len(self._history), ""
        return text

    def press(self, name: str) -> None:
        """Carry out a named key; others do nothing."""
        action = getattr(self, f"_on_{name}", None)
        if action is not None:
            action()

    def _on_left(self) -> None:
        self.cursor = grapheme.floor(self.text, self.cursor - 1)

    def _on_right(self) -> None:
        self.cursor = grapheme.ceiling(self.text, min(len(self.text), self.cursor + 1))

    def _on_home(self) -> None:
        self.cursor = self.text.rfind("\n", 0, self.cursor) + 1

    def _on_end(self) -> None:
        end = self.text.find("\n", self.cursor)
        self.cursor = len(self.text) if end < 0 else end

    def _on_word_left(self) -> None:
        found = _WORD_LEFT.search(self.text, 0, self.cursor)
        self.cursor = found.start() if found else 0

    def _on_word_right(self) -> None:
        found = _WORD_RIGHT.match(self.text, self.cursor)
        self.cursor = found.end() if found else len(self.text)

    def _on_backspace(self) -> None:
        self._cut(grapheme.floor(self.text, self.cursor - 1), self.cursor)

    def _on_delete(self) -> None:
        self._cut(self.cursor, grapheme.ceiling(self.text, min(len(self.text), self.cursor + 1)))

    def _on_kill_word(self) -> None:
        end = self.cursor
        self._on_word_left()
        self._cut(self.cursor, end)

    def _on_kill_begin(self) -> None:
        self._cut(self.text.rfind("\n", 0, self.cursor) + 1, self.cursor)

    def _on_kill_end(self) -> None:
        end = self.text.find("\n", self.cursor)
        self._cut(self.cursor, len(self.text) if end < 0 else end)

    def _on_newline(self) -> None:
        self.insert("\n")

    def _on_up(self) -> None:
        if "\n" in self.text[: self.cursor]:
            self._go_to_line(-1)
        else:
            self._recall(self._place - 1)

    def _on_down(self) -> None:
        if "\n" in self.text[self.cursor :]:
            self._go_to_line(1)
        else:
            self._recall(self._place + 1)

    def _go_to_line(self, by: int) -> None:
        lines = self.text.split("\n")
        row = self.text.count("\n", 0, self.cursor)
        column = self.cursor - (self.text.rfind("\n", 0, self.cursor) + 1)
        before = sum(len(each) + 1 for each in lines[: row + by])
        self.cursor = grapheme.floor(self.text, before + min(column, len(lines[row + by])))

    def _recall(self, place: int) -> None:
        if not 0 <= place <= len(self._history):
            return
        if self._place == len(self._history):
            self._draft = self.text
        self._place = place
        self.text = self._draft if place == len(self._history) else self._history[place]
        self.cursor = len(self.text)

    def _cut(self, begin: int, end: int) -> None:
        begin = max(0, begin)
        self.text, self.cursor = self.text[:begin] + self.text[end:], begin


def render_editor(editor: Editor, columns: int, most_rows: int) -> tuple[list[Line], int, int]:
    """Give the typed text in at most `most_rows` rows round the cursor, and the cursor's row and column in them."""
    rows, row, column = _rows(editor, max(4, columns))
    first = max(0, min(row - most_rows // 2, len(rows) - most_rows))
    shown = rows[first : first + most_rows]
    lines: list[Line] = []
    for number, each in enumerate(shown, first):
        lines.append((Span(PROMPT, "bold cyan") if number == 0 else Span("  "), Span(each)))
    return lines, row - first, column


def _rows(editor: Editor, columns: int) -> tuple[list[str], int, int]:
    rows, used, at = [""], len(PROMPT), 0
    place: tuple[int, int] | None = None
    for each in clusters(editor.text):
        wide = 0 if each == "\n" else cells(each)
        if used + wide > columns - 1:
            rows.append("")
            used = len(PROMPT)
        if place is None and at >= editor.cursor:
            place = (len(rows) - 1, used)
        at += len(each)
        if each == "\n":
            rows.append("")
            used = len(PROMPT)
        else:
            rows[-1] += each
            used += wide
    return rows, *(place or (len(rows) - 1, used))
