"""Commands about the conversation, and how all of them are told: once, in the person's language."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.commands.table import TABLE
from gateway.texts.commands_en import TEXTS as SAYS
from gateway.texts.commands_zh import TEXTS as ZH
from tests.journeys.house import CHEN, DIRECT, House, house
from tests.journeys.test_queue_commands import reply
from tests.journeys.test_run_commands import at_work, greeted, told


@asynccontextmanager
async def two_models(home: Path) -> AsyncIterator[House]:
    """Give a house with a second model, on the same endpoint under another name."""
    async with house(home, start=False) as h:
        h.settings.update(
            {
                "models.swift.model": "openai/swift",
                "models.swift.api_base": h.model.url,
                "models.swift.api_key": "sk-key-of-the-scripted-model",
            }
        )
        await h.start()
        await greeted(h)
        yield h


def models_of(h: House, word: str) -> list[str]:
    return [each.body["model"] for each in h.model.about(word)]


async def test_help_lists_every_command_in_the_persons_language_once(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        command = await h.say("@niuma /help")
        head, *lines = await reply(h, command)
        rows = [row for row in TABLE if row.who == "everybody"]
        assert head == SAYS["reply.help"] and len(lines) == len(rows) < len(TABLE)
        assert all(line.startswith(f"/{row.name}") for line, row in zip(lines, rows, strict=True))
        assert lines[1] == f"/stop /停止 [code] - {SAYS['command.stop']}"
        h.sim.redeliver(command)
        await h.all_acked()
        seen = h.seen(command)
        assert seen is not None and len(seen.messages) == 1
        await h.finished(await h.say("你好", chat=DIRECT))
        assert (await reply(h, await h.say("/help", chat=DIRECT)))[0] == ZH["reply.help"]
        await h.finished(await h.say("hello again", chat=DIRECT))
        assert (await reply(h, await h.say("/帮助", chat=DIRECT)))[0] == ZH["reply.help"], "asked in Chinese"
        assert len(h.model.asked) == 4


async def test_f28_a_misspelt_command_names_the_nearest_and_does_nothing(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        asked, _ = await at_work(h, "alpha", asyncio.Event())
        command = await h.say("@niuma /sotp")
        await told(h, command, SAYS["reply.unknown_command"].format(word="/sotp", nearest="/stop"))
        h.sim.redeliver(command)
        await h.all_acked()
        assert (seen := h.seen(command)) is not None and len(seen.messages) == 1
        assert (still := h.seen(asked)) is not None and still.looks_active
        await h.say("@niuma /stop")
        await h.finished(asked)
        assert "You said: [Lin Wei] /etc/hosts" in (await h.finished(await h.say("@niuma /etc/hosts"))).body


async def test_status_tells_what_works_and_what_is_remembered(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        gate = asyncio.Event()
        nothing, waiting, model, session = await reply(h, await h.say("@niuma /status"))
        assert (nothing, waiting) == (SAYS["reply.nothing_runs"], SAYS["reply.waiting"].format(count=0))
        assert model == SAYS["reply.model_is"].format(model="main")
        assert session.startswith("Conversation: without a name, 4 messages")
        asked, seen = await at_work(h, "alpha", gate)
        behind = await h.say("@niuma beta")
        await h.until(lambda: h.sim.message(behind)["reactions"], why="it waits")
        works, waiting, *_ = await reply(h, await h.say("@niuma /status", by=CHEN))
        assert works.endswith(f"alpha (Lin Wei, {seen.run[-8:]})") and waiting == SAYS["reply.waiting"].format(count=1)
        gate.set()
        await h.finished(asked)
        await h.finished(behind)
        await h.say("@niuma /new")
        assert SAYS["reply.session_none"] in await reply(h, await h.say("@niuma /status"))


async def test_a_model_is_chosen_for_one_conversation_and_outlives_its_sessions(home: Path) -> None:
    async with two_models(home) as h:
        lines = await reply(h, await h.say("@niuma /model"))
        assert lines[0] == SAYS["reply.models_default"] and "* main: openai/main" in lines
        await told(
            h, await h.say("@niuma /model swfit"), SAYS["reply.model_unknown"].format(model="swfit", nearest="swift")
        )
        choice = await h.say("@niuma /model Swift")
        await told(h, choice, SAYS["reply.model_set"].format(model="swift"))
        await h.finished(await h.say("@niuma alpha", by=CHEN))
        await h.finished(await h.say("beta", chat=DIRECT))
        await h.say("@niuma /new")
        await h.finished(await h.say("@niuma gamma"))
        assert [models_of(h, word) for word in ("alpha", "beta", "gamma")] == [["swift"], ["main"], ["swift"]]
        assert SAYS["reply.model_is"].format(model="swift") in await reply(h, await h.say("@niuma /status"))
        await told(h, await h.say("@niuma /model default"), SAYS["reply.model_default"].format(model="main"))
        h.sim.redeliver(choice)
        await h.all_acked()
        await h.finished(await h.say("@niuma delta"))
        assert models_of(h, "delta") == ["main"], "a choice that is delivered again chooses nothing"


async def test_a_chosen_model_stays_after_a_restart_and_one_that_is_gone_gives_way(home: Path) -> None:
    async with two_models(home) as h:
        await told(h, await h.say("@niuma /模型 swift"), ZH["reply.model_set"].format(model="swift"))
        await h.stop()
        await h.start()
        await h.finished(await h.say("@niuma alpha"))
        await h.stop()
        for key in ("model", "api_base", "api_key"):
            del h.settings[f"models.swift.{key}"]
        await h.start()
        await h.finished(await h.say("@niuma beta"))
        assert [models_of(h, word) for word in ("alpha", "beta")] == [["swift"], ["main"]]
        assert SAYS["reply.model_is"].format(model="main") in await reply(h, await h.say("@niuma /status"))
