"""The live window: cards that grow in place, below them the line being typed, above them what the terminal keeps."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from channels.cards.model import Card, CardStatus, Note
from channels.clock import Clock
from channels.terminal.board import Board, Entry, Said
from channels.terminal.cards import CardLines, Look, pressable, render_buttons, render_note
from channels.terminal.client import Screen
from channels.terminal.ink import Line, Span, indented, line, line_width, paint, wrap
from channels.terminal.line import PROMPT, Editor, render_editor
from channels.terminal.region import Picture, Region
from channels.terminal.view import Tone
from channels.terminal.width import clean, clip

logger = logging.getLogger(__name__)

_TONE_STYLES: dict[Tone, str] = {"info": "cyan", "success": "green", "warning": "yellow", "error": "red"}


@dataclass(frozen=True, slots=True)
class Words:
    """What the window says itself, and the clock by which it tells how long a run takes."""

    say: Callable[..., str]
    clock: Clock


class Window:
    """Draws the board and the editor. See `View`; `editor` is what the keyboard edits."""

    def __init__(self, screen: Screen, editor: Editor, words: Words, *, colour: bool, reflows: bool = True) -> None:
        self.board = Board()
        self.editor = editor
        self.unfolded = False
        self._screen = screen
        self._say = words.say
        self._now_s = words.clock.steady_s
        self._colour = colour
        self._size = screen.size
        self._region = Region(reflows=reflows)
        self._toast: Line = ()

    # What a `View` does.

    def wants(self, card: Card, *, final: bool) -> bool:
        """See `View.wants`: everything."""
        return True

    def show(self, entry: Entry, card: Card, *, final: bool) -> None:
        """See `View.show`."""
        before, entry.card = entry.card, card
        if entry.is_final:
            self._draw(self._added(before, card))
        elif final:
            entry.is_final, self._toast = True, ()
            self._draw([*self._lines(entry), ()])
        else:
            self._draw()

    def hear(self, said: Said) -> None:
        """See `View.hear`."""
        self.board.waiting.append(said)
        if self.board.live() or len(self.board.waiting) > 1:
            self.redraw()
        else:
            self.begin(said.id)

    def begin(self, message_id: str | None) -> None:
        """See `View.begin`."""
        said = self.board.take(message_id)
        if said is not None:
            self._try([*self._said(said.text, "bold"), ()])

    def sign(self, message_id: str, *, queued: bool) -> None:
        """See `View.sign`."""
        for said in self.board.waiting:
            if said.id == message_id:
                said.is_queued = queued
        self.redraw()

    def tell(self, text: str) -> None:
        """See `View.tell`."""
        self._draw([*self._wrapped(text, "dim"), ()])

    def toast(self, text: str, tone: Tone = "info") -> None:
        """See `View.toast`."""
        self._toast = line(clean(text).replace("\n", " "), _TONE_STYLES[tone])
        self.redraw()

    # What the keyboard and the terminal do.

    def redraw(self) -> None:
        """Draw what has changed. Never raises: what the terminal does not take now is written first the next time."""
        self._try(())

    def typed(self) -> None:
        """A key was pressed: what was said in passing goes."""
        self._toast = ()

    def repaint(self) -> None:
        """Draw all of it, whatever another program wrote over it."""
        self._region.resized(*self._screen.size)
        self.redraw()

    def leave(self) -> None:
        """Take the input line away; what was printed stays."""
        try:
            self._screen.write(self._region.leave())
        except OSError as error:
            logger.info("terminal_gone", extra={"code": error.errno})

    # Drawing.

    def _try(self, commit: Sequence[Line]) -> None:
        try:
            self._draw(commit)
        except OSError as error:
            logger.info("terminal_behind", extra={"code": error.errno})

    def _draw(self, commit: Sequence[Line] = ()) -> None:
        if self._size != self._screen.size:
            # Sooner than the signal: what is drawn for one size and erased for another stays behind.
            self._size = self._screen.size
            self._region.resized(*self._size)
        text = self._region.draw(self._picture(), [self._paint(each) for each in commit])
        self._screen.write(text)

    @property
    def _columns(self) -> int:
        """Give the cells a line may take: one less than there are, so that none ends at the margin."""
        return self._size[0] - 1

    def _picture(self) -> Picture:
        rows = self._size[1] - 1
        typed, row, column = render_editor(self.editor, self._columns, max(1, rows // 3))
        below = self._below(max(0, rows - len(typed) - 1))
        cards = self._cards(max(0, rows - len(typed) - len(below)))
        lines = [*cards, *below, *typed]
        at = len(cards) + len(below) + row
        return Picture(tuple(map(self._paint, lines)), tuple(map(line_width, lines)), at, column)

    def _cards(self, room: int) -> list[Line]:
        """Give the growing cards, the newest last; of what is too high its header and its end."""
        lines = [each for entry in self.board.live() for each in [*self._lines(entry), ()]]
        if len(lines) <= room:
            return lines
        kept = max(0, room - 2)
        hidden = len(lines) - 1 - kept
        above = line(clip(self._say("above", lines=hidden), self._columns), "dim")
        return [lines[0], above, *(lines[-kept:] if kept else [])][:room]

    def _below(self, room: int) -> list[Line]:
        """Give what stands between the cards and the input line: buttons, waiting messages, a toast or a hint."""
        newest = self.board.newest()
        buttons = render_buttons(pressable(newest.card), self._columns) if newest is not None else []
        waiting = [each for said in self.board.waiting for each in self._queued(said)]
        hint = self._toast or line(self._hint(newest), "dim")
        lines = [*buttons, *waiting, *wrap(hint, self._columns)]
        return lines[-room:] if room else []

    def _hint(self, newest: Entry | None) -> str:
        if newest is None:
            return self._say("hint.idle")
        is_asked = newest.card.header.status is CardStatus.WAITING
        return self._say("hint.running" if self.board.running() and not is_asked else "hint.buttons")

    def _queued(self, said: Said) -> list[Line]:
        mark = f" ({self._say('queued')})" if said.is_queued else ""
        words = clip(" ".join(clean(said.text).split()), max(4, self._columns - len(PROMPT) - len(mark) * 2))
        return [(Span(PROMPT, "dim"), Span(words, "dim"), *line(mark, "dim yellow"))]

    def _lines(self, entry: Entry) -> list[Line]:
        is_working = entry.card.header.status is CardStatus.WORKING
        elapsed_s = int(self._now_s() - entry.began_s) if is_working else None
        return entry.lines.of(entry.card, Look(self._columns, self.unfolded, elapsed_s))

    def _added(self, before: Card, now: Card) -> list[Line]:
        """Give what is new on a card that is printed already: notes; all of it where anything else changed."""
        notes = [block for block in now.blocks if isinstance(block, Note) and block not in before.blocks]
        others = [block for block in now.blocks if not isinstance(block, Note)]
        if others != [block for block in before.blocks if not isinstance(block, Note)]:
            return [*CardLines().of(now, Look(self._columns, self.unfolded)), ()]
        lines = [each for note in notes for each in render_note(note, self._columns)]
        return [*lines, ()] if lines else []

    def _said(self, text: str, style: str) -> list[Line]:
        lines = wrap(line(clean(text), style), max(4, self._columns - len(PROMPT)))
        return indented(lines, Span(PROMPT, "bold cyan"), Span("  "))

    def _wrapped(self, text: str, style: str) -> list[Line]:
        return list(wrap(line(clean(text), style), self._columns))

    def _paint(self, given: Line) -> str:
        return paint(given, colour=self._colour)
