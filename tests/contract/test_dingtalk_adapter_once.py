"""A message that can be sent once only: what was surely not sent is sent later, whatever stood in its way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from channels.base import CardOpening
from channels.cards.model import CardStatus
from channels.dingtalk.adapter import Adapter
from channels.errors import ChannelError, Rejected, Unproven
from channels.events import OutFile
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock
from tests.contract.dingtalk_adapter import DIRECT, LIN, RUN, Bench, bench, card, settings_for, until

PLAIN = {"card_template_id": ""}
REPORT = OutFile("report.pdf", "application/pdf", b"%PDF report")
TOO_FAST = {"status": 403, "code": "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"}


async def final(b: Bench) -> CardOpening:
    message = await b.asked(chat=DIRECT)
    return CardOpening(message.conversation, RUN, 1, message.message_id, card("the whole answer", CardStatus.DONE))


async def killed_when(b: Bench, path: str, work: Coroutine[Any, Any, Any]) -> None:
    """Let `work` go on until the platform has been asked for this path, then cut it off."""
    task = asyncio.ensure_future(work)
    await until(lambda: bool(b.calls(path)))
    await asyncio.sleep(0.1)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def send_report(b: Bench, opening: CardOpening, journal: MemoryJournal) -> None:
    await b.adapter.send_file(opening.conversation, REPORT, journal, reply_to=None, key="f")


async def test_an_answer_that_was_refused_for_pace_when_its_process_died_is_sent_by_the_next() -> None:
    async with bench(settings=PLAIN) as b:
        opening, journal = await final(b), MemoryJournal()
        b.sim.faults.add({"match": {"path": "sendBySession"}, "action": TOO_FAST})
        await killed_when(b, "sendBySession", b.adapter.send_final(opening, journal))
        await b.adapter.send_final(opening, journal.next_attempt())
        assert [each["text"].count("the whole answer") for each in b.answers()] == [1]


async def test_an_answer_whose_run_was_lost_before_the_request_is_sent_by_the_next() -> None:
    async with bench(settings=PLAIN) as b:
        opening, journal = await final(b), MemoryJournal()
        journal.is_lost = True
        with pytest.raises(asyncio.CancelledError):
            await b.adapter.send_final(opening, journal)
        await b.adapter.send_final(opening, journal.next_attempt())
        assert len(b.answers()) == 1


async def test_an_answer_on_its_way_when_its_process_died_is_not_sent_again() -> None:
    async with bench(settings=PLAIN) as b:
        opening, journal = await final(b), MemoryJournal()
        b.sim.faults.add({"match": {"path": "sendBySession"}, "action": {"delay_s": 0.5}})
        await killed_when(b, "sendBySession", b.adapter.send_final(opening, journal))
        with pytest.raises(Unproven):
            await b.adapter.send_final(opening, journal.next_attempt())


async def test_a_file_on_its_way_up_when_its_process_died_is_sent_by_the_next() -> None:
    async with bench(settings=PLAIN) as b:
        opening, journal = await final(b), MemoryJournal()
        b.sim.faults.add({"match": {"path": "media/upload"}, "action": {"delay_s": 2}})
        await killed_when(b, "media/upload", send_report(b, opening, journal))
        await send_report(b, opening, journal.next_attempt())
        assert len(b.answers()) == 1


async def test_a_file_that_is_up_is_not_taken_up_again_when_sending_it_was_refused() -> None:
    async with bench(settings=PLAIN) as b:
        opening, journal = await final(b), MemoryJournal()
        b.sim.faults.add(
            {"match": {"path": "batchSend"}, "action": {"status": 503, "code": "ServiceUnavailable"}, "times": 4}
        )
        with pytest.raises(ChannelError):
            await send_report(b, opening, journal)
        await send_report(b, opening, journal.next_attempt())
        assert len(b.answers()) == len(b.calls("media/upload")) == 1


async def test_a_file_goes_up_with_a_new_token_when_the_old_one_is_refused() -> None:
    async with bench(settings=PLAIN) as b:
        opening, journal = await final(b), MemoryJournal()
        await b.adapter.send_notice(opening.conversation, "hello", reply_to=None, key="n")
        await send_report(b, opening, MemoryJournal())
        b.sim.revoke_token()
        await b.adapter.send_file(opening.conversation, REPORT, journal, reply_to=None, key="g")
        assert len(b.answers()) == 3


@pytest.mark.parametrize("code", [-1, 90018])
async def test_a_platform_too_busy_for_a_file_gets_it_later(code: int) -> None:
    async with bench(settings=PLAIN) as b:
        opening, journal = await final(b), MemoryJournal()
        b.sim.faults.add({"match": {"path": "media/upload"}, "action": {"code": code}, "times": 2})
        await send_report(b, opening, journal)
        assert len(b.answers()) == 1


@pytest.mark.parametrize("action", [{"code": 310000}, {"code": 400102}, {"status": 404, "code": "404"}])
async def test_an_answer_that_the_session_does_not_take_goes_by_the_robots_own_calls(action: dict[str, Any]) -> None:
    async with bench(settings=PLAIN) as b:
        opening = await final(b)
        b.sim.faults.add({"match": {"path": "sendBySession"}, "action": action, "times": -1})
        await b.adapter.send_final(opening, MemoryJournal())
        assert [each["text"].count("the whole answer") for each in b.answers()] == [1]


@asynccontextmanager
async def next_process(b: Bench) -> AsyncIterator[Adapter]:
    """Give the adapter of another process, which remembers nothing."""
    adapter = Adapter(settings_for(b.sim, **PLAIN), SystemClock())
    await adapter.start(b.inbox)
    try:
        yield adapter
    finally:
        await adapter.stop()


async def test_a_guest_is_answered_by_the_next_process_too_while_their_session_lasts() -> None:
    async with bench(settings=PLAIN) as b:
        b.sim.world.people[LIN].is_outside = True
        message = await b.asked(chat=DIRECT)
        assert message.conversation.chat.startswith("guest.") and message.way_back
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, card("all", CardStatus.DONE))
        kept = replace(opening, way_back=message.way_back)
        assert "webhook" not in repr(message) + repr(kept), "its address is a secret"
        async with next_process(b) as adapter:
            with pytest.raises(Rejected) as raised:
                await adapter.send_final(opening, MemoryJournal())
            assert raised.value.code == "session_over", "without what was kept nothing leads to them"
            await adapter.send_final(kept, MemoryJournal())
        assert [each["text"].count("all") for each in b.answers()] == [1]


async def test_what_a_newer_version_kept_leads_back_too() -> None:
    async with bench(settings=PLAIN) as b:
        b.sim.world.people[LIN].is_outside = True
        message = await b.asked(chat=DIRECT)
        newer = json.dumps({**json.loads(message.way_back), "of_later": 1})
        given = card("all", CardStatus.DONE)
        async with next_process(b) as adapter:
            opening = CardOpening(message.conversation, RUN, 1, message.message_id, given, newer)
            await adapter.send_final(opening, MemoryJournal())
        assert [each["text"].count("all") for each in b.answers()] == [1]


async def test_a_session_that_is_over_ends_a_guests_answer_with_its_reason() -> None:
    async with bench(settings=PLAIN, webhook_life_s=20) as b:
        b.sim.world.people[LIN].is_outside = True
        message = await b.asked(chat=DIRECT)
        given = card("all", CardStatus.DONE)
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, given, message.way_back)
        async with next_process(b) as adapter:
            with pytest.raises(Rejected) as raised:
                await adapter.send_final(opening, MemoryJournal())
        assert raised.value.code == "session_over" and b.answers() == []


async def test_what_everybody_else_is_reached_by_is_not_kept() -> None:
    async with bench(settings=PLAIN) as b:
        assert (await b.asked(chat=DIRECT)).way_back == ""
