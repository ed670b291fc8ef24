"""The terminal as a `Channel`: one window, one person, one conversation at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from channels.base import CardOpening, ChannelHealth, Reaction, SentFinal
from channels.capabilities import Capabilities, MethodLimit
from channels.cards.once import file_path
from channels.cards.ports import CardSink, Journal
from channels.clock import Clock
from channels.errors import NotSupported, Rejected
from channels.events import AttachmentHandle, ConversationRef, Fetched, InboundHandler, OutFile, Quote, Receipt
from channels.pacing import Pacer
from channels.readable import Json
from channels.terminal.board import Entry
from channels.terminal.desk import Desk
from channels.terminal.files import put_file
from channels.terminal.inbound import NAME, Person
from channels.terminal.settings import TerminalSettings
from channels.terminal.stream import METHOD, TerminalSink
from channels.terminal.view import View

_FINAL = "final/send/1"


class Source(Protocol):
    """Where the person's words come from."""

    def open(self, desk: Desk) -> None:
        """Begin to give them to the desk."""
        ...

    def close(self) -> None:
        """Stop; give the terminal back. Safe to call twice."""
        ...


@dataclass(frozen=True, slots=True)
class Seat:
    """Where the person sits. `is_live`: cards can be redrawn there. `asks`: somebody is there to be asked."""

    view: View
    source: Source
    is_live: bool
    asks: bool


def capabilities_of(*, is_live: bool) -> Capabilities:
    """Give what a window can do: one that cannot redraw shows finished cards only."""
    return Capabilities(
        can_update_cards=is_live,
        can_press_buttons=True,
        can_send_files=True,
        card_floor_s=0.05,
        card_writes_per_s=20,
        methods={METHOD: MethodLimit()},
    )


class Adapter:
    """See `Channel`. `desk` tells the host when the person leaves."""

    def __init__(self, settings: TerminalSettings, clock: Clock, seat: Seat, *, refresh_s: float = 0.2) -> None:
        """Nothing is read or written before `start`. `refresh_s` is the wanted pause between two redraws."""
        person = Person(settings.id, settings.person, settings.person_name, settings.chat, clock)
        self.desk = Desk(person, seat.view, settings.say, answers_no=not seat.asks)
        self._account = settings.id
        self._say, self._folder = settings.say, settings.files
        self._clock = clock
        self._view = seat.view
        self._source = seat.source
        self._pacer = Pacer(capabilities_of(is_live=seat.is_live), clock, target_s=refresh_s)
        self._is_open = False
        self._receipts: dict[str, Receipt] = {}
        """What was sent, by key."""

    @property
    def name(self) -> str:
        """Give the channel's name."""
        return NAME

    @property
    def account(self) -> str:
        """Give the window's name."""
        return self._account

    @property
    def capabilities(self) -> Capabilities:
        """See `Channel.capabilities`."""
        return self._pacer.capabilities

    @property
    def pacer(self) -> Pacer:
        """See `Channel.pacer`."""
        return self._pacer

    def health(self) -> ChannelHealth:
        """Tell whether the window is open."""
        return ChannelHealth(self._is_open, "ok" if self._is_open else "connecting")

    async def start(self, handler: InboundHandler) -> None:
        """Open the window."""
        self.desk.start(handler)
        self._source.open(self.desk)
        self._is_open = True

    async def stop(self) -> None:
        """Close the window; the terminal is as it was before. Safe to call twice."""
        self._is_open = False
        self._source.close()
        await self.desk.stop()

    def greet(self, text: str) -> None:
        """Print a first word, if the terminal takes it."""
        self.desk.tell(text)

    async def open_card(self, opening: CardOpening, journal: Journal) -> CardSink:
        """See `Channel.open_card`. The window knows its cards by run: a repeat finds the same one."""
        self._check(opening.conversation)

        async def put_up() -> Json:
            self._put_up(opening, opening.run)
            return {"card": opening.run}

        opened = await journal.step("open/card", put_up)
        return self._sink(self._put_up(opening, str(opened["card"])))

    def reopen_card(self, opening: CardOpening, state: Json, journal: Journal) -> CardSink:
        """See `Channel.reopen_card`. A card of another window is shown here anew."""
        return self._sink(self._entry(opening, str(state["card"])))

    async def send_final(self, opening: CardOpening, journal: Journal) -> SentFinal:
        """See `Channel.send_final`: one page, which a verdict is added to later."""
        self._check(opening.conversation)
        self._view.begin(opening.reply_to)
        entry = self._entry(opening, f"{opening.run}-final")

        async def send() -> Json:
            await journal.guard()
            self._write(lambda: self._view.show(entry, opening.card, final=True))
            entry.seen, entry.seen_final = opening.card, True
            self.desk.shown(entry)
            return {"card": entry.id}

        sent = journal.recorded(_FINAL) or await journal.step(_FINAL, send)
        return SentFinal(self._receipt(str(sent["card"]), "message"), sent)

    async def send_notice(self, conversation: ConversationRef, text: str, *, reply_to: str | None, key: str) -> Receipt:
        """See `Channel.send_notice`."""
        self._check(conversation)
        if key not in self._receipts:
            self._view.begin(reply_to)
            self._write(lambda: self._view.tell(text))
            self._receipts[key] = self._receipt(key, "message")
            self.desk.ended(reply_to)
        return self._receipts[key]

    async def send_file(
        self, conversation: ConversationRef, file: OutFile, journal: Journal, *, reply_to: str | None, key: str
    ) -> Receipt:
        """See `Channel.send_file`: it is put into the person's folder, unless it lies there, and its path is told."""
        self._check(conversation)
        if not file.content:
            raise Rejected(f"{file.name}: an empty file", code="empty_file")

        async def put() -> Json:
            await journal.guard()
            place = await asyncio.to_thread(self._put, file)
            self._view.begin(reply_to)
            self._write(lambda: self._view.tell(self._say("file", path=str(place))))
            return {"path": str(place)}

        if journal.recorded(file_path(key)) is None:
            await journal.step(file_path(key), put)
        return self._receipt(key, "message")

    def _put(self, file: OutFile) -> Path:
        try:
            return put_file(self._folder, file)
        except OSError as error:
            raise Rejected(f"{file.name}: {error.strerror}", code="folder_refused") from error

    async def read(self, message_id: str) -> Sequence[Quote]:
        """See `Channel.read`: nobody can answer a single message here."""
        raise NotSupported("reading a message again")

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """See `Channel.fetch`: no files come with a message."""
        raise NotSupported("files")

    async def react(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """See `Channel.react`."""
        self._view.sign(message_id, queued=on and reaction == "queued")

    def _put_up(self, opening: CardOpening, card: str) -> Entry:
        self._view.begin(opening.reply_to)
        return self._entry(opening, card)

    def _entry(self, opening: CardOpening, card: str) -> Entry:
        made = Entry(card, opening.reply_to, opening.card, self._clock.steady_s())
        return self._view.board.entry(made)

    def _sink(self, entry: Entry) -> TerminalSink:
        return TerminalSink(entry, self._view, self.desk, self._receipt)

    def _check(self, conversation: ConversationRef) -> None:
        """Refuse what belongs to a conversation of another window, now or long ago."""
        if conversation != self.desk.person.conversation:
            raise NotSupported("a conversation that this window does not show")

    def _write(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            raise self.desk.refused(error) from error

    def _receipt(self, card: str, route: Literal["card", "message"] = "card") -> Receipt:
        return Receipt(NAME, self._account, (card,), self._clock.now_ms(), route)
