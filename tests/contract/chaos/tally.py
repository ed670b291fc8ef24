"""What all cases together were, in a file that `make chaos` reads at the end: one JSON line for each that passed."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from tests.contract.chaos.plan import Case
from tests.contract.chaos.siege import Outcome

VARIABLE = "NIUMA_TEST_CHAOS_TALLY"


def note(case: Case, outcome: Outcome) -> None:
    """Add a case, if somebody asked for a tally."""
    file = os.environ.get(VARIABLE)
    if file:
        with Path(file).open("a", encoding="utf-8") as tally:
            tally.write(json.dumps({"case": case.id, **asdict(outcome)}) + "\n")


def summary(file: Path) -> str:
    """Say in a line what a tally holds."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    names = ("messages", "lost_by_platform", "kills", "resumed", "seconds")
    total = {name: sum(row[name] for row in rows) for name in names}
    strikes = sum(sum(row["strikes"]) for row in rows)
    return (
        f"chaos: {len(rows)} cases passed, {total['messages']} messages ({total['lost_by_platform']} lost by a "
        f"platform before anybody had them), {strikes} strikes, {total['kills']} of them kills, "
        f"{total['resumed']} runs resumed, {total['seconds']:.0f} s of cases"
    )


if __name__ == "__main__":
    sys.stdout.write(summary(Path(sys.argv[1])) + "\n")
