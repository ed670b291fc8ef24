"""Runs as lines for an operator: a table of many, a page of one. Times are UTC."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

from channels.cards.shorten import shorten
from engine.runtime import DeliveryView, Dossier, Recorded, RunView, WaitView
from gateway.cli.runs_story import Words, clean, safe, story, sums
from gateway.settings.names import shown

_COLUMNS = ("code", "state", "conversation", "who", "began", "took", "tries", "delivery")
_WORDS_CHARS = 60


def table(found: Sequence[Recorded], words: Words, now_ms: int, *, with_text: bool) -> list[str]:
    """Give a line for each run below a line of headings."""
    columns = (*_COLUMNS, "text") if with_text else _COLUMNS
    rows = [[words.of(f"runs.column_{name}") for name in columns]]
    rows += [_cells(each, words, now_ms)[: len(columns)] for each in found]
    widths = [max(_width(row[at]) for row in rows) for at in range(len(columns))]
    return ["  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _cells(each: Recorded, words: Words, now_ms: int) -> list[str]:
    run = each.run
    return [
        run.code,
        words.of(f"runs.state_{run.status}"),
        clean(run.conversation),
        shown(run.input.by.name, run.input.by.id),
        _time(run.created_at_ms),
        _took(run, now_ms),
        str(run.attempt),
        "; ".join(_delivery(row, words) for row in each.deliveries) or "-",
        shorten(" ".join(clean(safe(run.input.text)).split()), _WORDS_CHARS),
    ]


def page(dossier: Dossier, words: Words, *, with_text: bool) -> list[str]:
    """Give all of one run, one thing below the other."""
    run = dossier.run
    lines = [
        f"{run.id}  {words.of(f'runs.state_{run.status}')}",
        *_facts(dossier, words),
        *(words.of("runs.waits", what=_wait(each, words)) for each in dossier.waits),
        *_part(words.of("runs.story"), story(dossier, words, with_text=with_text)),
        *_part(words.of("runs.totals"), sums(dossier.totals, words)),
        *_part(words.of("runs.deliveries"), _deliveries(dossier, words)),
        *_part(words.of("runs.steps"), _steps(dossier, words)),
        *_part(words.of("runs.controls"), _controls(dossier, words)),
        *_part(words.of("runs.events"), _events(dossier, with_text=with_text)),
    ]
    if with_text:
        lines += _part(words.of("runs.text"), [clean(line) for line in safe(run.input.text).split("\n")])
        lines += _part(words.of("runs.answer"), [clean(line) for line in safe(run.answer).split("\n")])
    return lines


def _facts(dossier: Dossier, words: Words) -> Iterator[str]:
    run = dossier.run
    began, ended = _time(run.started_at_ms), _time(run.ended_at_ms)
    yield words.of("runs.asked", who=shown(run.input.by.name, run.input.by.id), conversation=clean(run.conversation))
    yield words.of("runs.times", created=_time(run.created_at_ms), began=began, ended=ended)
    yield words.of("runs.owner", tries=run.attempt, owner=run.owner or "-", stuck=dossier.claimed_for_nothing)
    yield words.of("runs.task", task=run.task, number=run.attempt_index)
    if run.outcome is not None and run.outcome.error:
        yield words.of("runs.error", error=run.outcome.error)
    if dossier.card_ids:
        yield words.of("runs.cards", ids=", ".join(clean(each) for each in dossier.card_ids))


def _deliveries(dossier: Dossier, words: Words) -> Iterator[str]:
    for row in dossier.deliveries:
        receipt = row.receipt or {}
        proof = ", ".join(str(each) for each in receipt.get("message_ids", ())) or "-"
        told = {"at": _time(row.created_at_ms), "done": _time(row.done_at_ms), "tries": row.tries}
        line = words.of("runs.delivery", kind=words.of(f"runs.kind_{row.kind}"), what=_delivery(row, words), **told)
        route = str(receipt.get("route", ""))
        yield f"{line}, {words.of('runs.receipt', ids=clean(proof), route=route)}" if row.receipt else line


def _steps(dossier: Dossier, words: Words) -> Iterator[str]:
    """Give the steps under the attempt that recorded them."""
    for attempt, steps in groupby(sorted(dossier.steps, key=lambda each: each.attempt), lambda each: each.attempt):
        taken = list(steps)
        yield words.of("runs.attempt", number=attempt, count=len(taken), first=_time(taken[0].at_ms))
        for step in taken:
            yield f"  {_time(step.at_ms)}  {clean(step.path)}  ({step.size_chars})"


def _controls(dossier: Dossier, words: Words) -> Iterator[str]:
    for each in dossier.controls:
        fate = words.of(f"runs.control_{each.fate}", path=clean(each.taken_by))
        yield f"{_time(each.at_ms)}  {each.kind}  {clean(each.person)}  {fate}"


def _events(dossier: Dossier, *, with_text: bool) -> Iterator[str]:
    for event in dossier.events:
        more = f"  {clean(safe(str(event.content)))}" if with_text else ""
        yield f"{_time(event.at_ms)}  {event.type}  {clean(event.segment)}  {event.status}  {event.visibility}{more}"


def _part(title: str, lines: Iterator[str] | Sequence[str]) -> list[str]:
    found = [f"  {line}" for line in lines]
    return [title, *found] if found else []


def _delivery(row: DeliveryView, words: Words) -> str:
    state = words.of(f"runs.delivery_{row.state}")
    return f"{state} ({clean(row.reason)})" if row.reason else state


def _wait(wait: WaitView, words: Words) -> str:
    return words.of(f"runs.wait_{wait.what}", count=wait.count, who=clean(wait.person), at=_time(wait.due_ms))


def _time(at_ms: int | None) -> str:
    return "-" if at_ms is None else datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _took(run: RunView, now_ms: int) -> str:
    if run.started_at_ms is None:
        return "-"
    return f"{max(0, (run.ended_at_ms or now_ms) - run.started_at_ms) / 1000:.1f} s"


def _width(cell: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in cell)


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))
