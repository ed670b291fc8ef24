"""F24 on Feishu: only we call, one person by id; nothing that a text says mentions anybody."""

from __future__ import annotations

import json

import pytest

from channels.base import Calling, CardOpening
from channels.cards.model import Call, Card, CardStatus, Header, Note, Text, ToolPanel
from channels.errors import NotSupported
from channels.testing.journal import MemoryJournal
from tests.contract.feishu_adapter import LIN, RUN, Bench, bench

ALL = 'deploy done <at user_id="all"></at> < AT id=all></at> <at id="ou_boss">Boss</at> @_all'


def contents(b: Bench) -> list[str]:
    return [b.sim.world.messages[each["message_id"]].content for each in b.answers()]


async def test_a_call_mentions_the_person_by_id() -> None:
    async with bench() as b:
        asked = await b.asked()
        assert isinstance(b.adapter, Calling)
        await b.adapter.call(asked.conversation, Call(LIN, "end", "ready"), reply_to=asked.message_id, key="k")
        (answer,) = b.answers()
        assert json.loads(contents(b)[0]) == {"text": f'<at user_id="{LIN}"></at> ready'}
        assert answer["parent_id"] == asked.message_id


@pytest.mark.parametrize("person", ["all", "", "oc_team", 'ou_x"></at><at user_id="all', "somebody"])
async def test_f24_nobody_but_one_person_is_called(person: str) -> None:
    async with bench() as b:
        asked = await b.asked()
        with pytest.raises(NotSupported):
            await b.adapter.call(asked.conversation, Call(person, "end", "ready"), reply_to=None, key="k")
        assert b.answers() == []


async def test_f24_no_text_of_ours_mentions_anybody() -> None:
    async with bench() as b:
        asked = await b.asked()
        await b.adapter.send_notice(asked.conversation, ALL, reply_to=None, key="n1")
        await b.adapter.call(asked.conversation, Call(LIN, "end", ALL), reply_to=None, key="n2")
        notice, call = (json.loads(each)["text"] for each in contents(b))
        assert "<at" not in notice.lower() and "deploy done" in notice
        assert call.lower().count("<at") == 1


async def test_f24_an_answer_mentions_nobody_as_a_card_and_as_text() -> None:
    async with bench() as b:
        asked = await b.asked()
        last = Card(Header("question", CardStatus.DONE), (Text("t", ALL),))
        opening = CardOpening(asked.conversation, RUN, 1, asked.message_id, last)
        await b.adapter.send_final(opening, MemoryJournal())
        assert not any("<at" in json.dumps(card.tree).lower() for card in b.sim.cards.by_id.values())
        match = {"path": r"/cardkit/v1/cards$"}
        b.sim.faults.add({"match": match, "action": {"status": 400, "code": 99991672}, "times": -1})
        other = CardOpening(asked.conversation, RUN[::-1], 1, asked.message_id, last)
        journal = MemoryJournal()
        sent = await b.adapter.send_final(other, journal)
        assert "<at" not in contents(b)[-1].lower() and sent.receipt.message_ids
        # Found again by what was sent, not by what the model wrote.
        again = MemoryJournal({path: row for path, row in journal.rows.items() if "begin" in path})
        assert (await b.adapter.send_final(other, again)).receipt.message_ids == sent.receipt.message_ids


async def test_f24_a_tools_output_mentions_nobody() -> None:
    async with bench() as b:
        asked = await b.asked()
        panel = ToolPanel("p", "bash", "echo", "success", ALL, "terminal")
        last = Card(Header("question", CardStatus.DONE), (panel, Note("n", ALL), Text("t", "done")))
        await b.adapter.send_final(CardOpening(asked.conversation, RUN, 1, asked.message_id, last), MemoryJournal())
        shown = json.dumps([card.tree for card in b.sim.cards.by_id.values()]).lower()
        assert "<at" not in shown and "deploy done" in shown
