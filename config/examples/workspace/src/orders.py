"""Adds up the orders of a tea house."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path


def totals(file: Path) -> Counter[str]:
    """Give the cups sold by kind of tea."""
    cups: Counter[str] = Counter()
    with file.open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            cups[row["tea"]] += int(row["cups"])
    return cups
