"""Who may talk to the bot: strangers are let in by a code, others are told once, floods and bots come to an end."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

from channels.simulators.feishu.world import TENANT, Person
from gateway.cli.main import main
from gateway.texts.access_en import TEXTS
from gateway.texts.access_zh import TEXTS as ZH
from gateway.texts.commands_en import TEXTS as COMMANDS
from gateway.texts.commands_zh import TEXTS as CZH
from gateway.texts.en import TEXTS as EN
from tests.journeys.house import CHEN, DIRECT, GROUP, LIN, TOPICS, House, house
from tests.journeys.scripted_model import Call, Say

ADMIN = {"access.admins": f'["feishu:main:{CHEN}"]'}
PAIRING = {"access.dm": "pairing", **ADMIN}
TEAM = f"feishu:main:{TENANT}:{GROUP}"


def chat_with(h: House, person: str) -> str:
    """Give a person's direct chat with the bot."""
    if person not in h.sim.world.people:
        h.sim.world.people[person] = Person(person, person)
    return h.sim.world.direct_chat(h.sim.app_id, person).chat_id


async def told(h: House, message: str) -> str:
    """Wait for the short reply to a message and give its words."""
    seen = await h.until(lambda: h.seen(message), why="a reply")
    assert (len(seen.messages), seen.last["msg_type"]) == (1, "text")
    return str(seen.last["text"])


async def silence(h: House, messages: int) -> None:
    """See that no further message of the bot comes."""
    await h.all_acked()
    await asyncio.sleep(0.3)
    assert len(h.messages()) == messages


async def code_for(h: House, message: str) -> str:
    words = await told(h, message)
    found = re.search(r"/pair (\w{8})$", words)
    assert found and words == TEXTS["notice.not_paired"].format(code=found[1])
    return found[1]


async def test_a_stranger_is_let_in_by_a_code(home: Path) -> None:
    async with house(home, PAIRING) as h:
        office = chat_with(h, CHEN)
        code = await code_for(h, await h.say("hello there", chat=DIRECT))
        await h.say("hello? anybody?", chat=DIRECT)
        await silence(h, 1)
        assert h.model.asked == [] and not h.calls("reactions"), "no card, no sign, no model"
        stranger = await h.say(f"@niuma /pair {code}", by=LIN)
        assert await told(h, stranger) == CZH["reply.for_admins"].format(command="/pair"), "nobody lets themselves in"
        approved = await h.say(f"/pair {code.lower()}", chat=office, by=CHEN)
        assert f"(feishu:main:{LIN})" in await told(h, approved)
        answer = await h.finished(await h.say("and now?", chat=DIRECT))
        assert (answer.status, answer.body.strip()) == ("Done", "You said: and now?")
        assert h.model.asked[-1].texts("user") == ["and now?"], "what was refused before is not answered later"
        revoked = await h.say(f"/pair revoke feishu:main:{LIN}", chat=office, by=CHEN)
        assert await told(h, revoked) == ZH["reply.pair_revoked"].format(who=f"feishu:main:{LIN}")
        toast = await h.press(answer, "retry")
        assert toast == EN["toast.not_yours"], "a button outlives no permission"
        assert len(h.model.asked) == 1


async def test_a_stranger_is_let_in_at_the_command_line_beside_the_gateway(home: Path, capsys: Any) -> None:
    async with house(home, PAIRING) as h:
        code = await code_for(h, await h.say("hello there", chat=DIRECT))
        niuma = ("--home", str(home), "pair")
        assert await asyncio.to_thread(main, [*niuma, "list"]) == 0
        assert re.search(f"^waits: .*feishu:main:{LIN}.*, code {code}, for another 60 min$", capsys.readouterr().out)
        assert await asyncio.to_thread(main, [*niuma, "approve", code]) == 0
        assert (await h.finished(await h.say("and now?", chat=DIRECT))).status == "Done"
        assert await asyncio.to_thread(main, [*niuma, "approve", code]) == 1, "a code opens once"
        assert await asyncio.to_thread(main, [*niuma, "revoke", f"feishu:main:{LIN}"]) == 0
        assert await code_for(h, await h.say("still there?", chat=DIRECT)) != code


async def test_a_chinese_stranger_is_told_in_chinese_and_once_also_over_a_restart(home: Path) -> None:
    async with house(home, PAIRING) as h:
        words = await told(h, await h.say("你好，在吗？", chat=DIRECT))
        assert words.startswith(ZH["notice.not_paired"].split("{")[0])
        await h.stop()
        await h.start()
        await h.say("你好？", chat=DIRECT)
        await silence(h, 1)


