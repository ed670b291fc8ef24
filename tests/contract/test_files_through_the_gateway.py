"""Files in and out over the whole gateway on the fake channel: nothing of it belongs to one platform."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from channels.events import AttachmentHandle, DedupeKey, Fetched, InboundMessage, Quote, Sender
from channels.testing.fake import FakeChannel
from engine.runtime import build_runtime
from engine.settings import AgentSettings, EngineSettings
from gateway.access import Access
from gateway.clock import SystemClock
from gateway.delivery import Delivery
from gateway.inbound import ChannelEnclosures, Reception
from gateway.metrics import Metrics
from gateway.migrations import migrate
from gateway.presenter import Style
from gateway.settings.access import AccessSection
from gateway.stores.people import People
from gateway.texts.en import TEXTS

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"


def packed(name: str = "a.txt", content: bytes = b"x" * 1000) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return target.getvalue()


class House:
    """One person in a group on the fake channel, and the demo model."""

    def __init__(self, home: Path, channel: FakeChannel) -> None:
        self.home = home
        self.channel = channel
        self._said = 0

    async def says(self, text: str, *files: Fetched, transcript: str = "", quoted: str | None = None) -> str:
        """Write into the group with files; gives the answer's card when its run has ended."""
        return await self.answer(self.post(text, *files, transcript=transcript, quoted=quoted))

    def post(
        self,
        text: str,
        *files: Fetched,
        transcript: str = "",
        quoted: str | None = None,
        chat_kind: Literal["direct", "group"] = "group",
    ) -> str:
        """Write with files; gives the message's id."""
        self._said += 1
        name, handles = f"m{self._said}", list[AttachmentHandle]()
        for number, file in enumerate(files):
            key = f"{name}-{number}"
            self.channel.files[key] = file
            kind = "image" if file.mime.startswith("image/") else "file"
            handles.append(AttachmentHandle(kind, key, name, file.name))
        if transcript:
            handles.append(AttachmentHandle("audio", f"{name}-voice", name, transcript=transcript))
        where = self.channel.conversation()
        key, who, now_ms = (
            DedupeKey("fake", "main", "message", name),
            Sender("u1", "tenant1", "Ann"),
            SystemClock().now_ms(),
        )
        self.channel.post(InboundMessage(key, where, chat_kind, name, who, text, True, now_ms, tuple(handles), quoted))
        return name

    async def answer(self, question: str) -> str:
        world = self.channel.platform.world
        async with asyncio.timeout(20):
            while True:
                world.refresh()
                cards = [m.card for m in world.messages.values() if m.reply_to == question and m.card]
                if cards and "[done]" in world.cards[cards[0]].rest:
                    return f"{world.cards[cards[0]].rest}\n{world.cards[cards[0]].content}"
                await asyncio.sleep(0.02)

    def received(self) -> dict[str, bytes]:
        found = (self.home / "workspaces").rglob("received/*")
        return {path.name: path.read_bytes() for path in found if path.is_file()}

    def sent(self) -> list[str]:
        self.channel.platform.world.refresh()
        return [str(m.file["name"]) for m in self.channel.platform.world.messages.values() if m.file]


@asynccontextmanager
async def house(home: Path, agent: AgentSettings | None = None) -> AsyncIterator[House]:
    clock = SystemClock()
    channel = FakeChannel(home / "platform", clock)
    channels = {("fake", "main"): channel}
    settings = EngineSettings(home=home, agent=agent or AgentSettings(), demo_speed=50)
    enclosures = ChannelEnclosures(channels)
    runtime = build_runtime(settings, Delivery(channels, Style()), clock, migrate=migrate, enclosures=enclosures)
    await runtime.start()
    access = Access(AccessSection(), People(runtime.database), clock, has_run_in=runtime.has_run_in)
    reception = Reception(runtime, access, channels, Metrics(), clock)
    await channel.start(reception.handle)
    try:
        yield House(home, channel)
    finally:
        await channel.stop()
        await runtime.drain()
        await runtime.stop()


@pytest.mark.parametrize("name", ["notes.txt", "notes.md", "figures.csv", "facts.json", "tool.py"])
async def test_a_file_of_text_is_read_by_the_agent(tmp_path: Path, name: str) -> None:
    async with house(tmp_path) as h:
        answer = await h.says("please read this", Fetched(b"month,amount\nMay,41\n", name, ""))
        assert "41" in answer and f"received/{name}" in answer
        assert h.received() == {name: b"month,amount\nMay,41\n"}


