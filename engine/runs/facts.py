"""What is known of outside accounts until a time, for all replicas and over restarts: a row for each fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlmodel import Session

from engine.budgets import Fact, Use
from engine.storage.statement import execute

Facts = Mapping[str, Sequence[Fact]]
"""By account."""

_READ = "SELECT account, name, until, amount FROM nm_account_fact WHERE until > :now"
_WRITE = """INSERT INTO nm_account_fact (account, name, until, amount) VALUES (:account, :name, :until, :amount)
ON CONFLICT (account, name) DO UPDATE SET
  amount = CASE WHEN excluded.until > nm_account_fact.until THEN excluded.amount
    WHEN excluded.until = nm_account_fact.until THEN nm_account_fact.amount + excluded.amount
    ELSE nm_account_fact.amount END,
  until = CASE WHEN excluded.until > nm_account_fact.until THEN excluded.until ELSE nm_account_fact.until END"""
_FORGET = "DELETE FROM nm_account_fact WHERE until < :long_ago"
_KEPT_MS = 7 * 24 * 3600 * 1000
"""Well beyond what clocks differ by: who is behind must not bring back what has ended."""


class AccountFacts:
    """Adds what this process found out to the rows, each thing once, and gives what all know."""

    def __init__(self) -> None:
        self._written: dict[tuple[str, str], Fact] = {}
        """What the rows have from us: an amount that was added must not be added again."""

    def unwritten(self, uses: Mapping[str, Use]) -> list[tuple[str, Fact]]:
        """Give what is known here and not in the rows, by account; an amount is what has come to it."""
        found: list[tuple[str, Fact]] = []
        for account, fact in _each(uses):
            before = self._written.get((account, fact.name))
            if before is None or before.until_ms != fact.until_ms:
                found.append((account, fact))
            elif before.amount != fact.amount:
                found.append((account, Fact(fact.name, fact.until_ms, fact.amount - before.amount)))
        return found

    def settle(self, session: Session, uses: Mapping[str, Use], now_ms: int) -> Facts:
        """Write what is not in the rows yet and give all; changes nothing here until `written`."""
        unwritten = sorted(self.unwritten(uses), key=lambda each: (each[0], each[1].name))
        for account, fact in unwritten:
            if fact.until_ms > now_ms:
                values = {"account": account, "name": fact.name, "until": fact.until_ms, "amount": fact.amount}
                execute(session, _WRITE, **values)
        if unwritten:
            execute(session, _FORGET, long_ago=now_ms - _KEPT_MS)
        ours = {(account, fact.name, fact.until_ms): fact.amount for account, fact in _each(uses)}
        known: dict[str, list[Fact]] = {}
        for row in execute(session, _READ, now=now_ms).all():
            theirs = row.amount - ours.get((row.account, row.name, row.until), 0)
            known.setdefault(row.account, []).append(Fact(row.name, row.until, max(0, theirs)))
        return known

    def written(self, uses: Mapping[str, Use]) -> None:
        """Note that the rows have all of this."""
        for account, fact in _each(uses):
            self._written[account, fact.name] = fact


def _each(uses: Mapping[str, Use]) -> Iterable[tuple[str, Fact]]:
    return ((account, fact) for account, use in uses.items() for fact in use.facts)
