"""What stands in the way of serving: the engine's lines of readiness."""

from __future__ import annotations

from dataclasses import dataclass

from engine.runs.ledger import DeadLetters
from engine.runs.replica import Replica
from engine.storage.database import Health


@dataclass(frozen=True, slots=True)
class Check:
    """One line of readiness; `code` is stable text, `reason` for people."""

    name: str
    ok: bool
    code: str
    reason: str = ""


def database_check(health: Health) -> Check:
    """Tell whether the last access to the database went well."""
    return Check("database", health.ok, health.code, health.reason)


def runs_check(replica: Replica) -> Check:
    """Tell whether this process takes up runs."""
    if replica.lease.lost:
        return Check("runs", False, "lost", "declared dead by its peers")
    if replica.draining.is_set():
        return Check("runs", False, "draining", "hands over to the next process")
    if replica.slow or not replica.lease.is_good():
        return Check("runs", False, "late", "the heartbeat is late")
    return Check("runs", True, "ok")


def letters_check(dead: DeadLetters) -> Check:
    """Answers nobody saw: red where somebody can mend it, green where the conversation will never take them."""
    if not dead.count:
        return Check("deliveries", True, "ok")
    reason = (
        f"{dead.old} answers given up after days, {dead.impossible} that can never be shown, "
        f"{dead.unproven} that may have arrived; see: niuma runs --dead"
    )
    return Check("deliveries", not dead.old, "dead_letters", reason)
