"""Shares the limits of outside accounts between all replicas of one database: a row for each, with each heartbeat.

What is known of an account until a time is kept on the embedded database too: a restart must not forget it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session

from engine.budgets import Budgets, Fact, Share, Use
from engine.errors import StorageError
from engine.runs.facts import AccountFacts, Facts
from engine.runs.hints import SHARE, call_out
from engine.runs.lease import SAFE_SHARE
from engine.runs.portion import WINDOW_S, Holding, Portion, Settled
from engine.runs.replica import Replica
from engine.storage.statement import execute

log = logging.getLogger(__name__)

LOCK_ID = 0x6E6D736861
"""Number of the advisory lock under which one replica at a time looks and takes (the letters of nmsha)."""
BEATS = 5
"""Steps within the lease's time to live, as many as heartbeats."""
WORTH_TELLING = 0.02

_FORGET = "DELETE FROM nm_share WHERE at < {now} - :window AND replica NOT IN (SELECT id FROM nm_replica)"
_OTHERS = """SELECT account, live, held, used, told, {now} - at AS age_ms,
  replica IN (SELECT id FROM nm_replica) AND {now} - at < :trust AS alive
FROM nm_share WHERE replica <> :me"""
"""Who has not stepped for as long as a lease is trusted is not alive here: its guard holds back what it writes."""
_WRITE = """INSERT INTO nm_share (replica, account, live, held, used, told, at)
VALUES (:me, :account, :live, :held, :used, :told, {now}) ON CONFLICT (replica, account) DO UPDATE
SET live = excluded.live, held = excluded.held, used = excluded.used, told = excluded.told, at = excluded.at"""
_LEAVE = """UPDATE nm_share SET live = 0, held = least(held, :used), used = :used, at = {now}
WHERE replica = :me AND account = :account"""

Others = Mapping[str, Sequence[Holding]]