async def test_the_first_message_of_an_unlisted_person_gets_one_line(home: Path) -> None:
    lists = {"access.dm": "allowlist", "access.groups": "allowlist", "access.allow": f'["feishu:main:{CHEN}"]'}
    async with house(home, lists) as h:
        refused = TEXTS["notice.not_listed"].format(person=f"feishu:main:{LIN}")
        assert await told(h, await h.say("hello", chat=DIRECT)) == refused
        assert await told(h, await h.say("@niuma hello")) == refused, "another conversation"
        await h.say("@niuma hello again")
        await silence(h, 2)
        assert (await h.finished(await h.say("hello", chat=chat_with(h, CHEN), by=CHEN))).status == "Done"
        assert (await h.finished(await h.say("@niuma hello", by=CHEN))).status == "Done"
        assert len(h.model.asked) == 2


async def test_f17_checks_come_before_any_visible_sign(home: Path) -> None:
    lists = {"access.groups": "allowlist", "access.allow": f'["feishu:main:{CHEN}"]'}
    async with house(home, lists, group_messages="all") as h:
        await h.say("hello everybody", by=CHEN)
        refused = TEXTS["notice.not_listed"].format(person=f"feishu:main:{LIN}")
        assert await told(h, await h.say("@niuma hello", by=LIN)) == refused
        await silence(h, 1)
        assert h.model.asked == [] and not h.calls("reactions") and not h.calls("cardkit")


async def test_a_flood_from_one_person_does_not_starve_others(home: Path) -> None:
    async with house(home, {"access.per_person_per_minute": "4"}) as h:
        flood = [await h.say(f"@niuma question {n}") for n in range(20)]
        mine = await h.say("@niuma and me?", by=CHEN)
        assert (await h.finished(mine, within_s=20)).body.endswith("and me?")
        await h.until(lambda: len(h.model.asked) >= 5, within_s=20, why="four of the flood")
        await asyncio.sleep(0.5)
        answered = [each for each in flood if (seen := h.seen(each)) and seen.run]
        notices = [each for each in h.messages() if each["text"] == TEXTS["notice.person_too_fast"]]
        assert (len(answered), len(notices), len(h.model.asked)) == (4, 1, 5)


async def test_f30_a_topic_is_followed_where_the_bot_was_asked(home: Path) -> None:
    async with house(home, group_messages="all") as h:
        first = await h.say("@niuma hello", chat=TOPICS)
        await h.finished(first)
        topic = h.sim.message(first)["thread_id"]
        mine = await h.say("and without a mention?", chat=TOPICS, by=CHEN, thread_id=topic)
        assert (await h.finished(mine)).body.endswith("and without a mention?")
        assert len(h.model.asked[-1].texts("user")) == 2, "the same session"
        await h.say("somewhere else", chat=TOPICS, by=CHEN)
        await h.say("in the group", chat=GROUP)
        quoted = await h.finished(await h.say("@niuma hi", chat=GROUP))
        await h.say("a quote is no topic", chat=GROUP, reply_to=quoted.last["message_id"])
        await silence(h, 3)
        assert len(h.model.asked) == 3


async def test_f30_without_following_a_topic_needs_a_mention(home: Path) -> None:
    async with house(home, {"access.threads": "mention"}, group_messages="all") as h:
        first = await h.say("@niuma hello", chat=TOPICS)
        await h.finished(first)
        topic = h.sim.message(first)["thread_id"]
        await h.say("and without a mention?", chat=TOPICS, by=CHEN, thread_id=topic)
        await silence(h, 1)
        assert (await h.finished(await h.say("@niuma so?", chat=TOPICS, by=CHEN, thread_id=topic))).status == "Done"


async def test_an_admin_opens_and_closes_one_group(home: Path) -> None:
    async with house(home, ADMIN, group_messages="all") as h:
        assert (await h.finished(await h.say("@niuma hello"))).status == "Done"
        assert await told(h, await h.say("@niuma /access groups=open")) == COMMANDS["reply.for_admins"].format(
            command="/access"
        )
        opened = await h.say("@niuma /access groups=open", by=CHEN)
        assert await told(h, opened) == "Here: groups=open threads=follow"
        assert (await h.finished(await h.say("no mention needed"))).status == "Done"
        closed = await h.say("/access groups=off", by=CHEN)
        assert await told(h, closed) == "Here: groups=off threads=follow"
        assert await told(h, await h.say("@niuma hello")) == TEXTS["notice.group_off"]
        h.sim.redeliver(opened)
        await h.say("not meant for the bot")
        await silence(h, 6)
        again = await h.say("@niuma /access groups=default threads=mention", by=CHEN)
        assert await told(h, again) == "Here: groups=mention threads=mention"
        wrong = await h.say("@niuma /access groups=everything", by=CHEN)
        assert await told(h, wrong) == TEXTS["reply.access_usage"]
        assert (await h.finished(await h.say("@niuma hello"))).status == "Done"


