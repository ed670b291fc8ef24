from __future__ import annotations

import pytest

from engine.errors import BadOutput
from engine.models.assembly import Assembly
from engine.models.base import TextDelta
from engine.models.reading import Reading

CHUNK = b'{"choices":[{"delta":{"content":"hi"}}]}'


@pytest.mark.parametrize("data", [CHUNK, b"  " + CHUNK, CHUNK + b"\r", b"\n" + CHUNK + b" \n"])
def test_white_space_around_a_chunk_does_no_harm(data: bytes) -> None:
    assert Reading(Assembly("m")).take(data) == [TextDelta("hi")]


@pytest.mark.parametrize("data", [CHUNK + b"x", CHUNK + CHUNK, b"[1]", b'"text"', b"{", b"\xff", b""])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(BadOutput):
        Reading(Assembly("m")).take(data)