class Shares:
    """Between `start` and `stop`. On the embedded database, where no other process works, only facts are kept."""

    def __init__(self, replica: Replica, ttl_s: float) -> None:
        self._replica = replica
        self._every_s = ttl_s / BEATS
        self._trust_ms = int(SAFE_SHARE * ttl_s * 1000)
        self._portions: dict[str, Portion] = {}
        self._facts = AccountFacts()
        self._is_alone = replica.database.dialect.is_sqlite
        self._task: asyncio.Task[None] | None = None
        self._soon = asyncio.Event()
        self.budgets: Budgets | None = None

    def look(self) -> None:
        """Look soon: another replica came, or gave something up."""
        self._soon.set()

    async def start(self) -> None:
        """Take the first share, before anything is sent, and go on with each beat.

        Raises:
            StorageError: the database cannot be asked.
        """
        budgets = self.budgets
        if budgets is None or not budgets.in_use():
            return
        budgets.call_on_news(self.look)
        await (self._keep(budgets, first=True) if self._is_alone else self._step(budgets))
        self._task = asyncio.create_task(self._run(budgets), name="shares")

    async def stop(self) -> None:
        """Give everything up but what was sent and still counts."""
        task, self._task = self._task, None
        if task is None or self.budgets is None:
            return
        task.cancel()
        await asyncio.wait([task])
        uses = self.budgets.in_use()
        if not self._is_alone:
            self.budgets.take_shares(dict.fromkeys(uses, Share(0.0, 0.0)))
        try:
            await self._replica.database.run(lambda session: self._leave(session, uses))
        except StorageError as error:
            # The row is forgotten by its age; of the facts the last seconds are missing.
            log.info("shares_kept", extra={"code": error.code})

    async def _run(self, budgets: Budgets) -> None:
        while True:
            await self._pause()
            try:
                await (self._keep(budgets) if self._is_alone else self._step(budgets))
            except StorageError as error:
                # Nobody can take more meanwhile, and the lease ends our writing when this lasts.
                log.warning("shares_not_settled", extra={"code": error.code})
            except Exception:
                log.exception("shares_failed")

    async def _pause(self) -> None:
        now_s = self._replica.clock.steady_s()
        due = [due_s for each in self._portions.values() if (due_s := each.publish_in_s(now_s)) is not None]
        waits = [
            asyncio.ensure_future(self._soon.wait()),
            asyncio.ensure_future(self._replica.clock.sleep(max(0.01, min([self._every_s, *due])))),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        self._soon.clear()

    async def _keep(self, budgets: Budgets, *, first: bool = False) -> None:
        """Keep what is known, where there is anything new; nobody else adds to it."""
        uses, now_ms = budgets.in_use(), self._replica.clock.now_ms()
        if not first and not self._facts.unwritten(uses):
            return
        facts = await self._replica.database.run(lambda session: self._facts.settle(session, uses, now_ms))
        self._facts.written(uses)
        if facts:
            whole = {account: Share(1.0, 1.0, facts=known) for account, known in facts.items() if account in uses}
            budgets.take_shares(whole)

    async def _step(self, budgets: Budgets) -> None:
        now_s, uses = self._replica.clock.steady_s(), budgets.in_use()
        settled, facts = await self._replica.database.run(lambda session: self._settle(session, uses, now_s))
        self._facts.written(uses)
        for account, each in settled.items():
            self._portion(account).take(each, now_s)
        budgets.take_shares({account: _share(each, facts.get(account, ())) for account, each in settled.items()})

    def _settle(self, session: Session, uses: Mapping[str, Use], now_s: float) -> tuple[dict[str, Settled], Facts]:
        execute(session, "SELECT pg_advisory_xact_lock(:id)", id=LOCK_ID)
        others = self._others(session)
        settled = {key: self._portion(key).settle(use, others.get(key, ()), now_s) for key, use in uses.items()}
        for account, each in settled.items():
            use = uses[account]
            values = {"live": use.live, "held": each.held, "used": use.used, "told": json.dumps(use.told)}
            self._execute(session, _WRITE, account=account, **values)
        is_news = any(not fact.amount for _, fact in self._facts.unwritten(uses))
        facts = self._facts.settle(session, uses, self._replica.clock.now_ms())
        concerns = is_news or any(self._concerns_others(key, each) for key, each in settled.items())
        if any(others.values()) and concerns:
            call_out(session, self._replica.database.dialect, SHARE)
        return settled, facts

    def _concerns_others(self, account: str, settled: Settled) -> bool:
        """Tell whether the others should look at once: we are new, or hold less."""
        portion = self._portion(account)
        return not portion.began or portion.held - settled.held > WORTH_TELLING

    def _others(self, session: Session) -> Others:
        self._execute(session, _FORGET, window=int(WINDOW_S * 1000))
        found: dict[str, list[Holding]] = {}
        for row in self._execute(session, _OTHERS, trust=self._trust_ms).all():
            holding = Holding(row.live, row.held, row.used, row.alive, row.age_ms / 1000, json.loads(row.told))
            found.setdefault(row.account, []).append(holding)
        return found

    def _leave(self, session: Session, uses: Mapping[str, Use]) -> None:
        self._facts.settle(session, uses, self._replica.clock.now_ms())
        if self._is_alone:
            return
        for account, use in uses.items():
            self._execute(session, _LEAVE, account=account, used=use.used)
        call_out(session, self._replica.database.dialect, SHARE)

    def _execute(self, session: Session, sql: str, **values: Any) -> Any:
        now = self._replica.database.dialect.now_ms
        return execute(session, sql.format(now=now), me=self._replica.id, **values)

    def _portion(self, account: str) -> Portion:
        return self._portions.setdefault(account, Portion())


def _share(settled: Settled, facts: Sequence[Fact]) -> Share:
    return Share(settled.share, settled.fair, settled.streaming, settled.reports, facts)
