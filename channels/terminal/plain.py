"""The window of a pipe, and of a terminal that cannot redraw: finished answers, line by line, in plain text."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

from channels.cards.model import Card, CardStatus, Note, Text
from channels.cards.text import plain_text
from channels.terminal.board import Board, Entry, Said
from channels.terminal.cards import Look, pressable, render_buttons
from channels.terminal.ink import paint
from channels.terminal.view import Tone
from channels.terminal.width import clean, one_line

logger = logging.getLogger(__name__)

_COLUMNS = 78


class PlainView:
    """Prints each answer when it is complete. See `View`.

    `talks`: a person reads along, so questions and buttons are shown; else only final answers go to `out`, and all
    that is no answer to `err`.
    """

    def __init__(self, *, talks: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.board = Board()
        self.talks = talks
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._printed = False

    def wants(self, card: Card, *, final: bool) -> bool:
        """See `View.wants`: the end, and a question to the person."""
        return final or card.header.status is CardStatus.WAITING

    def show(self, entry: Entry, card: Card, *, final: bool) -> None:
        """See `View.show`."""
        was_final, before, entry.card = entry.is_final, entry.card, card
        if not final:
            if self.talks and before.header.status is not CardStatus.WAITING:
                self._print(self._out, self._drawn(entry))
            return
        entry.is_final = True
        if was_final:
            self._out.flush()  # what an earlier try wrote and the system did not take
            self._print(self._err if not self.talks else self._out, _news(before, card))
        elif self.talks:
            self._print(self._out, self._drawn(entry))
        else:
            self._print_answer(card)

    def hear(self, said: Said) -> None:
        """See `View.hear`: the terminal has shown it while it was typed."""

    def begin(self, message_id: str | None) -> None:
        """See `View.begin`."""

    def sign(self, message_id: str, *, queued: bool) -> None:
        """See `View.sign`."""

    def tell(self, text: str) -> None:
        """See `View.tell`."""
        self._print(self._out if self.talks else self._err, clean(text))

    def toast(self, text: str, tone: Tone = "info") -> None:
        """See `View.toast`."""
        try:
            self.tell(text)
        except OSError as error:
            logger.info("terminal_gone", extra={"code": error.errno})

    def _print_answer(self, card: Card) -> None:
        """Print the last text; a run that was not done says on `err` why."""
        texts = [block.markdown for block in card.blocks if isinstance(block, Text)]
        if card.header.status is CardStatus.DONE:
            blank = "\n" if self._printed else ""
            self._print(self._out, blank + clean(texts[-1] if texts else plain_text(card)).strip("\n"))
            self._printed = True
            return
        notes = [clean(block.text) for block in card.blocks if isinstance(block, Note)]
        self._print(self._err, "\n".join([one_line(card.header.subtitle), *notes]))

    def _drawn(self, entry: Entry) -> str:
        lines = entry.lines.of(entry.card, Look(_COLUMNS))
        lines += render_buttons(pressable(entry.card), _COLUMNS)
        return "\n".join(paint(each, colour=False) for each in lines) + "\n"

    @staticmethod
    def _print(stream: TextIO, text: str) -> None:
        if text:
            stream.write(text.encode("utf-8", "replace").decode() + "\n")
            stream.flush()


def _news(before: Card, now: Card) -> str:
    notes = [block for block in now.blocks if isinstance(block, Note) and block not in before.blocks]
    return "\n".join(clean(note.text) for note in notes)
