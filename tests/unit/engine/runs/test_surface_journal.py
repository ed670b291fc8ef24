from __future__ import annotations

import pytest

from engine.errors import DuplicatePath
from engine.ports import Json
from engine.runs.journal import Entry
from engine.runs.surface_journal import SurfaceJournal


class Notes:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.guards = 0

    async def record(self, entry: Entry) -> None:
        self.entries.append(entry)

    async def guard(self) -> None:
        self.guards += 1


async def made() -> Json:
    return {"id": 1}


async def test_a_step_passes_the_guard_and_is_kept_under_its_own_prefix() -> None:
    notes = Notes()
    journal = SurfaceJournal({}, notes.guard, notes.record)
    assert await journal.step("open/entity", made) == {"id": 1}
    assert (notes.guards, [entry.path for entry in notes.entries]) == (1, ["surface/open/entity"])
    assert journal.recorded("open/entity") == {"id": 1}
    with pytest.raises(DuplicatePath):
        await journal.step("open/entity", made)


async def test_what_an_earlier_attempt_did_is_given_and_not_done() -> None:
    notes = Notes()
    journal = SurfaceJournal({"surface/open/entity": '{"id": 7}'}, notes.guard, notes.record)
    assert journal.recorded("open/entity") == {"id": 7} and journal.recorded("open/send") is None
    assert await journal.step("open/entity", made) == {"id": 7}
    assert not notes.entries


async def test_a_refused_step_may_be_tried_again() -> None:
    notes = Notes()
    journal = SurfaceJournal({}, notes.guard, notes.record)

    async def refused() -> Json:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await journal.step("open/entity", refused)
    assert await journal.step("open/entity", made) == {"id": 1}
