"""What the person does at the terminal, whatever they do it with: messages in order, presses at once, commands here."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Coroutine
from typing import Any

from channels.cards.model import Action, CardStatus
from channels.errors import ChannelError, ConnectionLost
from channels.events import Inbound, InboundHandler
from channels.terminal.board import Entry, Said
from channels.terminal.cards import KEYS, pressable, refusals
from channels.terminal.errors import parse_error
from channels.terminal.inbound import Command, Person, parse_command
from channels.terminal.view import View

logger = logging.getLogger(__name__)

TWICE_S = 3.0
"""How soon after the first a second Ctrl-C leaves."""
READ_S = 0.5
"""How long a question must have stood there before a yes counts: one typed before it appeared meant something else."""


class Desk:
    """Hands everything to the host's handler.

    `answers_no`: nobody is there to be asked, so questions are denied at once, and said so.
    """

    def __init__(self, person: Person, view: View, say: Callable[..., str], *, answers_no: bool = False) -> None:
        self.person = person
        self.failed = False
        """Something that was asked got no answer."""
        self.closed = asyncio.Event()
        """The person has left."""
        self._view = view
        self._say = say
        self._answers_no = answers_no
        self._handler: InboundHandler | None = None
        self._messages: asyncio.Queue[Said] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._answered: dict[str, asyncio.Event] = {}
        self._denied: set[str] = set()
        self._warned_s: float | None = None

    # Life.

    def start(self, handler: InboundHandler) -> None:
        """Begin to hand over."""
        self._handler = handler
        self._soon(self._hand_over_messages())

    async def stop(self) -> None:
        """Hand nothing over any more."""
        self.closed.set()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # What the person does.

    def submit(self, text: str) -> str | None:
        """Take a typed message, command or key; give the message's id if it is one."""
        if not text.strip() or self.closed.is_set():
            return None
        self._warned_s = None
        command = parse_command(text)
        if command is not None:
            self._carry_out(command)
            return None
        if self.press(text.strip()):
            return None
        return self.ask(text)

    def ask(self, text: str) -> str:
        """Take a message, whatever it looks like; give its id."""
        said = Said(uuid.uuid4().hex, text)
        self._answered[said.id] = asyncio.Event()
        self._view.hear(said)
        self._messages.put_nowait(said)
        return said.id

    def press(self, key: str) -> bool:
        """Press the button that has this key now; false when there is none."""
        newest = self._view.board.newest()
        actions = pressable(newest.card) if newest is not None else ()
        action = next((each for each in actions if KEYS[each.name] == key.lower()), None)
        if newest is None or action is None:
            return False
        if action.name.startswith("approve") and self.person.clock.steady_s() - newest.offered_s < READ_S:
            self._view.toast(self._say("too_soon"), "warning")
        else:
            self._press(newest, action)
        return True

    def interrupt(self) -> None:
        """Ctrl-C: stop what runs, or else warn; the second one in a row leaves."""
        now_s = self.person.clock.steady_s()
        if self._warned_s is not None and now_s - self._warned_s < TWICE_S:
            self.closed.set()
            return
        self._warned_s = now_s
        running = self._view.board.running()
        for entry, action in running:
            self._press(entry, action)
        self._view.toast(self._say("stopping" if running else "leave"), "warning")

    def stay(self) -> None:
        """Another key was pressed: the next Ctrl-C is a first one again."""
        self._warned_s = None

    def leave(self) -> None:
        """The person goes."""
        self.closed.set()

    @property
    def is_busy(self) -> bool:
        """Tell whether an answer is still on its way."""
        return bool(self._view.board.live() or self._view.board.waiting)

    async def answered(self, message_id: str) -> None:
        """Wait until the answer to a message is shown, or the refusal to answer."""
        ended = self._answered[message_id]
        waits = [asyncio.ensure_future(ended.wait()), asyncio.ensure_future(self.closed.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    # What the cards tell.

    def shown(self, entry: Entry) -> None:
        """A snapshot of a card was shown: it may be the end, or a question."""
        offered = pressable(entry.card)
        if offered != entry.offered:
            entry.offered, entry.offered_s = offered, self.person.clock.steady_s()
        if entry.is_final:
            self.failed = self.failed or entry.card.header.status is not CardStatus.DONE
            self.ended(entry.reply_to)
        elif self._answers_no:
            for action in refusals(entry.card):
                if action.nonce not in self._denied:
                    self._denied.add(action.nonce)
                    self._view.toast(self._say("denied"), "warning")
                    self._press(entry, action)

    def refused(self, error: OSError) -> ChannelError:
        """The terminal did not take something: give the channel's error. Where it is gone the person has left."""
        told = parse_error(error)
        if isinstance(told, ConnectionLost):
            self.failed = True
            self.closed.set()
        return told

    def ended(self, message_id: str | None) -> None:
        """Nothing more comes for this message."""
        waiting = self._answered.get(message_id or "")
        if waiting is not None:
            waiting.set()

    def _carry_out(self, command: Command) -> None:
        if command == "quit":
            self.closed.set()
        else:
            self.tell(self._say("help"))

    def tell(self, text: str) -> None:
        """Print a word of the window's own for good."""
        try:
            self._view.tell(text)
        except OSError as error:
            logger.info("terminal_behind", extra={"code": error.errno})

    def _press(self, entry: Entry, action: Action) -> None:
        self._soon(self._hand_over_press(self.person.presses(action, entry.id)))

    async def _hand_over_messages(self) -> None:
        """One after the other: the order in which they were typed is the order of their answers."""
        while True:
            said = await self._messages.get()
            message = self.person.says(said.text, said.id)
            if not await self._hand_over(message):
                self._view.begin(said.id)
                self.failed = True
                self.ended(said.id)

    async def _hand_over_press(self, inbound: Inbound) -> None:
        await self._hand_over(inbound)

    async def _hand_over(self, inbound: Inbound) -> bool:
        if self._handler is None:
            return False
        try:
            toast = await self._handler(inbound)
        except Exception:
            # Not stored: the host has logged nothing yet, and the person must know that nothing will come of it.
            logger.exception("inbound_not_stored", extra={"kind": inbound.dedupe.kind})
            self._view.toast(self._say("not_stored"), "error")
            return False
        if toast is not None:
            self._view.toast(toast.text, toast.tone)
        return True

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="terminal desk")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
