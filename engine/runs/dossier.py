"""All that is stored of one run, for an operator: what it did, what was said to it, what it waits for. Only reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import RunId
from engine.runs.eventlog import EventLog
from engine.runs.inbox import Inbox
from engine.runs.quarantine import SUSPECT_FROM
from engine.runs.records import DeliveryView, deliveries_of
from engine.runs.story import READ_STEPS, Beat, beats_of_events, beats_of_steps, safe_words
from engine.runs.totals import Totals, totals
from engine.runs.view import RunView, view
from engine.storage.statement import execute

ControlFate = Literal["waiting", "left", "consumed"]
"""`left`: the run ended before any step took it."""
Wait = Literal["turn", "process", "person", "quarantine", "delivery"]

_RUN = "SELECT stuck, surface, conv, parent FROM nm_run WHERE id = :run"
_STEPS = "SELECT path, attempt, at, length(result) AS size FROM nm_step WHERE run = :run ORDER BY at, path"
_RESULT = "SELECT result FROM nm_step WHERE run = :run AND path = :path"
_CONTROLS = "SELECT id, kind, person, at, taken_by FROM nm_control WHERE run = :run ORDER BY at, id"


@dataclass(frozen=True, slots=True)
class StepView:
    """A recorded step; what it gave is not read."""

    path: str
    attempt: int
    at_ms: int
    size_chars: int


@dataclass(frozen=True, slots=True)
class ControlView:
    """What somebody said to the run. `taken_by` is the step that took it."""

    id: str
    kind: str
    person: str
    at_ms: int
    fate: ControlFate
    taken_by: str


@dataclass(frozen=True, slots=True)
class WaitView:
    """What a run waits for. `count` of runs before it, `person` who is asked, `due_ms` of the next try."""

    what: Wait
    count: int = 0
    person: str = ""
    due_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Dossier:
    """One run. `claimed_for_nothing` counts claims without a new step; `card_ids`: what shows it on its platform."""

    run: RunView
    parent: str | None
    claimed_for_nothing: int
    steps: Sequence[StepView]
    controls: Sequence[ControlView]
    events: Sequence[RunEvent]
    deliveries: Sequence[DeliveryView]
    card_ids: Sequence[str]
    waits: Sequence[WaitView]
    story: Sequence[Beat]
    """All of it in order, from the question to what became of the answer."""
    totals: Totals


def dossier(session: Session, events: EventLog, run: RunId, now_ms: int) -> Dossier | None:
    """Read all of a run; `None` when there is none."""
    seen, row = view(session, run), execute(session, _RUN, run=run).first()
    if seen is None or row is None:
        return None
    told = events.load(session, run)
    deliveries = deliveries_of(session, run, now_ms)
    surface = None if row.surface is None else json.loads(row.surface)
    steps = [StepView(each.path, each.attempt, each.at, each.size) for each in execute(session, _STEPS, run=run)]
    controls = [_control(each) for each in execute(session, _CONTROLS, run=run)]
    story = _story(seen, controls, deliveries, [*beats_of_events(told), *_told_by_steps(session, run, steps, told)])
    return Dossier(
        run=seen,
        parent=row.parent,
        claimed_for_nothing=int(row.stuck),
        steps=steps,
        controls=controls,
        events=told,
        deliveries=deliveries,
        card_ids=list(dict.fromkeys(_ids([surface, *(each.receipt for each in deliveries)]))),
        waits=[*_waits(session, seen, row, told), *_owed(deliveries)],
        story=story,
        totals=totals(story),
    )


def _told_by_steps(
    session: Session, run: RunId, steps: Sequence[StepView], events: Sequence[RunEvent]
) -> Iterator[Beat]:
    told = {each.segment for each in events if each.type == "usage"}
    wanted = [each for each in steps if READ_STEPS.search(each.path) and each.path not in told]
    rows = ((each, execute(session, _RESULT, run=run, path=each.path).first()) for each in wanted)
    # Who forgets old runs may be at this one.
    yield from beats_of_steps([(step.path, step.at_ms, row.result) for step, row in rows if row is not None], told)
    first: dict[int, StepView] = {}
    for step in steps:
        first.setdefault(step.attempt, step)
    for attempt, step in first.items():
        yield Beat("claimed", step.at_ms, step.path, {"attempt": attempt})


def _story(
    run: RunView, controls: Sequence[ControlView], deliveries: Sequence[DeliveryView], beats: Sequence[Beat]
) -> list[Beat]:
    """Put all that happened in order; at the same moment, what begins goes before what it leads to."""
    by = {"by": run.input.by.id, "name": run.input.by.name}
    asked = Beat("asked", run.created_at_ms, facts=by, words=safe_words(run.input.text))
    said = [
        Beat("said", each.at_ms, each.taken_by, {"kind": each.kind, "by": each.person, "fate": each.fate})
        for each in controls
    ]
    sent = [Beat("delivery", each.done_at_ms or each.created_at_ms, facts=_sent(each)) for each in deliveries]
    order = {"asked": 0, "claimed": 1, "context": 2, "route": 3, "ended": 8, "delivery": 9}
    return sorted([asked, *said, *beats, *sent], key=lambda beat: (beat.at_ms, order.get(beat.kind, 5)))


def _sent(row: DeliveryView) -> dict[str, object]:
    return {"kind": row.kind, "state": row.state, "tries": row.tries, "reason": row.reason}


def _control(row: Any) -> ControlView:
    taken_by = str(row.taken_by or "")
    fate: ControlFate = "left" if taken_by == "end" else "consumed" if taken_by else "waiting"
    return ControlView(row.id, row.kind, row.person, row.at, fate, taken_by if fate == "consumed" else "")


def _waits(session: Session, run: RunView, row: Any, events: Sequence[RunEvent]) -> Iterator[WaitView]:
    if run.status == "queued":
        before = Inbox.behind(session, row.conv, run.id)
        yield WaitView("turn", count=before) if before else WaitView("process")
    elif run.status == "running":
        asked = _asked(events)
        if asked is not None:
            yield WaitView("person", person=asked)
        elif row.stuck >= SUSPECT_FROM:
            yield WaitView("quarantine", count=int(row.stuck))


def _asked(events: Sequence[RunEvent]) -> str | None:
    """Give whom the open question is for, if there is one."""
    open_: dict[str, str] = {}
    for event in events:
        if event.type in ("approval", "choice") and isinstance(event.content, dict):
            nonce = str(event.content.get("id"))
            open_.pop(nonce, None)
            if event.content.get("state") == "pending":
                open_[nonce] = str(event.content.get("for", ""))
    return next(reversed(open_.values()), None)


def _owed(deliveries: Sequence[DeliveryView]) -> Iterator[WaitView]:
    due = [each.due_at_ms for each in deliveries if each.state == "pending"]
    if due:
        yield WaitView("delivery", count=len(due), due_ms=min(due))


def _ids(value: object) -> Iterator[str]:
    """Find the platform's ids in what is stored of a card: of all else nothing is shown."""
    if isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _ids(each)
    elif isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            if key in ("ts", "id", "message_ids") or key.endswith("_id"):
                yield from _texts(each)
            elif isinstance(each, dict | list):
                yield from _ids(cast("object", each))


def _texts(value: object) -> Iterator[str]:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    yield from (each for each in values if isinstance(each, str) and each)
