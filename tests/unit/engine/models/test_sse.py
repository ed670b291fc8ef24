from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.sse import MAX_EVENT_BYTES, EventReader, EventTooLong
from engine.models.surrogates import Joiner

STREAM = b": hello\n\nevent: x\nid: 1\ndata: one\n\ndata:two\r\n\r\ndata: a\ndata: b\n\nretry: 3\n\ndata: last"


def read(pieces: list[bytes]) -> list[bytes]:
    reader = EventReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return [event.rstrip(b"\r") for event in events + reader.end()]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_the_cuts_of_the_network_do_not_matter(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in pairwise(edges)]
    assert read(pieces) == [b"one", b"two", b"a\nb", b"last"]


def test_an_event_without_an_end_is_refused() -> None:
    reader = EventReader()
    with pytest.raises(EventTooLong):
        for _ in range(3):
            reader.feed(b"x" * (MAX_EVENT_BYTES // 2))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20), st.data())
def test_halves_of_characters_are_joined_wherever_they_are_cut(text: str, data: st.DataObject) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    halves = [units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]
    cut = data.draw(st.integers(0, len(halves)))
    joiner = Joiner()
    shown = joiner.take("".join(halves[:cut])) + joiner.take("".join(halves[cut:])) + joiner.end()
    assert shown == text
    shown.encode()