async def test_a_file_comes_back_as_a_file_and_is_named_on_the_card(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        answer = await h.says("send me that file again", Fetched(b"a,b\n", "figures.csv", "text/csv"))
        assert h.sent() == ["figures.csv"] and "Sent: figures.csv" in answer


async def test_a_file_that_came_before_is_sent_back_too(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await h.answer(h.post("", Fetched(b"a,b\n", "figures.csv", "text/csv"), chat_kind="direct"))
        answer = await h.answer(h.post("send me that file", chat_kind="direct"))
        assert h.sent() == ["figures.csv"] and "Sent: figures.csv" in answer


async def test_the_same_file_sent_twice_is_kept_once(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        for _ in range(2):
            await h.says("look", Fetched(PNG, "chart.png", "image/png"))
        assert h.received() == {"chart.png": PNG}
        assert sum(path.read_bytes() == PNG for path in (tmp_path / "blobs").rglob("*") if path.is_file()) == 1


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("all.zip", packed(), "archives_refused"),
        ("all.tar.gz", b"\x1f\x8b\x08\x00" + b"x" * 50, "archives_refused"),
        ("bomb.zip", packed("bomb", bytes(5_000_000)), "archives_refused"),
        ("setup.exe", b"MZ\x90\x00\x03", "programs_refused"),
        ("holiday.png", packed(), "not_as_named"),
        ("notes.txt", packed(), "not_as_named"),
        ("report.docx", packed(), "not_as_named"),
        ("invoice.pdf", b"MZ\x90\x00\x03", "not_as_named"),
        ("plan.pdf", b"\x00\x01\x02", "not_as_named"),
    ],
)
async def test_archives_programs_and_what_lies_are_refused_with_a_reason(
    tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    async with house(tmp_path) as h:
        answer = await h.says("what is in it?", Fetched(content, name, "application/octet-stream"))
        assert TEXTS[f"notice.enclosure_{code}"].format(label=name) in answer
        assert h.received() == {}


async def test_a_document_of_an_office_program_is_no_archive(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await h.says("keep this", Fetched(packed("[Content_Types].xml"), "report.docx", ""))
        assert list(h.received()) == ["report.docx"]


async def test_a_setting_takes_archives_and_refuses_videos(tmp_path: Path) -> None:
    async with house(tmp_path, AgentSettings(refused_attachments=("video",))) as h:
        await h.says("keep this", Fetched(packed(), "all.zip", ""))
        answer = await h.says("and this", Fetched(b"\x00\x00\x00\x18ftypisom", "film.mp4", "video/mp4"))
        assert list(h.received()) == ["all.zip"]
        assert TEXTS["notice.enclosure_video_refused"].format(label="film.mp4") in answer


async def test_a_file_beyond_the_limit_is_refused_with_a_reason(tmp_path: Path) -> None:
    async with house(tmp_path, AgentSettings(max_attachment_bytes=100)) as h:
        answer = await h.says("keep this", Fetched(bytes(200), "big.csv", ""))
        assert TEXTS["notice.enclosure_too_large"].format(label="big.csv") in answer and h.received() == {}


async def test_f31_a_file_name_is_not_a_path(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        await h.says("keep this", Fetched(b"a: 1\n", "../../config.yaml", ""))
        assert h.received() == {"config.yaml": b"a: 1\n"}
        assert [path.parent.name for path in tmp_path.rglob("config.yaml")] == ["received"]


async def test_f32_a_sign_in_page_is_not_a_picture(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        page = Fetched(b"<!DOCTYPE html><title>Sign in</title>", "screenshot.png", "image/png")
        answer = await h.says("what is on this?", page)
        assert TEXTS["notice.enclosure_sign_in_page"].format(label="screenshot.png") in answer
        assert h.received() == {} and "what is on this?" in answer


async def test_the_picture_of_a_quoted_message_comes_with_it(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        picture, gone = (AttachmentHandle("image", key, "q1", f"{key}.png") for key in ("chart", "gone"))
        h.channel.quotes["q1"] = [Quote("q1", "Bo", "the figures", attachments=(picture, gone))]
        h.channel.files["chart"] = Fetched(PNG, "chart.png", "image/png")
        await h.says("what is on this?", quoted="q1")
        assert h.received() == {"chart.png": PNG}


async def test_an_archive_in_a_quoted_message_is_not_taken_and_all_else_is(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        names = ("all.zip", "notes.txt")
        handles = tuple(AttachmentHandle("file", name, "q1", name) for name in names)
        h.channel.quotes["q1"] = [Quote("q1", "Bo", "all that I have", attachments=handles)]
        h.channel.files |= {"all.zip": Fetched(packed(), "", ""), "notes.txt": Fetched(b"hello", "", "")}
        answer = await h.says("read this", quoted="q1")
        assert h.received() == {"notes.txt": b"hello"} and "hello" in answer
        assert TEXTS["notice.enclosure_archives_refused"].format(label="all.zip") in answer


async def test_f33_a_picture_and_the_question_about_it_are_one_run(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        h.post("", Fetched(PNG, "", "image/png"), chat_kind="direct")
        await asyncio.sleep(0.5)
        answer = await h.answer(h.post("what is this?", chat_kind="direct"))
        assert "what is this?" in answer and list(h.received().values()) == [PNG]
        assert len(h.channel.visible(h.channel.conversation())) == 1


async def test_a_voice_message_in_a_direct_chat_waits_for_no_words(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        answer = await h.answer(h.post("", transcript="how many days has May?", chat_kind="direct"))
        assert "how many days has May?" in answer


async def test_the_words_of_a_voice_message_are_the_question(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        answer = await h.says("", transcript="how many days has May?")
        assert "how many days has May?" in answer
        assert h.received() == {}
