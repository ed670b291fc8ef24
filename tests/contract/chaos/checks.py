"""What must be true at the end, whatever happened. Each check gives its complaints; none is the only good answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from gateway.texts.en import TEXTS
from tests.contract.chaos.history import History
from tests.contract.chaos.question import answer_to, marks_in
from tests.contract.chaos.records import RunRow

Check = Callable[[History], list[str]]
_ENDED = "done"
_COURTESY = (TEXTS["notice.behind"].partition("{")[0], TEXTS["call.done"], TEXTS["call.approval"])
"""What stands beside answers by design: whom a question waits for, and a call to somebody who waited long."""


def answered_once(h: History) -> list[str]:
    """One message of the bot for each question, also counting those that were taken back: its first card."""
    told: list[str] = []
    for each in h.asked:
        found = [shown for shown in h.shown if each.mark in marks_in(shown.text)]
        wanted = (0, 1) if each.mark in h.lost else (1,)
        if len(found) not in wanted or any(shown.gone for shown in found):
            told.append(f"{each.platform} {each.mark}: {[(shown.id, shown.gone, shown.text[:80]) for shown in found]}")
    return told


def nothing_else_said(h: History) -> list[str]:
    """The bot said nothing that is no answer to exactly one question, but for its words to those who have waited."""
    said = [each for each in h.shown if not any(word in each.text for word in _COURTESY)]
    return [f"{each.platform} {each.id}: {each.text[:200]!r}" for each in said if len(marks_in(each.text)) != 1]


def complete(h: History) -> list[str]:
    """Every answer holds its words, all of them, in order, and once; and has ended."""
    told: list[str] = []
    for each in h.shown:
        for mark in marks_in(each.text):
            flat = " ".join(each.text.split())
            if flat.count(answer_to(mark)) != 1 or flat.count(f"{mark}w") != len(answer_to(mark).split()):
                told.append(f"{each.platform} {each.id} {mark}: {each.text!r}")
            elif not each.is_over:
                told.append(f"{each.platform} {each.id} {mark}: not over, buttons {each.buttons}")
    return told


def one_run_each(h: History) -> list[str]:
    """Each question is one run, which ended well; a lost one is none."""
    count = Counter(run.mark for run in h.records.runs)
    told = [f"{each.mark}: {count[each.mark]} runs" for each in h.asked if count[each.mark] != 1]
    told = [each for each in told if each.split(":")[0] not in h.lost]
    return told + [f"{run.mark} is {run.status}" for run in h.records.runs if run.status != _ENDED]


def no_overlap(h: History) -> list[str]:
    """A run begins after the one before it in its conversation has ended."""
    told: list[str] = []
    for before, after in pairwise(h.records.runs):
        if before.conversation == after.conversation and not _follows(before, after):
            told.append(f"{after.conversation}: {after.mark} at {after.first_at}, {before.mark} to {before.ended_at}")
    return told


def _follows(before: RunRow, after: RunRow) -> bool:
    if before.ended_at is None or after.first_at is None:
        return False
    return before.ended_at <= after.first_at


def asked_in_order(h: History) -> list[str]:
    """The model is asked about a conversation's questions in the order of their arrival, and of none again later."""
    place = {run.mark: (run.conversation, run.seq) for run in h.records.runs}
    reached: dict[str, int] = {}
    told: list[str] = []
    for mark, _ in h.model_steps:
        conversation, seq = place.get(mark, ("", 0))
        if seq < reached.get(conversation, 0):
            told.append(f"{conversation}: {mark} (seq {seq}) after seq {reached[conversation]}")
        reached[conversation] = max(seq, reached.get(conversation, 0))
    return told


def no_step_repeated(h: History) -> list[str]:
    """Once the model was asked for a later step, the earlier one was recorded: it is never asked for again."""
    reached: dict[str, int] = {}
    told: list[str] = []
    for mark, step in h.model_steps:
        if step < reached.get(mark, 0):
            told.append(f"{mark}: step {step} after step {reached[mark]}")
        reached[mark] = max(step, reached.get(mark, 0))
    recorded = Counter((step.run, step.path) for step in h.records.steps)
    return told + [f"{run} {path}: recorded {count} times" for (run, path), count in recorded.items() if count > 1]


def steps_belong(h: History) -> list[str]:
    """No step is recorded by an attempt that its run never had."""
    attempts = {run.id: run.attempt for run in h.records.runs}
    return [
        f"{step.run} {step.path}: recorded by attempt {step.attempt} of {attempts.get(step.run)}"
        for step in h.records.steps
        if not 1 <= step.attempt <= attempts.get(step.run, 0)
    ]


def no_old_owner_writes(h: History) -> list[str]:
    """A text that has grown begins again only with a new attempt; an old owner's late write shrinks it once more."""
    told = list(h.stale_writes)
    attempts = {run.mark: run.attempt for run in h.records.runs}
    for each in h.shown:
        drops = sum(after < before for before, after in pairwise(h.growth.get(each.id, [])))
        marks = marks_in(each.text)
        if marks and drops > attempts.get(marks[0], 1) - 1:
            told.append(f"{each.platform} {marks[0]}: shrank {drops} times in {attempts.get(marks[0])} attempts")
    return told


def no_holes(h: History) -> list[str]:
    """The runs of a conversation are numbered one after another, as many as its counter says."""
    numbers: dict[str, list[int]] = {}
    for run in h.records.runs:
        numbers.setdefault(run.conversation, []).append(run.seq)
    return [
        f"{conv}: {found}, counted {h.records.counters.get(conv)}"
        for conv, found in numbers.items()
        if found != list(range(1, h.records.counters.get(conv, 0) + 1))
    ]


def all_delivered(h: History) -> list[str]:
    """The ledger has a row for each run, and each is delivered: nothing owed, no dead letter."""
    told = [f"{run}: {status}" for run, status in h.records.ledger if status != "delivered"]
    rows = Counter(run for run, _ in h.records.ledger)
    return told + [f"{run.mark} has no row" for run in h.records.runs if not rows[run.id]]


def notes_once(h: History) -> list[str]:
    """What a person approved was done, and once."""
    wanted = [each.mark for each in h.asked if each.kind == "approval" and each.mark not in h.lost]
    count = Counter(mark for line in h.notes for mark in marks_in(line))
    return [f"{mark}: {count[mark]} notes" for mark in wanted if count[mark] != 1]


CHECKS: tuple[Check, ...] = (
    answered_once,
    nothing_else_said,
    complete,
    one_run_each,
    no_overlap,
    asked_in_order,
    no_step_repeated,
    steps_belong,
    no_old_owner_writes,
    no_holes,
    all_delivered,
    notes_once,
)


def complaints(h: History) -> list[str]:
    """Give what all checks find, each under its name."""
    return [f"{check.__name__}: {told}" for check in CHECKS for told in check(h)]
