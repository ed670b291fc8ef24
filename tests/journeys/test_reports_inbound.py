"""Public bug reports about what comes in, as one script for every platform: what is one question, and whose."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.journeys.scripted_model import Say, Until
from tests.journeys.test_one_conversation import PLATFORMS, TOWNS, Chat, chat
from tests.journeys.towns.street import CHEN, DIRECT

EVERYWHERE = pytest.mark.parametrize("name", PLATFORMS)
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20
QUIET_S = 0.5


async def silence(c: Chat, where: str, messages: int) -> None:
    """See that nothing further is said."""
    await asyncio.sleep(QUIET_S)
    assert c.town.street.count(where) == messages, c.town.street.heard(where)


@EVERYWHERE
async def test_f02_f17_without_a_mention_of_its_own_there_is_no_sign_at_all(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        street = c.town.street
        street.say("lunch?", mention=False)
        street.say("@Chen Yu lunch?", mention=False)
        await silence(c, "group", 0)
        assert c.model.asked == [] and not [e for e in street.entries("rest") if "eaction" in e.path]
        street.say("lunch?", by=CHEN)
        await c.heard("You said: lunch?")
        assert len(c.model.asked) == 1 and street.count() == 1


@EVERYWHERE
async def test_f17_who_is_not_listed_is_told_once_and_no_model_is_asked(name: str, home: Path) -> None:
    listed = {"access.groups": "allowlist", "access.allow": f'["{name}:main:{TOWNS[name]().street.people["lin"]}"]'}
    async with chat(name, home, listed) as c:
        for _ in range(2):
            c.town.street.say("let me in", by=CHEN)
        await c.until(lambda: c.town.street.count() == 1 or _private(c), "one refusal")
        await asyncio.sleep(QUIET_S)
        assert c.town.street.count() <= 1 and c.model.asked == []
        c.town.street.say("I am listed")
        await c.heard("You said: I am listed")


def _private(c: Chat) -> bool:
    """Tell whether somebody was told something that the others do not see."""
    return bool(c.town.street.entries("rest", "chat.postEphemeral"))


@EVERYWHERE
async def test_f05_one_message_is_one_run_and_the_same_words_again_are_another(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        street = c.town.street
        asked = street.say("ping", where=DIRECT)
        street.redeliver(asked)
        await c.finished(asked)
        street.sim.advance(240)
        street.redeliver(asked)
        again = street.say("ping", where=DIRECT)
        await c.finished(again)
        await silence(c, DIRECT, 2)
        assert street.pushed(asked) == 3 and len(c.model.asked) == 2
        assert c.model.asked[-1].texts("user")[-1] == "ping"


@EVERYWHERE
async def test_f06_what_was_answered_before_a_restart_is_not_answered_again(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        street = c.town.street
        asked = street.say("once")
        await c.finished(asked)
        before = street.heard()
        await c.stop()
        await c.start()
        street.redeliver(asked)
        await c.until(lambda: street.pushed(asked) >= 2, "pushed again")
        street.say("twice")
        await c.heard("You said: twice")
        await silence(c, "group", 2)
        assert street.heard().startswith(before) and len(c.model.asked) == 2


@EVERYWHERE
async def test_f10_whatever_the_model_needs_nothing_is_pushed_twice(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        gate, street = asyncio.Event(), c.town.street
        c.model.script([Until(gate), Say("At last.")])
        asked, ignored = street.say("think long"), street.say("just talking", mention=False)
        await c.until(lambda: bool(c.model.asked), "the model is at work")
        street.sim.advance(60)
        await asyncio.sleep(QUIET_S)
        gate.set()
        assert (await c.heard("At last.")).count("At last.") == 1
        copies = 2 if name == "slack" else 1  # One post is a mention and a message there.
        assert street.pushed(asked) == copies and street.pushed(ignored) <= 1
        assert len(c.model.asked) == 1


@EVERYWHERE
async def test_f04_no_kind_of_message_is_dropped_without_a_word(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        street = c.town.street
        c.model.script([Say("I have it.")], for_ever=True)
        await c.finished(await c.town.ask_with_file("what is on it?", "chart.png", PNG))
        assert [path.read_bytes() for path in c.home.rglob("received/chart.png")] == [PNG]
        await c.finished(await c.town.ask_with_file("and in it?", "paper.pdf", b"%PDF-1.7 hello"))
        assert [path.read_bytes() for path in c.home.rglob("received/paper.pdf")] == [b"%PDF-1.7 hello"]
        told, asked = street.count(DIRECT), len(c.model.asked)
        if name == "slack":
            return  # Whatever is posted there has a text.
        strange = {
            "feishu": {"msg_type": "sticker", "content": {"file_key": "v3_x"}},
            "dingtalk": {"msg_type": "unknownMsgType", "content": {"unknownMsgType": "sticker"}},
        }
        street.say("", where=DIRECT, **strange[name])
        await c.until(lambda: street.count(DIRECT) == told + 1, "a notice")
        assert "sticker" in street.heard(DIRECT).rpartition("\n\n")[2] and len(c.model.asked) == asked


@EVERYWHERE
async def test_f31_a_file_name_is_not_a_path(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        before = set(home.parent.rglob("*config.yaml"))
        await c.finished(await c.town.ask_with_file("what is in it?", "../../config.yaml", b"a: 1"))
        (kept,) = set(home.parent.rglob("*config.yaml")) - before
        assert kept.parent.name == "received", "in the chat's own folder"
        assert kept.read_bytes() == b"a: 1"
        assert "received/config.yaml" in c.model.asked[0].question, "the old name may be a label"


@EVERYWHERE
async def test_f32_a_sign_in_page_is_not_a_picture(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        page = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
        answer = await c.finished(await c.town.ask_with_file("what is on this?", "screenshot.png", page))
        assert not list(home.rglob("received/screenshot*")) and "Please sign in" not in str(c.model.asked[0].body)
        assert "screenshot.png" in answer.text and "sign-in page" in answer.text, answer.text
        assert "what is on this?" in c.model.asked[0].question


@pytest.mark.parametrize("mention_first", [True, False])
async def test_f07_a_mention_and_a_message_event_are_one_message(home: Path, *, mention_first: bool) -> None:
    async with chat("slack", home) as c:
        street = c.town.street
        street.sim.options.change({"mention_first": mention_first, "mention_gap_s": 0.03})
        asked = street.say("count me once")
        await c.heard("You said: count me once")
        await silence(c, "group", 1)
        assert street.pushed(asked) == 2 and len(c.model.asked) == 1


async def test_f03_typed_text_is_decoded_before_the_model_reads_it(home: Path) -> None:
    async with chat("slack", home) as c:
        street, sim = c.town.street, c.town.street.sim
        bot = sim.world.apps[sim.app_id].user_id
        raw = f"<@{bot}> is a &lt; b &amp;&amp; c &gt; d? see <https://docs.example.com/?x=1&amp;y=2|the docs>"
        street.say(f"{raw} in <#C0OPS|ops>", mention=False, raw=True)
        await c.until(lambda: bool(c.model.asked), "asked")
        read = c.model.asked[0].question
        assert "is a < b && c > d? see" in read and "#ops" in read
        assert "the docs" in read and "https://docs.example.com/?x=1&y=2" in read
        assert not any(sign in read for sign in ("&lt;", "&gt;", "&amp;", bot))


@EVERYWHERE
async def test_f72_the_bots_own_posts_are_no_questions(name: str, home: Path) -> None:
    async with chat(name, home, {"access.groups": "open"}) as c:
        c.town.street.say("hello")
        await c.heard("You said: hello")
        if name == "slack":
            c.town.street.say("I am another bot", as_bot="B0OTHER")
        await silence(c, "group", 1)
        assert len(c.model.asked) == 1
        c.town.street.say("and a person", by=CHEN)
        await c.heard("and a person")
