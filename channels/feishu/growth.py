"""Text that grows as markdown elements: what is finished is converted once and kept.

Where elements end, and what of a text is certain enough to be shown, is for `channels.cards.markdown` to say; here its
parts are written in the platform's dialect.
"""

from __future__ import annotations

from dataclasses import dataclass

from channels.cards.markdown import Parts, Rewriting
from channels.cards.model import Lane
from channels.cards.panels import Words
from channels.feishu.elements import Piece, markdown, part_id, piece_of
from channels.feishu.markdown import TABLES_PER_ELEMENT, Dialect
from channels.kept import Kept

ELEMENT_CHARS = 3000
"""One markdown element holds at most this much: long ones grow slowly, and some clients drop text beyond 10,000."""
_SAMPLE_CHARS = 256
_FRAME_BYTES = 200
_KEPT = 200


@dataclass(slots=True)
class _Element:
    """The newest state of one element."""

    rewriting: Rewriting[Dialect]
    part: str
    is_open: bool
    content: str
    piece: Piece


class Growing:
    """One text block. `tables`: how many stay tables in each element; `small`: in small print."""

    def __init__(self, eid: str, *, chars: int, tables: int, small: bool) -> None:
        self._eid = eid
        self._chars = chars
        self._tables = tables
        self._small = small
        self._text = ""
        self._parts = Parts(chars)
        self._elements: dict[tuple[int, int], _Element] = {}
        self._most: dict[int, int] = {}
        """Tables that the card had room for in an element, where that is less."""

    def pieces(self, text: str, *, growing: bool) -> list[Piece]:
        """Give the elements that show `text`; of a growing one an unfinished tail is held back.

        What is the same as before is the same object, so that comparing it costs nothing.
        """
        if not text.startswith(self._text):
            self._parts, self._elements, self._most = Parts(self._chars), {}, {}
        self._text = text
        parts = self._parts.of(text, growing=growing)
        last = len(parts) - 1
        return [
            self._element(number, part, self._most.get(number, self._tables), is_open=growing and number == last).piece
            for number, part in enumerate(parts)
            if part.strip()
        ]

    def _element(self, number: int, part: str, tables: int, *, is_open: bool) -> _Element:
        old = self._elements.get((number, tables))
        if old is not None and old.is_open == is_open and old.part == part:
            return old
        rewriting = old.rewriting if old is not None else Rewriting(Dialect(tables))
        content = rewriting.of_settled(part) if is_open else rewriting.of(part, growing=False)
        if old is not None and old.content == content:
            piece = old.piece
        else:
            piece = self._piece(number, content, rewriting.rule.tables)
        new = self._elements[number, tables] = _Element(rewriting, part, is_open, content, piece)
        return new

    def _piece(self, number: int, content: str, tables: int) -> Piece:
        native = markdown(part_id(self._eid, number), content, small=self._small)
        return piece_of(native, tables=tables, room=self._room(), fewer=lambda most: self._fewer(number, most))

    def _fewer(self, number: int, most: int) -> Piece:
        whole = self._elements[number, self._most.get(number, self._tables)]
        self._most[number] = most
        return self._element(number, whole.part, most, is_open=whole.is_open).piece

    def _room(self) -> int:
        """Give the bytes of a full element, so that one that grows need not move to the next card half-way."""
        sample = self._text[:_SAMPLE_CHARS]
        return self._chars * len(sample.encode()) // len(sample) + _FRAME_BYTES


class Texts:
    """The growing texts of one card, by element id."""

    def __init__(self) -> None:
        self._texts: Kept[str, Growing] = Kept(_KEPT)
        self.lanes: dict[str, tuple[Lane, Words, tuple[Piece, ...]]] = {}
        """Lanes as they were drawn last, with the word for thinking."""

    def of(
        self, eid: str, *, chars: int = ELEMENT_CHARS, tables: int = TABLES_PER_ELEMENT, small: bool = False
    ) -> Growing:
        """Give the text of an element; the options count when it is new."""
        text = self._texts.get(eid)
        if text is None:
            text = Growing(eid, chars=chars, tables=tables, small=small)
        self._texts[eid] = text
        return text
