"""Runs as data for programs: `niuma runs --json`. Words of people and models only where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.runtime import Beat, Dossier, Recorded, RunView, Tally
from gateway.cli.runs_story import safe, safe_value

Json = dict[str, Any]
_TIMED = ("name", "calls", "failed", "took_ms", "untimed")


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
        "story": [_beat(each, with_text=with_text) for each in dossier.story],
        "totals": _totals(dossier),
        "steps": [asdict(each) for each in dossier.steps],
        "controls": [asdict(each) for each in dossier.controls],
        "events": [_event(each.model_dump(mode="json"), with_text=with_text) for each in dossier.events],
        "deliveries": [asdict(row) for row in dossier.deliveries],
    }
    return {"v": 1, "run": run}


def _beat(beat: Beat, *, with_text: bool) -> Json:
    told: Json = {"type": beat.kind, "at_ms": beat.at_ms, "path": beat.path, "facts": dict(beat.facts)}
    return told | {"words": beat.words} if with_text else told


def _totals(dossier: Dossier) -> Json:
    """Give what calls came to; `null` and the counts of what is unknown say that a sum is not all."""
    totals = dossier.totals
    models = [_used(each) for each in totals.models]
    tools = [{name: getattr(each, name) for name in _TIMED} for each in totals.tools]
    return {"models": models, "tools": tools, "all_models": _used(totals.used)}


def _used(tally: Tally) -> Json:
    told = asdict(tally)
    if tally.uncounted == tally.calls:
        told |= {"input_tokens": None, "output_tokens": None}
    if tally.untimed == tally.calls:
        told["took_ms"] = None
    return told


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
    return data | {"text": safe(run.input.text), "answer": safe(run.answer)} if with_text else data


def _event(event: Json, *, with_text: bool) -> Json:
    kept = ("type", "segment", "status", "visibility", "at_ms")
    told = {name: event.get(name) for name in kept}
    return told | {"content": safe_value(event.get("content"))} if with_text else told
