"""How long an answer stood still because its gateway was killed: from the kill to the first write of the next owner."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import quantiles

from tests.journeys.towns.region import MARK
from tests.processes.fleet import Fleet


@dataclass(frozen=True)
class Resume:
    """One take-over; `seconds` from the kill (alone on a folder: from the next start) to the first write."""

    mark: str
    seconds: float
    claimed_after_s: float


def resumes(fleet: Fleet, kills: Mapping[Path, list[float]], writes: Mapping[str, list[float]]) -> list[Resume]:
    """Give the take-overs after `kills` (wall seconds by the home of the killed) that had something left to show."""
    marks = {run: found[0] for run, text in fleet.rows("SELECT id, input FROM nm_run") if (found := _marks(text))}
    claims = defaultdict[str, list[tuple[float, Path]]](list)
    for line in fleet.claims():
        claims[str(line["run"])].append((datetime.fromisoformat(str(line["at"])).timestamp(), line["home"]))
    found: list[Resume] = []
    for run, owners in claims.items():
        for number in range(1, len(owners)):
            (before_s, home), (at_s, _) = owners[number - 1], owners[number]
            until_s = owners[number + 1][0] if number + 1 < len(owners) else float("inf")
            killed = [kill_s for kill_s in kills.get(home, []) if before_s <= kill_s <= at_s]
            first = [each for each in writes.get(marks.get(run, ""), []) if at_s <= each < until_s]
            if killed and first:
                found.append(Resume(marks[run], first[0] - killed[-1], at_s - killed[-1]))
    return found


def told(found: list[Resume]) -> str:
    """Give the figures as a line."""
    times = sorted(each.seconds for each in found)
    if len(times) < 2:
        return f"resumes {len(times)}: {times}"
    cuts = quantiles(times, n=20, method="inclusive")
    return f"resumes {len(times)}, p50 {cuts[9]:.2f} s, p95 {cuts[18]:.2f} s, max {times[-1]:.2f} s"


def _marks(text: str) -> list[str]:
    return MARK.findall(json.dumps(json.loads(text)))
