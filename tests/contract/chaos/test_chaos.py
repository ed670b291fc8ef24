"""Every fault alone and every pair of faults: each message is answered once, in order, whole, and on its first card.

The normal run takes a few; `make chaos` runs all. A case that failed is repeated by its seed and name:
`NIUMA_TEST_SEED=20261201 make chaos CHAOS_ARGS="-k postgres3-killed+frozen"`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.chaos.plan import Case, cases
from tests.contract.chaos.siege import besiege
from tests.contract.chaos.tally import note

pytestmark = [pytest.mark.slow, pytest.mark.timeout(500)]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
async def test_nothing_is_lost_and_nothing_doubled(case: Case, tmp_path: Path) -> None:
    outcome = await besiege(case, tmp_path)
    note(case, outcome)
    assert outcome.messages > outcome.lost_by_platform