async def test_settings_lock_what_a_chat_may_decide(home: Path) -> None:
    rule = {"access.conversations.team.conversation": TEAM, "access.conversations.team.groups": "open"}
    async with house(home, {**ADMIN, **rule}, group_messages="all") as h:
        assert (await h.finished(await h.say("no mention needed"))).status == "Done"
        assert await told(h, await h.say("/access groups=off", by=CHEN)) == TEXTS["reply.access_fixed"]
        assert await told(h, await h.say("/access", by=CHEN)) == "Here: groups=open threads=follow"
        follows = await h.say("/access threads=mention", by=CHEN)
        assert await told(h, follows) == "Here: groups=open threads=mention", "what they leave open"
        direct = await h.say("/access groups=open", chat=chat_with(h, CHEN), by=CHEN)
        assert await told(h, direct) == ZH["reply.access_groups_only"]


async def test_whoami_tells_the_names_that_settings_want(home: Path) -> None:
    async with house(home, ADMIN) as h:
        params = {"person": f"feishu:main:{LIN}", "conversation": TEAM, "rank": TEXTS["rank.member"]}
        assert (await h.finished(await h.say("@niuma hello"))).status == "Done"
        assert await told(h, await h.say("@niuma /whoami")) == TEXTS["reply.whoami"].format(**params)
        params |= {"person": f"feishu:main:{CHEN}", "rank": TEXTS["rank.owner"]}
        assert await told(h, await h.say("@niuma /whoami", by=CHEN)) == TEXTS["reply.whoami"].format(**params)
        assert len(h.model.asked) == 1


async def test_the_rank_stands_in_the_input_of_the_run(home: Path) -> None:
    async with house(home, ADMIN) as h:
        h.model.script([Say("one")], [Say("two")])
        ranks = []
        for by in (LIN, CHEN):
            seen = await h.finished(await h.say("@niuma hello", by=by))
            view = await h.runtime.run_view(seen.run)  # pyright: ignore[reportArgumentType]
            assert view is not None
            ranks.append(view.input.by.rank)
        assert ranks == ["member", "owner"]


async def test_who_may_not_talk_is_not_greeted(home: Path) -> None:
    async with house(home, PAIRING) as h:
        entered = {"chat_id": DIRECT, "operator_id": {"open_id": LIN}}
        h.sim.push_event("im.chat.access_event.bot_p2p_chat_entered_v1", entered)
        await silence(h, 0)
        chen = {"chat_id": chat_with(h, CHEN), "operator_id": {"open_id": CHEN}}
        h.sim.push_event("im.chat.access_event.bot_p2p_chat_entered_v1", chen)
        await h.until(lambda: len(h.messages()) == 1, why="a greeting for the admin")
        assert h.messages()[0]["chat_id"] == chen["chat_id"] and EN["notice.hello"] in h.messages()[0]["text"]
        assert await told(h, await h.say("hello", chat=DIRECT)) != EN["notice.hello"]


async def test_f65_whoever_may_not_talk_any_more_approves_nothing_but_may_stop(home: Path) -> None:
    async with house(home, ADMIN) as h:
        h.model.script([Say("I will."), Call("send_note", json.dumps({"text": "x"}))], [Say("Sent.")], when="note")
        asked = await h.say("@niuma send a note please")
        question = await h.sees(asked, lambda seen: "approve" in seen.buttons)
        await told(h, await h.say("@niuma /access groups=off", by=CHEN))
        assert await h.press(question, "approve") == EN["toast.not_yours"]
        assert not list(h.home.rglob("outbox.txt")), "nothing was done"
        assert await h.press(h.now(question), "stop") == EN["toast.stopping"]
        assert (await h.finished(asked)).status == "Stopped"


async def test_f05_a_redelivered_revoke_puts_nobody_out_who_was_let_in_again(home: Path) -> None:
    async with house(home, PAIRING) as h:
        office = chat_with(h, CHEN)

        async def let_in() -> None:
            code = await code_for(h, await h.say("hello there", chat=DIRECT))
            assert LIN in await told(h, await h.say(f"/pair {code}", chat=office, by=CHEN))

        await let_in()
        revoke = await h.say(f"/pair revoke feishu:main:{LIN}", chat=office, by=CHEN)
        assert await told(h, revoke) == ZH["reply.pair_revoked"].format(who=f"feishu:main:{LIN}")
        await let_in()
        h.sim.redeliver(revoke)
        await h.all_acked()
        assert (await h.finished(await h.say("and now?", chat=DIRECT))).status == "Done"
