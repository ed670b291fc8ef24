"""What every message asks of the database stays an index look-up among a hundred thousand finished runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from engine.runs import admission, afterwards, clearing, eventlog, forgetting, inbox, ledger, membership, replica, view
from engine.runs.dbos import queue, recovery
from engine.runs.journal import _claim_sql
from engine.runs.ports import Fence
from engine.sessions import forgetting as said
from engine.sessions import store
from engine.storage import blobs
from engine.storage.statement import POSTGRES, SQLITE, Dialect
from tests.processes.postgres import sibling

FENCE = Fence(run="r", owner="o", attempt=1)  # type: ignore[arg-type]


def questions(dialect: Dialect) -> dict[str, str]:
    """Give what is asked again and again, by what it is about."""
    table = "workflow_status" if dialect.is_sqlite else "dbos.workflow_status"
    return {
        "who arrived": inbox._WHOSE,
        "who is before me": inbox._BEHIND,
        "what is open": admission._OPEN,
        "what waits for words": admission._HELD,
        "what waits in all": admission._CROWD,
        "claim": _claim_sql(dialect),
        "fence": f"SELECT id FROM nm_run WHERE {FENCE.where}",
        "view": view._SELECT,
        "last words": view._NEWEST,
        "open runs": clearing._OPEN,
        "open runs of a chat": view._OPEN_IN_ALL,
        "newer attempt": afterwards._NEWER,
        "events": eventlog._LOAD,
        "place of an event": eventlog._NEXT,
        "due delivery": ledger.Ledger(dialect)._take,
        "next delivery": f"SELECT min(due_at) FROM nm_delivery AS d WHERE {ledger._OPEN_NOW}",
        "open deliveries": ledger._PENDING,
        "deliveries handed over": ledger._HAND_OVER,
        "was delivered": ledger._SHOWN,
        "mine": "UPDATE nm_run SET excused = 1 WHERE owner = :me AND status = 'running'",
        "session": store._CURRENT,
        "message": store._APPEND,
        "history": store._HISTORY,
        "heads": queue._HEADS.format(table=table),
        "take": queue._TAKE.format(table=table).replace(":ids", "('a', 'b')"),
        "finish": queue._FINISH.format(table=table),
        "a run by its code": view._CODE,
        "ended runs": view._ENDED,
        "dead letters": ledger._DEAD,
        "dead letters again": ledger._REVIVE,
        "old inbounds": forgetting.FORGET_INBOX,
        "old runs": forgetting.OLD_RUNS,
        "old runs that are kept": forgetting.KEPT_RUNS,
        "a place in line": forgetting._CONV_FREE,
        "old sessions": said.OLD_SESSIONS,
        "old messages": said.FORGET_MESSAGES,
        "old messages that are kept": said.OLD_BODIES,
        "the first message that is kept": said.FIRST_KEPT,
        "old blobs": blobs.OLD,
        "held": recovery._HELD.format(table=table),
        "spoken to": membership.SPOKEN_TO,
        "whose answer is waited for": replica._RESTING,
    }


LIVING = (
    "INDEX nm_delivery_due",
    "INDEX nm_run_open",
    "INDEX nm_run_owner",
    "INDEX nm_run_person",
    "INDEX nm_replica_pkey",
    "INDEX idx_workflow_status_pending",
)
"""Indexes that hold only what is not over."""


@pytest.mark.parametrize("name", questions(SQLITE))
def test_no_table_that_grows_is_scanned(name: str, sqlite_template: Path) -> None:
    engine = sa.create_engine(f"sqlite:///file:{sqlite_template}?mode=ro&uri=true")
    sql = questions(SQLITE)[name]
    values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
    with engine.connect() as connection:
        plan = [row.detail for row in connection.execute(sa.text(f"EXPLAIN QUERY PLAN {sql}"), values)]
    engine.dispose()
    scans = [
        step for step in plan if step.startswith("SCAN") and not re.match(r"SCAN (me|\d|CONSTANT ROW|nm_replica)", step)
    ]
    assert not [step for step in scans if not step.endswith(LIVING)], plan


SMALL = {"nm_replica"}


def test_on_postgres_every_question_has_an_index(postgres_template: str) -> None:
    """Where sequential scans are dear, one that is still planned has no index to go by."""
    scans: dict[str, list[str]] = {}
    with psycopg.connect(sibling(postgres_template), autocommit=True) as connection:
        connection.execute("SET enable_seqscan = off")
        for name, sql in questions(POSTGRES).items():
            # Literals take the type of what they are compared with.
            asked = re.sub(r"(?<!:):(\w+)", "'1'", sql)
            (plan,) = connection.execute(f"EXPLAIN (FORMAT JSON) {asked}").fetchone() or ((),)  # type: ignore[call-overload]
            found = [step for step in scans_in(plan[0]["Plan"]) if not step.endswith(LIVING)]
            scans |= {name: found} if found else {}
    assert scans == {}


def scans_in(node: dict[str, Any]) -> list[str]:
    """Give the steps of a plan that read a whole table or index."""
    below = [step for each in node.get("Plans", []) for step in scans_in(each)]
    table, kind = str(node.get("Relation Name", "")), str(node["Node Type"])
    if kind == "Seq Scan" and table not in SMALL:
        return [*below, f"{table}"]
    is_whole = "Index" in kind and "Index Cond" not in node and "Plans" not in node
    return [*below, f"INDEX {node['Index Name']}"] if is_whole else below
