"""The platform's own slash command (`/niuma stop`) and its own stop: there is no message to answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

from channels.events import ConversationRef, DedupeKey, InboundMessage, Sender, StopPressed, Toast
from channels.simulators.feishu.world import TENANT
from gateway.access import Access
from gateway.clock import SystemClock
from gateway.inbound import Reception
from gateway.metrics import Metrics
from gateway.settings.access import AccessSection
from gateway.stores.people import People
from gateway.texts.commands_en import TEXTS as SAYS
from gateway.texts.en import TEXTS
from tests.journeys.house import GROUP, LIN, House, house
from tests.journeys.scripted_model import Say, Until
from tests.journeys.seen import Seen
from tests.journeys.test_run_commands import at_work, greeted


class Typing:
    """People who type the platform's command in the group; what they are told is what the handler gives back."""

    def __init__(self, h: House) -> None:
        self._now_ms = SystemClock().now_ms
        clock = SystemClock()
        access = Access(AccessSection(), People(h.runtime.database), clock, has_run_in=h.runtime.has_run_in)
        self._reception = Reception(h.runtime, access, {}, Metrics(), clock)
        self._where = ConversationRef.parse(group_address())
        self._count = 0

    async def types(self, text: str, *, by: str = LIN, key: str = "") -> Toast | None:
        self._count += 1
        return await self._reception.handle(
            InboundMessage(
                dedupe=self._key("command", key or f"envelope-{self._count}"),
                conversation=self._where,
                chat_kind="group",
                message_id="",
                sender=Sender(by, self._where.tenant, "Lin Wei"),
                text=text,
                mentions_me=True,
                created_at_ms=self._now_ms(),
                is_command=True,
            )
        )

    async def presses_stop(self, by: str, key: str = "stop-1") -> Toast | None:
        sender = Sender(by, self._where.tenant)
        return await self._reception.handle(StopPressed(self._key("action", key), self._where, sender, self._now_ms()))

    def _key(self, kind: str, key: str) -> DedupeKey:
        return DedupeKey("feishu", "main", kind, key)  # pyright: ignore[reportArgumentType]


def group_address() -> str:
    """Give the group's address as the gateway names it."""
    return f"feishu:main:{TENANT}:{GROUP}"


def toast(words: str, tone: str = "info") -> Toast:
    return Toast(tone, words)  # pyright: ignore[reportArgumentType]


async def answer_with(h: House, word: str) -> Seen:
    """Wait for a card that answers nobody's message."""

    def found() -> Seen | None:
        cards = [each for each in h.messages(GROUP) if each["card_state"] and word in str(each["text"])]
        return Seen(cards) if cards else None

    return await h.until(found, why=f"a card with {word!r}")


async def test_commands_need_no_slash_and_nothing_is_help(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        typing = Typing(h)
        told = await typing.types("")
        assert told is not None and told.text.startswith(SAYS["reply.help"]) and told == await typing.types("help")
        assert await typing.types("stop") == toast(SAYS["reply.nothing_runs"], "warning")
        said = SAYS["reply.unknown_command"].format(word="/sotp", nearest="/stop")
        assert await typing.types("/sotp") == toast(said, "warning")
        asked, seen = await at_work(h, "alpha", asyncio.Event())
        assert await typing.types(f"stop {seen.run[-8:]}", key="once") == toast(TEXTS["toast.stopping"])
        assert (await h.finished(asked)).status == "Stopped"
        again, _ = await at_work(h, "beta", asyncio.Event())
        assert await typing.types("stop", key="once") == toast(TEXTS["toast.stopping"]), "told the same"
        assert (still := h.seen(again)) is not None and still.looks_active, "and nothing else is stopped"
        await h.say("@niuma /stop")
        await h.finished(again)


async def test_f05_a_redelivered_command_does_nothing_and_is_told_the_same(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        typing, gate = Typing(h), asyncio.Event()
        idle = toast(SAYS["reply.nothing_runs"], "warning")
        assert await typing.types("stop", key="early") == idle
        first, _ = await at_work(h, "alpha", gate)
        waiting = await h.say("@niuma beta")
        await h.until(lambda: h.calls("reactions"), why="it waits")
        assert await typing.types("stop", key="early") == idle, "what began since is not meant"
        cleared = await typing.types("queue clear", key="clear")
        assert cleared == toast(SAYS["reply.queue_cleared"].format(count=1))
        assert await typing.types("queue clear", key="clear") == cleared
        gate.set()
        assert [(await h.finished(each)).status for each in (first, waiting)] == ["Done", "Stopped"]


async def test_f27_everything_else_is_a_question_whose_answer_comes_as_a_card(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        typing, gate = Typing(h), asyncio.Event()
        h.model.script([Say("The report "), Until(gate), Say("is this.")], when="weekly")
        began = asyncio.get_running_loop().time()
        assert await typing.types("weekly report", key="q1") is None
        assert asyncio.get_running_loop().time() - began < 2
        assert await typing.types("weekly report", key="q1") is None, "delivered again"
        await answer_with(h, "The report")
        assert await typing.types("stop worrying", key="q2") == toast(TEXTS["notice.queued_next"])
        assert await typing.types("and then?", key="q3") == toast(TEXTS["notice.queued"].format(position=2))
        gate.set()
        card = await answer_with(h, "is this.")
        assert "weekly report" in card.title
        assert "stop worrying" in (await answer_with(h, "You said: [Lin Wei] stop worrying")).text
        assert len(h.model.about("weekly")) == 1 and len(h.model.about("and then?")) <= 1


async def test_new_with_words_is_told_by_its_answer(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        typing = Typing(h)
        assert await typing.types("new") == toast(TEXTS["notice.new_session"])
        assert await typing.types("new what now?") is None
        await answer_with(h, "You said: what now?")
        assert h.model.asked[-1].texts("user") == ["what now?"]


async def test_the_platforms_own_stop_stops_the_persons_run_there_once(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        typing = Typing(h)
        asked, _ = await at_work(h, "alpha", asyncio.Event())
        assert await typing.presses_stop("ou_chen", "other") is None
        assert (still := h.seen(asked)) is not None and still.looks_active, "it is not theirs"
        assert await typing.presses_stop(LIN) is None
        assert (await h.finished(asked)).status == "Stopped"
        again, _ = await at_work(h, "beta", asyncio.Event())
        assert await typing.presses_stop(LIN) is None
        await asyncio.sleep(0.2)
        assert (still := h.seen(again)) is not None and still.looks_active, "a press that is delivered again"
        await h.say("@niuma /stop")
        await h.finished(again)
