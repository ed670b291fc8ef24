"""A table in columns that line up; in a narrow window its cells wrap, in a very narrow one each row is a list."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from channels.terminal.ink import Line, Span, indented, line_width, wrap

Cell = Line
"""The spans of one cell; `"\\n"` inside breaks the line."""
_LEAST = 6
_GAP = " │ "


def grid(
    head: Sequence[Cell], rows: Sequence[Sequence[Cell]], columns: int, *, right: Collection[int] = ()
) -> list[Line]:
    """Draw a table in at most `columns` cells. Every row has as many cells as the head; missing ones are empty.

    `right` are the places of the columns that stand flush right.
    """
    full = [[*row, *[()] * (len(head) - len(row))][: len(head)] for row in rows]
    widths = _widths([head, *full], columns - len(_GAP) * (len(head) - 1))
    if widths is None:
        return _listed(head, full, columns)
    bold = [tuple(Span(span.text, f"{span.style} bold".strip()) for span in cell) for cell in head]
    rule: Line = (Span("─┼─".join("─" * size for size in widths), "dim"),)
    return [*_row(bold, widths, right), rule, *(each for row in full for each in _row(row, widths, right))]


def _widths(rows: Sequence[Sequence[Cell]], room: int) -> list[int] | None:
    """Give each column what it needs; while that is too much, the widest gives way. `None`: there is no room."""
    wanted = [max(1, *(_need(row[number]) for row in rows)) for number in range(len(rows[0]))]
    if sum(min(each, _LEAST) for each in wanted) > room:
        return None
    while sum(wanted) > room:
        widest = max(wanted)
        wanted[wanted.index(widest)] = widest - 1
    return wanted


def _need(cell: Cell) -> int:
    return max((line_width(part) for part in wrap(cell, 10_000)), default=0)


def _row(cells: Sequence[Cell], widths: Sequence[int], right: Collection[int]) -> list[Line]:
    drawn = [wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for number in range(max(len(each) for each in drawn)):
        spans: list[Span] = []
        for place, (parts, size) in enumerate(zip(drawn, widths, strict=True)):
            part = parts[number] if number < len(parts) else ()
            padding = Span(" " * (size - line_width(part)))
            spans += [padding, *part] if place in right else [*part, padding]
            spans.append(Span(_GAP, "dim"))
        spans = spans[: -1 if len(widths) - 1 in right else -2]
        lines.append(tuple(span for span in spans if span.text))
    return lines


def _listed(head: Sequence[Cell], rows: Sequence[Sequence[Cell]], columns: int) -> list[Line]:
    lines: list[Line] = []
    for row in rows:
        drawn: list[Line] = []
        for name, cell in zip(head, row, strict=True):
            drawn += wrap((*name, Span(": ", "dim"), *cell), max(4, columns - 2))
        lines += indented(drawn, Span("• ", "dim"), Span("  "))
    return lines or [each for name in head for each in wrap(name, columns)]
