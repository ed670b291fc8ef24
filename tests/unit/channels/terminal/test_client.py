from __future__ import annotations

import os

import pytest

from channels.errors import ConnectionLost, DeliveryUnknown, RateLimited
from channels.terminal.client import Output, has_colour, reflows
from channels.terminal.errors import parse_error


def test_what_a_slow_terminal_does_not_take_is_kept_and_written_first() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    output = Output(write)
    text = "".join(f"{number:06} 中\n" for number in range(30_000))
    with pytest.raises(BlockingIOError):
        output.write(text)
    got = b""
    for _ in range(1000):
        got += os.read(read, 65_536)
        try:
            output.write("")
            break
        except BlockingIOError:
            continue
    output.write("the end")
    os.close(write)
    while data := os.read(read, 65_536):
        got += data
    os.close(read)
    assert got.decode() == text + "the end"


def test_half_a_surrogate_pair_is_written_as_a_sign() -> None:
    read, write = os.pipe()
    Output(write).write("a\ud800b")
    assert os.read(read, 10) == b"a?b"
    os.close(read)
    os.close(write)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (BlockingIOError(11, "again"), RateLimited),
        (OSError(5, "input/output error"), ConnectionLost),
        (BrokenPipeError(32, "broken pipe"), ConnectionLost),
        (OSError(22, "invalid"), DeliveryUnknown),
    ],
)
def test_refusals_have_a_kind(error: OSError, kind: type[Exception]) -> None:
    assert type(parse_error(error)) is kind


def test_the_environment_decides_about_colour_and_reflow() -> None:
    assert has_colour({"TERM": "xterm", "NO_COLOR": ""})
    assert not has_colour({"TERM": "xterm", "NO_COLOR": "1"})
    assert not has_colour({"TERM": "dumb"})
    assert reflows({"TERM": "xterm-256color"})
    assert not reflows({"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)"})
    assert reflows({"TERM": "screen", "TMUX": "/tmp/x"})
