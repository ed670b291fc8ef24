"""The adapter's cards against the simulator: growth, the end, buttons."""

from __future__ import annotations

from channels.cards.model import Action, CardStatus
from channels.events import CardAction, Toast
from tests.contract.dingtalk_adapter import CHEN, DIRECT, GROUP, LIN, RUN, bench, card, until, write


async def test_a_message_grows_on_one_card_and_is_finished() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        assert await write(sink, card("Hello")) == ["card.stream"]
        await write(sink, card("Hello world"))
        last = card("Hello world, done.", CardStatus.DONE)
        await write(sink, last, final=True)
        assert sink.shows(last)
        (shown,) = b.answers()
        assert "Hello world, done." in shown["text"]
        assert shown["card"]["flow_status"] == "FINISHED" or str(shown["card"]["flow_status"]) == "3", shown["card"]
        frames = [call.body for call in b.calls("/card/streaming")]
        assert len({frame["guid"] for frame in frames}) == len(frames)
        assert all(frame["isFull"] for frame in frames)
        assert [frame["isFinalize"] for frame in frames] == [False, False, True]


async def test_a_press_comes_back_with_what_the_button_carries() -> None:
    async with bench() as b:
        sink, opening, _ = await b.opened()
        await write(sink, card("Hello"))
        b.inbox.toast = Toast("info", "stopping")
        answer = await b.sim.click(b.answers()[0]["id"], LIN, "btn_stop")
        await until(lambda: isinstance(b.inbox.items[-1], CardAction))
        pressed = b.inbox.items[-1]
        assert isinstance(pressed, CardAction)
        assert dict(pressed.value) == Action("stop", "Stop", RUN, "stop", audience=LIN).value()
        assert pressed.conversation == opening.conversation
        assert pressed.sender.id == LIN, answer


async def test_stop_shows_only_to_the_asker() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        await write(sink, card("Hello"))
        shown = b.answers()[0]["id"]

        def sees(who: str) -> list[str]:
            found = b.sim.view.buttons(b.sim.cards.by_id[f"{RUN}-0"], who)
            return [each["id"] for each in found if each["visible"]]

        assert (sees(LIN), sees(CHEN)) == (["btn_stop"], []), shown


async def test_a_card_in_a_single_chat_goes_to_the_person() -> None:
    async with bench() as b:
        await b.opened(chat=DIRECT)
        (call,) = b.calls("createAndDeliver")
        assert call.body["openSpaceId"] == f"dtv1.card//IM_ROBOT.{LIN}"
        assert [m["chat_id"] for m in b.answers()] == [DIRECT] != [GROUP]
