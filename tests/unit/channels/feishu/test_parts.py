from __future__ import annotations

from typing import cast

import pytest

from channels.feishu.frames import DATA, Frame, MalformedFrame, WireFrame
from channels.feishu.parts import PartJoiner


def part(number: object, total: object, payload: bytes, message_id: str = "m") -> Frame:
    headers = {"type": "event", "message_id": message_id, "sum": str(total), "seq": str(number)}
    return Frame(DATA, headers, payload, cast("WireFrame", None))


def test_a_single_part_is_whole_at_once(clock):
    assert PartJoiner(clock).add(part(0, 1, b"x")) == b"x"


def test_parts_in_any_order_and_twice(clock):
    joiner = PartJoiner(clock)
    assert joiner.add(part(2, 3, b"c")) is None
    assert joiner.add(part(0, 3, b"a")) is None
    assert joiner.add(part(0, 3, b"a")) is None
    assert joiner.add(part(0, 2, b"?", "other")) is None
    assert joiner.add(part(1, 3, b"b")) == b"abc"
    assert joiner.add(part(1, 3, b"b")) is None


async def test_parts_are_forgotten_five_seconds_after_the_last(clock):
    joiner = PartJoiner(clock)
    joiner.add(part(0, 3, b"a"))
    await clock.advance(4)
    joiner.add(part(1, 3, b"b"))
    await clock.advance(4)
    assert joiner.add(part(2, 3, b"c")) == b"abc"
    joiner.add(part(0, 2, b"a"))
    await clock.advance(6)
    assert joiner.add(part(1, 2, b"b")) is None


@pytest.mark.parametrize(("number", "total"), [(3, 3), (-1, 3), ("x", 3), (0, "many"), (0, 100_000)])
def test_senseless_numbers_are_refused(clock, number, total):
    with pytest.raises(MalformedFrame):
        PartJoiner(clock).add(part(number, total, b""))


def test_memory_is_bounded(clock):
    joiner = PartJoiner(clock)
    for number in range(1000):
        joiner.add(part(0, 2, b"x", f"m{number}"))
    assert joiner.add(part(1, 2, b"y", "m0")) is None
    assert joiner.add(part(1, 2, b"y", "m999")) == b"xy"
    with pytest.raises(MalformedFrame):
        for number in range(40):
            joiner.add(part(number, 50, b"z" * 1_000_000, "big"))


def test_as_many_events_as_are_kept_all_become_whole(clock):
    joiner = PartJoiner(clock)
    assert [joiner.add(part(0, 2, b"a", f"m{event}")) for event in range(64)] == [None] * 64
    assert [joiner.add(part(1, 2, b"b", f"m{event}")) for event in range(64)] == [b"ab"] * 64
