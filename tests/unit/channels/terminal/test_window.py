"""The window as a person sees it, and what they do at it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from channels.base import CardOpening
from channels.cards.model import Action, Card, CardStatus, Header, Note, Text
from channels.errors import ConnectionLost, NotSupported, RateLimited
from channels.events import CardAction, ConversationRef, Inbound, InboundMessage, Toast
from channels.terminal.adapter import Adapter, Seat
from channels.terminal.keyboard import Keyboard
from channels.terminal.line import Editor
from channels.terminal.plain import PlainView
from channels.terminal.settings import TerminalSettings
from channels.terminal.window import Window, Words
from channels.testing.journal import MemoryJournal
from gateway.clock import FakeClock
from tests.contract.terminal_harness import EmulatedScreen, Nobody

SETTINGS = TerminalSettings(chat="chat1", words={"queued": "waits", "above": "{lines} above"})
HERE = ConversationRef("terminal", "local", "", "chat1")


class House:
    """A window on an emulator, with an adapter and a host that keeps what it is given."""

    def __init__(self, columns: int = 60, rows: int = 12) -> None:
        self.clock = FakeClock()
        self.screen = EmulatedScreen(columns, rows)
        self.window = Window(self.screen, Editor(), Words(SETTINGS.say, self.clock), colour=False)
        self.channel = Adapter(SETTINGS, self.clock, Seat(self.window, Nobody(), is_live=True, asks=True))
        self.got: list[Inbound] = []
        self.fails = False

    async def start(self) -> None:
        await self.channel.start(self.take)
        self.window.redraw()

    async def take(self, inbound: Inbound) -> Toast | None:
        if self.fails:
            raise RuntimeError("the store is away")
        self.got.append(inbound)
        return Toast("success", "done that") if isinstance(inbound, CardAction) else None

    async def opened(self, run: str = "r1", reply_to: str | None = None):
        opening = CardOpening(HERE, run, 1, reply_to, card())
        return await self.channel.open_card(opening, MemoryJournal())

    async def shown(self, sink, card: Card, *, final: bool = False) -> str:
        for write in sink.plan(card, final=final):
            await sink.send(write)
        return self.screen.emulator.text


def card(text: str = "", status: CardStatus = CardStatus.WORKING, *, notes: tuple[Note, ...] = ()) -> Card:
    name = {CardStatus.WORKING: "stop", CardStatus.WAITING: "approve"}.get(status, "retry")
    blocks = (Text("t", text), *notes) if text else notes
    return Card(Header("q", status, status.value), blocks, (Action(name, name.title(), "r1", "n1"),))


@pytest.fixture
async def house():
    made = House()
    await made.start()
    yield made
    await made.channel.stop()


async def test_a_message_waits_below_the_answer_before_it_and_goes_above_its_own(house: House) -> None:
    sink = await house.opened()
    await house.shown(sink, card("growing"))
    house.channel.desk.submit("next\x1b[2J one")
    await asyncio.sleep(0)
    await house.channel.react(HERE, house.window.board.waiting[0].id, "queued", on=True)
    text = house.screen.emulator.text
    assert text.index("growing") < text.index("› next one (waits)")
    message = house.window.board.waiting[0].id
    await house.shown(sink, card("grown.", CardStatus.DONE), final=True)
    await house.opened("r2", message)
    text = await house.shown(await house.opened("r2", message), card("second"))
    assert text.index("grown.") < text.index("› next one\n") < text.index("second")
    assert text.count("next one") == 1


async def test_what_is_printed_is_not_printed_again_only_what_is_new(house: House) -> None:
    sink = await house.opened()
    done = card("the answer", CardStatus.DONE)
    await house.shown(sink, done, final=True)
    thanks = Note("v", "Ann is satisfied.", "success")
    text = await house.shown(sink, replace(done, blocks=(*done.blocks, thanks), actions=()), final=True)
    assert text.count("the answer") == 1
    assert text.count("Ann is satisfied.") == 1
    assert "[r]" not in text
    text = await house.shown(sink, card("another answer", CardStatus.DONE), final=True)
    assert text.count("another answer") == 1


async def test_a_card_higher_than_the_window_shows_its_head_and_its_end(house: House) -> None:
    sink = await house.opened()
    text = await house.shown(sink, card("\n\n".join(f"part {n}" for n in range(40))))
    assert house.screen.emulator.history == []
    assert text.startswith("● working")
    assert "part 39" in text and "part 20\n" not in text and " above" in text
    text = await house.shown(sink, card("\n\n".join(f"part {n}" for n in range(40)), CardStatus.DONE), final=True)
    assert [text.count(f"part {n}\n") for n in range(40)] == [1] * 40


async def test_a_write_the_terminal_did_not_take_is_made_up_for(house: House) -> None:
    sink = await house.opened()
    await house.shown(sink, card("one"))
    house.screen.faults.append(11)
    with pytest.raises(RateLimited):
        await house.shown(sink, card("one two", CardStatus.DONE), final=True)
    assert not sink.shows(card("one two", CardStatus.DONE))
    text = await house.shown(sink, card("one two", CardStatus.DONE), final=True)
    assert sink.shows(card("one two", CardStatus.DONE))
    assert text.count("one two") == 1


async def test_a_closed_terminal_is_a_person_who_left(house: House) -> None:
    sink = await house.opened()
    house.screen.faults.append(5)
    with pytest.raises(ConnectionLost):
        await house.shown(sink, card("one"))
    assert house.channel.desk.closed.is_set()
    assert house.channel.desk.submit("hello?") is None


async def test_keys_press_the_newest_buttons_and_nothing_else(house: House) -> None:
    desk = house.channel.desk
    assert desk.submit("s") is not None, "no button: a message"
    sink = await house.opened()
    await house.shown(sink, card("x", CardStatus.WAITING))
    await house.clock.advance(1)
    assert desk.submit("y") is None
    assert desk.submit("yes") is not None
    await house.shown(sink, card("x", CardStatus.DONE), final=True)
    assert desk.submit("y") is not None, "the question is over"
    assert not desk.press("s")
    await FakeClock.settle()
    pressed = [each for each in house.got if isinstance(each, CardAction)]
    assert [each.value["do"] for each in pressed] == ["approve"]
    assert pressed[0].value["nonce"] == "n1"
    assert [each.text for each in house.got if isinstance(each, InboundMessage)] == ["s", "yes", "y"]
    assert "done that" in house.screen.emulator.screen


async def test_a_yes_typed_before_the_question_was_read_allows_nothing(house: House) -> None:
    sink = await house.opened()
    await house.shown(sink, card("x"))
    await house.clock.advance(5)
    await house.shown(sink, card("x", CardStatus.WAITING))
    assert house.channel.desk.submit("y") is None
    await FakeClock.settle()
    assert house.got == []
    assert "too_soon" in house.screen.emulator.screen
    await house.clock.advance(0.6)
    assert house.channel.desk.submit("y") is None
    await FakeClock.settle()
    assert [each.value["do"] for each in house.got if isinstance(each, CardAction)] == ["approve"]


async def test_messages_keep_their_order_and_a_lost_one_is_said(house: House) -> None:
    for number in range(5):
        house.channel.desk.submit(f"message {number}")
    await FakeClock.settle()
    assert [each.text for each in house.got if isinstance(each, InboundMessage)] == [f"message {n}" for n in range(5)]
    house.fails = True
    house.channel.desk.submit("lost")
    await FakeClock.settle()
    assert "not_stored" in house.screen.emulator.screen
    assert house.channel.desk.failed


async def test_a_second_ctrl_c_leaves_only_soon_after_the_first(house: House) -> None:
    desk = house.channel.desk
    desk.interrupt()
    await house.clock.advance(5)
    desk.interrupt()
    assert not desk.closed.is_set()
    desk.stay()
    desk.interrupt()
    assert not desk.closed.is_set()
    desk.interrupt()
    assert desk.closed.is_set()


async def test_cards_of_other_conversations_are_refused_for_good(house: House) -> None:
    last = CardOpening(replace(HERE, chat="another"), "r1", 1, None, card("x", CardStatus.DONE))
    with pytest.raises(NotSupported) as refused:
        await house.channel.send_final(last, MemoryJournal())
    assert not refused.value.works_again


async def test_a_final_whose_record_was_lost_is_shown_once(house: House) -> None:
    last = CardOpening(HERE, "r1", 1, None, card("the last word", CardStatus.DONE))
    journal = MemoryJournal()
    journal.lose.add("final/send/1")
    with pytest.raises(asyncio.CancelledError):
        await house.channel.send_final(last, journal)
    sent = await house.channel.send_final(last, journal.next_attempt())
    assert sent.receipt.message_ids == ("r1-final",)
    assert house.screen.emulator.text.count("the last word") == 1


async def test_commands_of_the_gateway_are_messages(house: House) -> None:
    for words in ("/new", "/etc", "/help", "/NEW what now?"):
        house.channel.desk.submit(words)
    await FakeClock.settle()
    assert [each.text for each in house.got if isinstance(each, InboundMessage)] == ["/new", "/etc", "/NEW what now?"]


async def test_a_paste_of_many_lines_is_one_message(house: House) -> None:
    class NoHistory:
        def add(self, text: str) -> None:
            pass

    keyboard = Keyboard(None, house.window, NoHistory())  # type: ignore[arg-type]
    keyboard._desk = house.channel.desk
    keyboard.typed(b"\x1b[200~one\r\ntwo\n\x1b[201~")
    assert house.screen.emulator.screen.endswith("› one\n  two\n")
    keyboard.typed(b"\r")
    await FakeClock.settle()
    assert [each.text for each in house.got if isinstance(each, InboundMessage)] == ["one\ntwo\n"]


def test_a_view_without_a_person_prints_answers_alone(capsys: pytest.CaptureFixture[str]) -> None:
    from channels.terminal.board import Entry

    view = PlainView(talks=False)
    working = card("half")
    assert not view.wants(working, final=False)
    entry = Entry("r1", None, working)
    view.show(entry, card("first \x1b[31mred", CardStatus.DONE), final=True)
    view.show(Entry("r2", None, working), card("", CardStatus.FAILED, notes=(Note("n", "why"),)), final=True)
    said = capsys.readouterr()
    assert said.out == "first red\n"
    assert said.err == "failed\nwhy\n"
