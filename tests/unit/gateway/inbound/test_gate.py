"""A flood that cannot be stored is not acked."""

from __future__ import annotations

import pytest

from gateway.errors import Overloaded
from gateway.inbound.gate import Gate


def test_beyond_the_bound_nothing_is_taken_and_an_end_makes_room(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate(most=2)
    first, second = gate.pass_one(), gate.pass_one()
    first.__enter__()
    second.__enter__()
    for _ in range(5):
        with pytest.raises(Overloaded), gate.pass_one():
            pass
    assert [record.message for record in caplog.records] == ["inbound_full"]
    first.__exit__(None, None, None)
    with gate.pass_one(), pytest.raises(Overloaded), gate.pass_one():
        pass
    second.__exit__(None, None, None)
    assert caplog.records[-1].message == "inbound_flows"


def test_what_failed_holds_no_place() -> None:
    gate = Gate(most=1)
    for _ in range(3):
        with pytest.raises(ValueError), gate.pass_one():
            raise ValueError
    with gate.pass_one():
        pass
