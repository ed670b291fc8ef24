"""Our frames against the platform's own client: the same bytes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from channels.feishu.frames import CONTROL, DATA, MalformedFrame, parse_frame, render_answer, render_ping

REAL_CLIENT = """
import warnings
warnings.simplefilter("ignore")
import json, base64
from lark_oapi.ws.client import _new_ping_frame, Frame, Response, JSON
frame = Frame()
for key, value in (("type", "event"), ("message_id", "m1"), ("sum", "1"), ("seq", "0"), ("trace_id", "t1")):
    header = frame.headers.add()
    header.key, header.value = key, value
frame.SeqID, frame.LogID, frame.service, frame.method = 7, 8, 42, 1
frame.payload_encoding, frame.payload_type, frame.LogIDNew = "", "", "log"
frame.payload = '{"中":1}'.encode()
out = {"ping": _new_ping_frame(42).SerializeToString().hex(), "event": frame.SerializeToString().hex()}
header = frame.headers.add()
header.key, header.value = "biz_rt", "12"
answers = {}
for name, data in (("plain", None), ("toast", {"toast": {"type": "info", "content": "好"}})):
    answer = Response(code=200)
    if data is not None:
        answer.data = base64.b64encode(JSON.marshal(data).encode())
    frame.payload = JSON.marshal(answer).encode()
    out[name] = frame.SerializeToString().hex()
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def real() -> dict[str, str]:
    import json

    done = subprocess.run([sys.executable, "-c", REAL_CLIENT], capture_output=True, text=True, check=True, timeout=50)
    return json.loads(done.stdout.splitlines()[-1])


def test_pings_and_answers_are_those_of_the_real_client(real):
    assert render_ping(42).hex() == real["ping"]
    frame = parse_frame(bytes.fromhex(real["event"]))
    assert (frame.method, frame.type, frame.payload.decode()) == (DATA, "event", '{"中":1}')
    assert frame.headers["message_id"] == "m1"
    assert render_answer(frame, code=200, data=None, took_ms=12).hex() == real["plain"]
    again = parse_frame(bytes.fromhex(real["event"]))
    toast = {"toast": {"type": "info", "content": "好"}}
    assert render_answer(again, code=200, data=toast, took_ms=12).hex() == real["toast"]


def test_a_ping_is_read_back():
    frame = parse_frame(render_ping(3))
    assert (frame.method, frame.type, frame.payload) == (CONTROL, "ping", b"")


@pytest.mark.parametrize("data", [b"", b"\x08", b"not a frame", b"\xff" * 40])
def test_rubbish_is_a_malformed_frame(data):
    with pytest.raises(MalformedFrame):
        parse_frame(data)
