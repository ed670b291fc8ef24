"""What every message asks of the database stays an index look-up among a hundred thousand finished runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.runs import admission, afterwards, clearing, eventlog, inbox, ledger, view
from engine.runs.dbos import queue, recovery
from engine.runs.journal import _claim_sql
from engine.runs.ports import Fence
from engine.sessions import store
from engine.storage.statement import SQLITE

FENCE = Fence(run="r", owner="o", attempt=1)  # type: ignore[arg-type]
LEDGER = ledger.Ledger(SQLITE)
QUESTIONS = {
    "who arrived": inbox._WHOSE,
    "who is before me": inbox._BEHIND,
    "what is open": admission._OPEN,
    "what waits for words": admission._HELD,
    "what waits in all": admission._CROWD,
    "claim": _claim_sql(SQLITE),
    "fence": f"SELECT id FROM nm_run WHERE {FENCE.where}",
    "view": view._SELECT,
    "last words": view._NEWEST,
    "open runs": clearing._OPEN,
    "open runs of a chat": view._OPEN_IN_ALL,
    "newer attempt": afterwards._NEWER,
    "events": eventlog._LOAD,
    "place of an event": eventlog._NEXT,
    "due delivery": LEDGER._take,
    "next delivery": f"SELECT min(due_at) FROM nm_delivery AS d WHERE {ledger._OPEN_NOW}",
    "open deliveries": ledger._PENDING,
    "deliveries handed over": ledger._HAND_OVER,
    "was delivered": "SELECT 1 FROM nm_delivery WHERE run = :run AND kind = 'final' AND status = 'delivered' LIMIT 1",
    "mine": "UPDATE nm_run SET excused = 1 WHERE owner = :me AND status = 'running'",
    "session": store._CURRENT,
    "message": store._APPEND,
    "history": store._HISTORY,
    "heads": queue._HEADS.format(table="workflow_status"),
    "take": queue._TAKE.format(table="workflow_status").replace(":ids", "('a', 'b')"),
    "finish": queue._FINISH.format(table="workflow_status"),
    "held": recovery._HELD.format(table="workflow_status"),
}
LIVING = (
    "INDEX nm_delivery_due",
    "INDEX nm_run_owner",
    "INDEX nm_run_person",
    "INDEX nm_run_open",
    "INDEX idx_workflow_status_pending",
)
"""Indexes that hold only what is not over."""


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_table_that_grows_is_scanned(name: str, sqlite_template: Path) -> None:
    engine = sa.create_engine(f"sqlite:///file:{sqlite_template}?mode=ro&uri=true")
    sql = QUESTIONS[name]
    values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
    with engine.connect() as connection:
        plan = [row.detail for row in connection.execute(sa.text(f"EXPLAIN QUERY PLAN {sql}"), values)]
    engine.dispose()
    scans = [
        step for step in plan if step.startswith("SCAN") and not re.match(r"SCAN (me|\d|CONSTANT ROW|nm_replica)", step)
    ]
    assert not [step for step in scans if not step.endswith(LIVING)], plan
