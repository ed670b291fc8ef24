"""Runs as data for programs: `niuma runs --json`. Words of people and models only where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.runtime import Dossier, Recorded, RunView

Json = dict[str, Any]


def listed(found: Sequence[Recorded], *, with_text: bool) -> Json:
    """Give a list of runs."""
    runs = [
        {**_run(each.run, with_text=with_text), "deliveries": [asdict(row) for row in each.deliveries]}
        for each in found
    ]
    return {"v": 1, "runs": runs}


def shown(dossier: Dossier, *, with_text: bool) -> Json:
    """Give all of one run."""
    run = {
        **_run(dossier.run, with_text=with_text),
        "parent": dossier.parent,
        "claimed_for_nothing": dossier.claimed_for_nothing,
        "waits": [asdict(each) for each in dossier.waits],
        "card_ids": list(dossier.card_ids),
        "steps": [asdict(each) for each in dossier.steps],
        "controls": [asdict(each) for each in dossier.controls],
        "events": [_event(each.model_dump(mode="json"), with_text=with_text) for each in dossier.events],
        "deliveries": [asdict(row) for row in dossier.deliveries],
    }
    return {"v": 1, "run": run}


def _run(run: RunView, *, with_text: bool) -> Json:
    data: Json = {
        "id": run.id,
        "code": run.code,
        "state": run.status,
        "conversation": run.conversation,
        "by": {"id": run.input.by.id, "name": run.input.by.name},
        "task": run.task,
        "attempt_of_task": run.attempt_index,
        "tries": run.attempt,
        "owner": run.owner,
        "error": None if run.outcome is None else run.outcome.error,
        "created_at_ms": run.created_at_ms,
        "started_at_ms": run.started_at_ms,
        "ended_at_ms": run.ended_at_ms,
    }
    return data | {"text": run.input.text, "answer": run.answer} if with_text else data


def _event(event: Json, *, with_text: bool) -> Json:
    kept = ("type", "segment", "status", "visibility", "at_ms")
    return {name: event.get(name) for name in (*kept, "content") if with_text or name in kept}
