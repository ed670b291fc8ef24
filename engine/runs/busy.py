"""What becomes of a message that comes while a run of the same person works: it waits, reaches the run, or ends it.

Whatever it does, it is a turn in line as well: a run that ends without having read it leaves it there, to be answered.
Messages of others never reach a run, and never end it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlmodel import Session

from engine.messages import RunId, RunInput, TextPart
from engine.ports import Control
from engine.runs.controls import put
from engine.settings import WhileBusy
from engine.storage.config import chosen
from engine.storage.statement import Dialect, execute

_FIRST = "SELECT id, input FROM nm_run WHERE conv = :conv AND status IN ('queued', 'running') ORDER BY seq LIMIT 1"


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a message did to the run that works: told it something, told it to stop, or answered what it asked."""

    run: RunId
    does: Literal["steer", "interrupt", "answer"]


class Busy:
    """Meets messages by the mode of their conversation, or the `usual` one; inside the caller's transaction."""

    def __init__(self, dialect: Dialect, usual: WhileBusy) -> None:
        self._dialect = dialect
        self._usual = usual

    def meet(self, session: Session, given: RunInput, turn: RunId, at_ms: int) -> Spoken | None:
        """Let a message whose `turn` stands in line speak to the run before it; `None` where it merely waits."""
        mode = chosen(session, "while_busy", given.to) or self._usual
        if mode not in ("steer", "interrupt"):
            return None
        row = execute(session, _FIRST, conv=given.place_in_line).one()
        first = RunInput.model_validate_json(row.input)
        if row.id == turn or first.by.id != given.by.id or not (mode == "interrupt" or _can_join(first, given)):
            return None
        control = _stop(given, turn) if mode == "interrupt" else _steer(given, turn)
        is_heard = put(session, self._dialect, RunId(row.id), control, at_ms) == "accepted"
        return Spoken(RunId(row.id), "interrupt" if mode == "interrupt" else "steer") if is_heard else None


def _can_join(first: RunInput, given: RunInput) -> bool:
    """Tell whether words can be read in the midst of a run: files are fetched when a run begins."""
    return first.agent == given.agent and all(isinstance(part, TextPart) for part in given.parts)


def _stop(given: RunInput, turn: RunId) -> Control:
    body = {"name": given.by.name, "reason": "interrupt"}
    return Control(id=f"interrupt-{turn}", kind="stop", by=given.by.id, body=body)


def _steer(given: RunInput, turn: RunId) -> Control:
    # The words stay with the turn: their writer may still correct them.
    return Control(id=f"steer-{turn}", kind="steer", by=given.by.id, body={"turn": turn})
