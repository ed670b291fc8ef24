"""Where the platform's pages are silent, the card ends the same in whatever way it turns out to be."""

from __future__ import annotations

from typing import Any

import pytest

from channels.testing import contract, contract_capabilities, contract_finals
from channels.testing.contract import Check
from tests.contract.slack_harness import SlackHarness

MODES: dict[str, dict[str, Any]] = {
    "idle life": {"stream_life": "idle"},
    "recipients in direct chats": {"recipients_in_dm": True},
    "no streams": {"streams_refused_in": ["im"]},
    "every append is an event": {"stream_events": "all"},
    "limits by 200": {"limited_as_200": True},
    "small messages": {"block_json_limit": 8000},
    "small streams": {"stream_limit_bytes": 4000},
    "no agent": {"agent_app": False},
    "edits close": {"edit_window_s": 3600.0},
    "one post a second": {"post_burst": 1},
}
TOO_SLOW = {("small messages", "rolls_over")}
"""So many small messages need more edits than half a minute has."""
CHECKS: tuple[Check, ...] = (
    contract.shows_growth_and_proves_the_end,
    contract.finds_its_card_after_a_crash_at_every_step,
    contract.survives_stumbles,
    contract.rolls_over,
    contract_capabilities.outlives_its_stream,
    contract_finals.sends_a_final_once_whatever_record_was_lost,
)


PAIRS = [(mode, check) for mode in MODES for check in CHECKS if (mode, check.__name__) not in TOO_SLOW]


@pytest.mark.parametrize(("mode", "check"), PAIRS, ids=lambda each: getattr(each, "__name__", each))
async def test_mode(mode: str, check: Check) -> None:
    harness = SlackHarness("D0LIN", **MODES[mode])
    await harness.start()
    try:
        await check(harness)
    finally:
        await harness.stop()
