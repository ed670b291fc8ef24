"""A run as others see it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from engine.messages import Address, RunId, RunInput
from engine.ports import Outcome, RunStatus
from engine.runs.ports import ENDED
from engine.storage.statement import execute

_SELECT = """SELECT id, conv, status, owner, attempt, task, attempt_index, input, result,
created_at, first_at, ended_at FROM nm_run WHERE id = :run"""

_NEWEST = "SELECT input FROM nm_run WHERE conv = :conv ORDER BY seq DESC LIMIT 20"


@dataclass(frozen=True, slots=True)
class RunView:
    """A snapshot. `answer` and `outcome` are there when the run has ended; times are UTC milliseconds."""

    id: RunId
    conversation: Address
    status: RunStatus
    owner: str | None
    attempt: int
    task: str
    attempt_index: int
    input: RunInput
    outcome: Outcome | None
    created_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None

    @property
    def answer(self) -> str:
        """Give the final answer, empty while there is none."""
        return "" if self.outcome is None else self.outcome.answer

    @property
    def has_ended(self) -> bool:
        """Tell whether nothing more comes."""
        return self.status in ENDED


def view(session: Session, run: RunId) -> RunView | None:
    """Read one run."""
    row = execute(session, _SELECT, run=run).first()
    if row is None:
        return None
    given = RunInput.model_validate_json(row.input)
    return RunView(
        id=RunId(row.id),
        conversation=given.to,
        status=row.status,
        owner=row.owner,
        attempt=row.attempt,
        task=row.task,
        attempt_index=row.attempt_index,
        input=given,
        outcome=None if row.result is None else Outcome.model_validate_json(row.result),
        created_at_ms=row.created_at,
        started_at_ms=row.first_at,
        ended_at_ms=row.ended_at,
    )


def last_words(session: Session, conversation: Address, person: str) -> str:
    """Give what a person last asked in a conversation, among its newest runs; of a silent one, what anybody did."""
    given = [RunInput.model_validate_json(row.input) for row in execute(session, _NEWEST, conv=conversation)]
    theirs = (each.text for each in given if each.by.id == person)
    return next(theirs, given[0].text if given else "")
