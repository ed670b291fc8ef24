"""Files and pictures to people on Feishu, against the simulator: how they are shown, paced, and found again."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from channels.errors import DeliveryUnknown, TooLong
from channels.events import InboundMessage, OutFile
from channels.feishu.history import History
from channels.feishu.outgoing import FILE_BYTES, PICTURE_BYTES
from channels.testing.journal import MemoryJournal
from tests.contract.feishu_adapter import Bench, bench

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 100
REPORT = OutFile("report.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", b"PK\x03\x04rows")


async def send(b: Bench, file: OutFile, journal: MemoryJournal, asked: InboundMessage, key: str = "k1") -> Any:
    return await b.adapter.send_file(asked.conversation, file, journal, reply_to=asked.message_id, key=key)


async def test_a_picture_is_shown_as_one_and_a_document_as_a_file_with_its_name() -> None:
    async with bench() as b:
        asked = await b.asked()
        await send(b, OutFile("chart.png", "image/png", PNG), MemoryJournal(), asked, "k1")
        await send(b, REPORT, MemoryJournal(), asked, "k2")
        picture, document = b.answers()
        assert (picture["msg_type"], document["msg_type"]) == ("image", "file")
        assert document["text"] == "[file] report.xlsx"
        shown = b.sim.world.messages[picture["message_id"]]
        assert shown.parent_id == asked.message_id
        assert b.sim.world.files[json.loads(shown.content)["image_key"]][1] == PNG


async def test_a_picture_too_large_for_one_goes_as_a_file() -> None:
    async with bench() as b:
        await send(b, OutFile("big.png", "image/png", PNG + bytes(PICTURE_BYTES)), MemoryJournal(), await b.asked())
        assert [each["text"] for each in b.answers()] == ["[file] big.png"]


async def test_what_is_too_large_is_refused_by_type_before_it_is_uploaded() -> None:
    async with bench() as b:
        asked = await b.asked()
        with pytest.raises(TooLong):
            await send(b, OutFile("film.mp4", "video/mp4", bytes(FILE_BYTES + 1)), MemoryJournal(), asked)
        assert not any("/im/v1/files" in entry.path for entry in b.sim.timeline.since() if entry.kind == "rest")


async def test_the_platforms_own_word_for_too_large_is_that_type() -> None:
    async with bench() as b:
        asked = await b.asked()
        b.sim.faults.add({"match": {"path": "/im/v1/files$"}, "action": {"status": 400, "code": 234006}, "times": 1})
        with pytest.raises(TooLong):
            await send(b, REPORT, MemoryJournal(), asked)


async def test_uploads_are_taken_from_a_budget_of_their_own() -> None:
    async with bench() as b:
        asked = await b.asked()
        await send(b, REPORT, MemoryJournal(), asked, "k1")
        await send(b, OutFile("chart.png", "image/png", PNG), MemoryJournal(), asked, "k2")
        told = b.adapter.pacer.statistics().methods
        assert (told["file.upload"].granted, told["image.upload"].granted) == (1, 1)


async def test_an_upload_that_was_recorded_is_not_made_again() -> None:
    async with bench() as b:
        asked, journal = await b.asked(), MemoryJournal()
        b.sim.faults.add({"match": {"path": "/reply$"}, "action": {"status": 400, "code": 230006}, "times": 1})
        with pytest.raises(Exception, match="230006"):
            await send(b, REPORT, journal, asked)
        await send(b, REPORT, journal, asked)
        uploads = [entry for entry in b.sim.timeline.since() if entry.kind == "rest" and "/im/v1/files" in entry.path]
        assert len(uploads) == 1
        assert len(b.answers()) == 1


async def test_a_file_that_cannot_be_looked_for_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as b:
        asked, journal = await b.asked(), MemoryJournal()
        journal.lose.add("file/k1")
        with pytest.raises(asyncio.CancelledError):
            await send(b, REPORT, journal, asked)

        async def unread(*_: object) -> str:
            raise DeliveryUnknown("the history cannot be read")

        monkeypatch.setattr(History, "find_file", unread)
        with pytest.raises(DeliveryUnknown):
            await send(b, REPORT, journal.next_attempt(), asked)
        assert len(b.answers()) == 1
