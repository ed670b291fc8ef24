"""A card as lines for a terminal: header, blocks, small print. Its buttons are the window's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from channels.cards.markdown import Parts
from channels.cards.model import (
    Action,
    ActionName,
    Block,
    Card,
    CardStatus,
    Form,
    Image,
    Lane,
    Note,
    Table,
    Text,
    Thinking,
    Todos,
    ToolPanel,
    WorkStatus,
)
from channels.terminal.grid import grid
from channels.terminal.ink import Line, Span, indented, line, line_width, wrap
from channels.terminal.markdown import render_markdown
from channels.terminal.width import clean, clip, one_line, width

KEYS: Mapping[ActionName, str] = {
    "stop": "s",
    "retry": "r",
    "approve": "y",
    "approve_conversation": "c",
    "approve_always": "a",
    "deny": "n",
    "satisfied": "g",
    "revise": "v",
    "abandon": "x",
    "submit": "e",
    "backlog_all": "1",
    "backlog_last": "2",
    "backlog_ignore": "3",
    "option_1": "1",
    "option_2": "2",
    "option_3": "3",
    "option_4": "4",
    "option_5": "5",
    "option_6": "6",
}
"""The key of each button. No two that can follow each other share one: a late press must not mean something else."""

_STATUS: Mapping[CardStatus, tuple[str, str]] = {
    CardStatus.QUEUED: ("○", "dim"),
    CardStatus.WORKING: ("●", "cyan"),
    CardStatus.WAITING: ("?", "yellow bold"),
    CardStatus.PAUSED: ("‖", "yellow"),
    CardStatus.DONE: ("✓", "green"),
    CardStatus.STOPPED: ("■", "yellow"),
    CardStatus.FAILED: ("✗", "red"),
    CardStatus.INTERRUPTED: ("■", "yellow"),
}
_WORK: Mapping[WorkStatus, tuple[str, str]] = {
    "pending": ("○", "dim"),
    "in_progress": ("…", "cyan"),
    "success": ("✓", "green"),
    "fail": ("✗", "red"),
}
_TONES = {"info": ("i", "dim"), "success": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "red")}
_GAP = "   "
_BODY_LINES = 6
_LONGEST_BODY = 20_000


@dataclass(frozen=True, slots=True)
class Look:
    """How much room there is, and whether folded parts are shown open."""

    columns: int
    unfolded: bool = False
    elapsed_s: int | None = None
    """How long the run has been at work, where that is worth showing."""


class CardLines:
    """Draws one card again and again; remembers how far its growing texts can be shown."""

    def __init__(self) -> None:
        self._parts: dict[str, Parts] = {}

    def of(self, card: Card, look: Look) -> list[Line]:
        """Give the whole card, without its buttons."""
        lines = render_header(card, look)
        stands_alone = False
        for block in card.blocks:
            drawn = self._block(block, card, look)
            if not drawn:
                continue
            is_large = isinstance(block, Text | Table | Lane)
            if is_large or stands_alone:
                lines.append(())
            lines += drawn
            stands_alone = is_large
        if stands_alone:
            lines.append(())
        footer = one_line(card.footer.text)
        return [*lines, *(wrap(line(footer, "dim"), look.columns) if footer else ())]

    def _block(self, block: Block, card: Card, look: Look) -> list[Line]:
        match block:
            case Text():
                return render_markdown(self._shown(block), look.columns)
            case Thinking():
                return _thinking(block, card, look)
            case Todos():
                return _todos(block, look.columns)
            case ToolPanel():
                return _tool(block, look)
            case Lane():
                return self._lane(block, card, look)
            case Table():
                head = [line(clean(each)) for each in block.columns]
                return grid(head, [[line(clean(cell)) for cell in row] for row in block.rows], look.columns)
            case Image():
                return [line(clip(f"[{one_line(block.alt) or 'image'}]", look.columns), "dim")]
            case Note():
                return render_note(block, look.columns)
            case Form():
                return [line(clip(f"{one_line(field.label)}: ____", look.columns)) for field in block.fields]
            case _:
                assert_never(block)

    def _lane(self, lane: Lane, card: Card, look: Look) -> list[Line]:
        inner = Look(max(8, look.columns - 2), look.unfolded)
        lines = [_signed(lane.status, one_line(lane.title), look.columns, "bold")]
        for block in lane.blocks:
            lines += indented(self._block(block, card, inner), Span("│ ", "dim"), Span("│ ", "dim"))
        return lines

    def _shown(self, block: Text) -> str:
        """Give what of a growing text can be shown without being taken back."""
        if not block.streaming:
            self._parts.pop(block.id, None)
            return block.markdown
        return "".join(self._parts.setdefault(block.id, Parts()).of(block.markdown, growing=True))


def render_header(card: Card, look: Look) -> list[Line]:
    """Give the status and what the card is about, on one line."""
    sign, style = _STATUS[card.header.status]
    state = one_line(card.header.subtitle) or card.header.status.value
    state += f" {look.elapsed_s} s" if look.elapsed_s is not None else ""
    room = look.columns - width(f"{sign} {state} · ")
    title = clip(one_line(card.header.title), room) if room > 6 else ""
    head = Span(clip(f"{sign} {state}", look.columns), style if "bold" in style else f"{style} bold")
    return [(head, Span(f" · {title}", "dim")) if title else (head,)]


def render_note(note: Note, columns: int) -> list[Line]:
    """Give a note, all of it: a question to a person must show exactly what is asked."""
    sign, style = _TONES[note.tone]
    lines = wrap(line(clean(note.text).strip("\n"), style), max(4, columns - 2))
    return indented(lines, Span(f"{sign} ", style), Span("  "))


def render_buttons(actions: Sequence[Action], columns: int) -> list[Line]:
    """Give the buttons that can be pressed, with their keys."""
    rows: list[list[Span]] = [[]]
    for action in actions:
        style = {"primary": "bold green", "danger": "bold red"}.get(action.style, "bold")
        button = [Span(f"[{KEYS[action.name]}]", style), Span(f" {one_line(action.label)}")]
        if rows[-1] and line_width((*rows[-1], *button)) + len(_GAP) > columns:
            rows.append([])
        rows[-1] += [Span(_GAP), *button] if rows[-1] else button
    return [each for row in rows if row for each in wrap(tuple(row), columns)]


def pressable(card: Card) -> tuple[Action, ...]:
    """Give the buttons of a card that do something now."""
    return tuple(action for action in card.actions if action.enabled)


def refusals(card: Card) -> tuple[Action, ...]:
    """Give what says no to whatever a card asks: where nobody sits, nobody answers."""
    asks = [action for action in pressable(card) if action.name == "deny" or action.name.startswith("option_")]
    asks += [block.submit for block in card.blocks if isinstance(block, Form)]
    return tuple(replace(action, name="deny") for action in asks)


def _signed(status: WorkStatus, words: str, columns: int, style: str = "") -> Line:
    sign, colour = _WORK[status]
    return (Span(f"{sign} ", colour), *line(clip(words, columns - 2), style))


def _thinking(block: Thinking, card: Card, look: Look) -> list[Line]:
    words = clean(block.text).strip()
    label = card.labels.get("thinking", "thinking")
    if look.unfolded:
        body = [each for part in words.split("\n") for each in wrap(line(part, "dim"), max(4, look.columns - 2))]
        return [line(f"▾ {label}", "dim"), *indented(body, Span("  "), Span("  "))]
    return [line(clip(f"▸ {label}: {words.split(chr(10))[-1]}", look.columns), "dim")]


def _todos(block: Todos, columns: int) -> list[Line]:
    lines: list[Line] = [line(clip(one_line(block.title), columns), "bold")] if block.title else []
    for item in block.items:
        sign, colour = _WORK[item.status]
        style = "dim" if item.status == "success" else ""
        words = wrap(line(one_line(item.title), style), max(4, columns - 2))
        lines += indented(words, Span(f"{sign} ", colour), Span("  "))
    return lines


def _tool(panel: ToolPanel, look: Look) -> list[Line]:
    """Give the call; its output only while it runs, when it failed, or unfolded: then its end is what matters."""
    lines = [_signed(panel.status, one_line(panel.title), look.columns)]
    body = clean(panel.body[-_LONGEST_BODY:]).strip("\n")
    if not body or (panel.status == "success" and not look.unfolded and panel.body_kind != "diff"):
        told = body.split("\n")
        # The title names the command already; what it said last is its result.
        first = one_line(told[-1] if panel.body_kind == "terminal" else told[0])
        return [*lines, *([line(f"  {clip(first, look.columns - 2)}", "dim")] if first else [])]
    rows = [each for part in body.split("\n") for each in wrap(_body_line(part, panel), max(4, look.columns - 4))]
    shown = rows if look.unfolded or panel.is_open else _some(rows, panel)
    return [*lines, *indented(shown, Span("  │ ", "dim"), Span("  │ ", "dim"))]


def _some(rows: list[Line], panel: ToolPanel) -> list[Line]:
    """Give a few rows: of output its end, of a change its beginning; what is left out is counted."""
    left_out = len(rows) - _BODY_LINES
    if left_out <= 0:
        return rows
    more = line(f"⋮ {left_out}", "dim")
    return [*rows[:_BODY_LINES], more] if panel.body_kind == "diff" else [more, *rows[-_BODY_LINES:]]


def _body_line(text: str, panel: ToolPanel) -> Line:
    if panel.body_kind == "diff":
        return line(text, {"+": "green", "-": "red"}.get(text[:1], "dim"))
    return line(text, "dim")
