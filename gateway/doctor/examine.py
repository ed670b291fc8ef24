"""Runs all examinations at once, each within its time, and mends what may be mended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from channels.base import Finding
from engine.errors import EngineError
from gateway.doctor.channel import channel_examinations
from gateway.doctor.examination import Detailed, Examination, Examined
from gateway.doctor.registry import examinations
from gateway.doctor.subject import Subject
from gateway.doctor.threads import AbandonedThreads
from gateway.errors import GatewayError

logger = logging.getLogger(__name__)


async def examine(subject: Subject, *, fix: bool = False) -> list[Examined]:
    """Examine everything and give the findings in a fixed order; never raises for what it finds.

    With `fix`, what is safe to mend is mended (see `Examination.repairs`) and examined again.
    """
    asyncio.get_running_loop().set_default_executor(AbandonedThreads())
    async with _all(subject) as every:
        found = await asyncio.gather(*(_examined(each) for each in every))
        if not fix:
            return found
        mended = [await _mended(each, result) for each, result in zip(every, found, strict=True)]
        return await _seen_again(every, mended) if any(each.fixed for each in mended) else mended


@asynccontextmanager
async def _all(subject: Subject) -> AsyncGenerator[Sequence[Examination]]:
    async with AsyncExitStack() as stack:
        yield [*examinations(subject), *await channel_examinations(subject, stack)]


async def _seen_again(every: Sequence[Examination], found: Sequence[Examined]) -> list[Examined]:
    """Examine what could not be before something else was mended."""
    skipped = [each.finding.verdict == "skipped" for each in found]
    again = iter(
        await asyncio.gather(*(_examined(each) for each, is_due in zip(every, skipped, strict=True) if is_due))
    )
    return [next(again) if is_due else each for each, is_due in zip(found, skipped, strict=True)]


async def _examined(examination: Examination) -> Examined:
    clock = asyncio.get_running_loop().time
    began_s = clock()
    found = await _found(examination)
    detailed = found if isinstance(found, Detailed) else Detailed(found)
    elapsed_ms = round((clock() - began_s) * 1000)
    return Examined(examination.name, examination.about, detailed.finding, detailed.details, elapsed_ms)


async def _found(examination: Examination) -> Finding | Detailed:
    try:
        async with asyncio.timeout(examination.limit_s):
            return await examination.examine()
    except TimeoutError:
        return Finding("fail", "too_slow", {"seconds": f"{examination.limit_s:g}"}, "too_slow")
    except Exception as error:
        # An examination that breaks is itself a finding: the others must still be told.
        logger.exception("examination_failed", extra={"examination": examination.name})
        facts = {"reason": f"{type(error).__name__}: {error}"}
        return Finding("fail", "examination_broke", facts, "examination_broke")


async def _mended(examination: Examination, result: Examined) -> Examined:
    repair = examination.repairs.get(result.finding.code)
    if repair is None:
        return result
    try:
        await asyncio.to_thread(repair)
    except (OSError, EngineError, GatewayError) as error:
        facts = {**result.finding.params, "reason": str(error)}
        return replace(result, finding=Finding("fail", "repair_failed", facts, result.finding.advice))
    again = await _examined(examination)
    return replace(again, fixed=again.finding.verdict == "ok")
