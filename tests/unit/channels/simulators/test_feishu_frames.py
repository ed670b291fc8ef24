from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.simulators.feishu.frames import CONTROL, DATA, Frame, FrameError, decode, encode

PING = bytes.fromhex("0800100018012000" + "2a0c" + "0a0474797065" + "120470696e67")


def test_a_ping_has_the_platforms_bytes() -> None:
    assert encode(Frame(service=1, method=CONTROL, headers={"type": "ping"})) == PING
    assert decode(PING) == Frame(service=1, method=CONTROL, headers={"type": "ping"})


@given(
    st.builds(
        Frame,
        seq_id=st.integers(0, 2**64 - 1),
        log_id=st.integers(0, 2**64 - 1),
        service=st.integers(0, 2**31 - 1),
        method=st.sampled_from([CONTROL, DATA]),
        headers=st.dictionaries(st.text(max_size=9), st.text(max_size=300), max_size=5),
        payload=st.binary(max_size=500),
        payload_encoding=st.text(max_size=5),
        payload_type=st.text(max_size=5),
        log_id_new=st.text(max_size=20),
    )
)
def test_every_frame_survives_the_wire(frame: Frame) -> None:
    assert decode(encode(frame)) == frame


@pytest.mark.parametrize("data", [b"", b"\x08", PING[:-1], PING[2:], b"\x0d\x00\x00\x00\x00" + PING, b"\xff" * 11])
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        decode(data)


@given(st.binary(max_size=60))
def test_noise_is_a_frame_or_refused_but_never_anything_else(data: bytes) -> None:
    try:
        decode(data)
    except FrameError:
        return
