from __future__ import annotations

import pytest

from channels.terminal.keys import Key, Keys


def keys(*chunks: bytes) -> list[tuple[str, str]]:
    reader = Keys()
    return [(key.kind, key.value) for chunk in chunks for key in reader.feed(chunk)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"hi\r", [("text", "hi"), ("named", "enter")]),
        ("中👍".encode(), [("text", "中👍")]),
        (b"\x1b[A\x1bOB\x1b[3~", [("named", "up"), ("named", "down"), ("named", "delete")]),
        (b"\x1b[1;5C", [("named", "word_right")]),
        (b"\x1bs\x1b\r", [("alt", "s"), ("alt", "enter")]),
        (b"\x03\x04\x7f", [("named", "interrupt"), ("named", "end_of_input"), ("named", "backspace")]),
        (b"\x1b[200~a\r\nb\x03\x1b[201~\r", [("paste", "a\r\nb\x03"), ("named", "enter")]),
        (b"\x1b[31;5u\x00\x1cx", [("text", "x")]),
    ],
)
def test_bytes_are_keys_however_they_arrive(data: bytes, expected: list[tuple[str, str]]) -> None:
    assert keys(data) == expected
    joined: list[tuple[str, str]] = []
    for kind, value in keys(*[data[at : at + 1] for at in range(len(data))]):
        if joined and kind == "text" and joined[-1][0] == "text":
            joined[-1] = ("text", joined[-1][1] + value)
        else:
            joined.append((kind, value))
    assert joined == expected


def test_a_lone_escape_is_forgotten_and_turns_nothing_into_a_press() -> None:
    reader = Keys()
    assert list(reader.feed(b"\x1b")) == []
    assert reader.waits
    reader.settle()
    assert list(reader.feed(b"s")) == [Key("text", "s")]


def test_a_paste_under_way_is_waited_for() -> None:
    reader = Keys()
    assert list(reader.feed(b"\x1b[200~half")) == []
    assert not reader.waits
    assert list(reader.feed(b" and half\x1b[201~")) == [Key("paste", "half and half")]
