"""A run as others see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from engine.messages import CODE_CHARS, Address, RunId, RunInput, code_of
from engine.ports import Outcome, RunStatus
from engine.runs.ports import ENDED, FINAL
from engine.storage.statement import execute

COLUMNS = """SELECT id, conv, status, owner, attempt, task, attempt_index, input, result,
created_at, first_at, ended_at FROM nm_run"""
"""What a view is read from."""
_SELECT = f"{COLUMNS} WHERE id = :run"
_OPEN = f"""{COLUMNS} WHERE conv IN (:conv, :side) AND status IN ('queued', 'running')
ORDER BY CASE WHEN conv = :conv THEN 0 ELSE 1 END, seq"""
_OPEN_IN_ALL = f"""{COLUMNS} WHERE substr(conv, 1, :length) = :beginning AND status IN ('queued', 'running')
ORDER BY created_at DESC, id DESC"""
_IS_OVER = f"""(status IN ('done', 'stopped', 'failed', 'interrupted') OR status = 'running'
AND EXISTS (SELECT 1 FROM nm_step AS s WHERE s.run = nm_run.id AND s.path = '{FINAL}'))"""
"""Its outcome is recorded: the card shows the end a moment before the run is over (see `afterwards.has_ended`)."""
_ENDED_IN_ALL = f"""{COLUMNS} WHERE id IN (SELECT id FROM nm_run ORDER BY id DESC LIMIT :newest)
AND parent IS NULL
AND substr(conv, 1, :length) = :beginning AND attempt > 0 AND {_IS_OVER} ORDER BY id DESC LIMIT :most"""
_NEWEST_OF_ALL = 2000
"""So far back a person's runs are looked for where it is not known in which conversation they were."""
_CODE = f"{COLUMNS} WHERE substr(id, 19) = :code ORDER BY id DESC LIMIT 1"
"""The end of an id of 26 characters, `CODE_CHARS` long; both databases have an index of exactly this."""
_ENDED = f"{COLUMNS} WHERE conv = :conv AND attempt > 0 AND {_IS_OVER} ORDER BY seq DESC LIMIT :most"
_LOOKED_AT = 50

_ANY = "SELECT 1 FROM nm_run WHERE conv = :conv LIMIT 1"
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
    def code(self) -> str:
        """Give what people write to name it."""
        return code_of(self.id)

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
    return None if row is None else view_of(row)


def open_in(session: Session, conversation: Address, side: Address) -> list[RunView]:
    """Give the runs of a conversation that have not ended, in their order, and after them those of a line beside it."""
    return [view_of(row) for row in execute(session, _OPEN, conv=conversation, side=side)]


def open_of(session: Session, person: str, beginning: str) -> list[RunView]:
    """Give a person's runs that have not ended in all conversations whose address begins so, the newest first."""
    rows = execute(session, _OPEN_IN_ALL, beginning=beginning, length=len(beginning))
    return [each for row in rows if (each := view_of(row)).input.by.id == person]


def by_code(session: Session, code: str) -> RunView | None:
    """Give the run whose id ends with `code`, `CODE_CHARS` letters and digits in either case; else `None`."""
    if len(code) != CODE_CHARS or not (code.isascii() and code.isalnum()):
        return None
    row = execute(session, _CODE, code=code.upper()).first()
    return None if row is None else view_of(row)


def last_ended(session: Session, conversation: Address, person: str) -> RunView | None:
    """Give the conversation's newest run of a person that has ended; one that another took in never ran."""
    rows = execute(session, _ENDED, conv=conversation, most=_LOOKED_AT)
    return next((each for row in rows if (each := view_of(row)).input.by.id == person), None)


def ended_of(session: Session, person: str, beginning: str) -> list[RunView]:
    """Give a person's newest runs that have ended in all conversations whose address begins so."""
    rows = execute(
        session, _ENDED_IN_ALL, newest=_NEWEST_OF_ALL, beginning=beginning, length=len(beginning), most=_LOOKED_AT
    )
    return [each for row in rows if (each := view_of(row)).input.by.id == person]


def view_of(row: Any) -> RunView:
    """Read one row of `COLUMNS`."""
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


def has_run_in(session: Session, conversation: Address) -> bool:
    """Tell whether anything was asked in a conversation that is still remembered."""
    return execute(session, _ANY, conv=conversation).first() is not None


def last_words(session: Session, conversation: Address, person: str) -> str:
    """Give what a person last asked in a conversation, among its newest runs; of a silent one, what anybody did."""
    given = [RunInput.model_validate_json(row.input) for row in execute(session, _NEWEST, conv=conversation)]
    theirs = (each.text for each in given if each.by.id == person)
    return next(theirs, given[0].text if given else "")
