from __future__ import annotations

import asyncio

import pytest

from engine.errors import StorageError
from engine.runs.lease import Lease, uptime_s
from engine.runs.patience import persist


async def test_a_fresh_lease_is_not_good_until_it_is_renewed() -> None:
    lease = Lease()
    waiting = asyncio.create_task(lease.guard())
    await asyncio.sleep(0.05)
    assert not waiting.done() and not lease.is_good()
    lease.renew(uptime_s() + 5)
    await asyncio.wait_for(waiting, 1)
    lease.renew(uptime_s() - 5)
    assert lease.is_good()


async def test_a_lost_lease_cancels_those_who_wait_and_never_comes_back() -> None:
    lease = Lease()
    waiting = asyncio.create_task(lease.guard())
    await asyncio.sleep(0)
    lease.lose()
    lease.renew(uptime_s() + 5)
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not lease.is_good()


async def test_an_endless_lease_is_good_without_a_heartbeat() -> None:
    lease = Lease(endless=True)
    await lease.guard()
    assert lease.is_good()


async def test_an_outage_is_waited_out() -> None:
    failures = [StorageError("away"), StorageError("away")]

    async def attempt() -> str:
        if failures:
            raise failures.pop()
        return "stored"

    assert await persist(attempt, Lease(endless=True)) == "stored"


async def test_an_outage_of_a_lost_replica_is_its_end() -> None:
    lease = Lease(endless=True)

    async def attempt() -> None:
        lease.lose()
        raise StorageError("away")

    with pytest.raises(asyncio.CancelledError):
        await persist(attempt, lease)
