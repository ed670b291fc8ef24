"""Sharing an account's write budget between its live cards.

One `Pacer` per account. Previews share what is left after one write per live card and method is kept back, so that the
first, the last, approval and error frames (`urgent`) always find room.
"""

from __future__ import annotations

from channels.pacing.card import CardPace
from channels.pacing.insisting import insist
from channels.pacing.knowledge import Known, Overheard
from channels.pacing.pacer import Pacer
from channels.pacing.statistics import MethodStatistics, PacerStatistics, Spread, WriteLog

__all__ = [
    "CardPace",
    "Known",
    "MethodStatistics",
    "Overheard",
    "Pacer",
    "PacerStatistics",
    "Spread",
    "WriteLog",
    "insist",
]
