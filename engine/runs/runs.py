"""All runs of this process: takes inputs in, does turns, and hands over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from sqlmodel import Session

from engine.errors import UnknownRun
from engine.events import RunEvent
from engine.messages import Address, InboxKey, Principal, RunId, RunInput
from engine.ports import Clock, Control, Outcome, RunScope, Surface, Work
from engine.pressed import Press, Pressed
from engine.runs.admission import Admission
from engine.runs.afterwards import AFTERWARDS, Afterwards
from engine.runs.answers import Answers
from engine.runs.backlog import AGENT as BACKLOG
from engine.runs.backlog import Backlog
from engine.runs.busy import Busy
from engine.runs.clearing import Clearing
from engine.runs.controls import Heard, put
from engine.runs.conversations import Conversations
from engine.runs.deliveries import Deliveries
from engine.runs.drain import Drain
from engine.runs.eventlog import EventLog
from engine.runs.held import Held, HeldMessage, HoldReason, Kept
from engine.runs.hints import Ears, Hints
from engine.runs.inbox import Inbox, Noted, Submitted
from engine.runs.journal import Journal
from engine.runs.last_word import LastWord
from engine.runs.lease import Lease
from engine.runs.ledger import DeadLetters, Ledger
from engine.runs.membership import Beats, Membership
from engine.runs.ports import Doorkeeper, TurnQueue
from engine.runs.presses import Presses
from engine.runs.recall import Recall
from engine.runs.renewal import Renewal, Renewed
from engine.runs.replica import Replica
from engine.runs.resending import Resent, resend
from engine.runs.retention import Retention
from engine.runs.rewording import reword
from engine.runs.shares import Shares
from engine.runs.showing import Showing
from engine.runs.turn import Turn
from engine.runs.view import RunView, has_run_in, last_words, view
from engine.runs.waiting import in_line
from engine.runs.work import Worker
from engine.settings import RunSettings
from engine.storage.blobs import BlobStore
from engine.storage.database import Database
from engine.storage.ids import new_id

T = TypeVar("T")

_LOOK_AGAIN_S = 0.5
FRESH_MS = 2_000
"""A question that is not older was let in by the rules that hold."""


class Runs:
    """The parts of `engine.runs`, wired. `start` once, then everything else, `drain`, `stop`."""

    def __init__(self, database: Database, surface: Surface, clock: Clock, work: Work, settings: RunSettings) -> None:
        self._settings = settings
        self._database = database
        self._clock = clock
        self._events = EventLog(BlobStore(database))
        self._ledger = Ledger(database.dialect)
        lease = Lease(endless=database.dialect.is_sqlite)
        journal = Journal(database.dialect, self._events)
        self.replica = Replica(new_id(), database, journal, clock, lease, settings.concurrency)
        worker = Worker(self._work, clock, settings.time_limit_s)
        self._given_work = work
        self._turn = Turn(
            self.replica,
            Showing(self.replica, surface, settings.final_try_s),
            LastWord(self.replica, surface, self._ledger),
            worker,
            resume=settings.resume,
        )
        self._deliveries = Deliveries(self.replica, surface, self._ledger)
        self.door: Doorkeeper | None = None
        """Who is asked again when a question begins that waited."""
        self._retention: asyncio.Task[None] | None = None
        self.shares = Shares(self.replica, settings.lease_ttl_s)
        self._hints = Hints(database, self._ears())
        self._began = False
        self._lost = asyncio.Event()

    async def start(self, queue: TurnQueue) -> None:
        """Join, take up what a dead process left, and begin. The schema is there already."""
        self._loop = loop = asyncio.get_running_loop()
        self._queue = queue
        dialect, settings = self._database.dialect, self._settings
        admission = Admission(dialect, settings, self._clock.steady_s)
        self._inbox = Inbox(queue, Busy(dialect, settings.while_busy), admission, Answers(dialect, self._events))
        self._held = Held(self._inbox)
        self._backlog = Backlog(self._database, self._held, self._clock, queue.kick)
        clearing = Clearing(self._database.dialect, self._inbox)
        self._renewal = Renewal(self._inbox, clearing)
        self.conversations = Conversations(self.replica, self._inbox, clearing, self._events)
        self._recall = Recall(self._database.dialect, self._inbox, self._held)
        afterwards = Afterwards(self._inbox, self._events, self._ledger)
        self._presses = Presses(self._database.dialect, self._inbox, self._events, afterwards)
        self._membership = Membership(self._database, queue, self.replica.id, self.replica.lease, self._beats(loop))
        await loop.run_in_executor(None, self._membership.join)
        if self._membership.solo:
            await self._database.run(lambda session: self._ledger.release(session, self._clock.now_ms()))
        await self._database.run(lambda session: self._ledger.revive(session, self._clock.now_ms()))
        self.replica.finish = queue.finish
        self._began = True
        await self.shares.start()
        await queue.start(self._turn.run, self._turn.take, self.replica.appetite)
        await loop.run_in_executor(None, self._membership.recover)
        self._membership.start(self._settings.lease_ttl_s)
        self._hints.start()
        self._deliveries.start()
        self._retention = asyncio.create_task(Retention(self.replica, queue, self._settings).run(), name="retention")
        queue.kick()

    @property
    def dead_letters(self) -> DeadLetters:
        """Give how many answers were given up."""
        return self._deliveries.dead

    async def drain(self) -> None:
        """Hand everything over; cards are left quiet. A second call changes nothing."""
        if not self.replica.draining.is_set():
            drain = Drain(self.replica, self._queue, self._membership, self._deliveries)
            await drain.run(self._settings.drain_s)

    def hurry(self) -> None:
        """Cut the drain short: what is in flight is cut now and goes on with the next process."""
        self.replica.hurried.set()

    async def stop(self) -> None:
        """Let go of the queue; after `drain`."""
        if self._retention is not None:
            self._retention.cancel()
            await asyncio.wait([self._retention])
        await self.shares.stop()
        await asyncio.get_running_loop().run_in_executor(None, self._hints.stop)
        await self._queue.stop()

    async def give_up(self) -> None:
        """Let go of what a start that failed half-way has begun."""
        if self._began:
            self.hurry()
            await self.drain()
            await self.stop()

    async def submit(self, given: RunInput, key: InboxKey, joins: Sequence[InboxKey] = ()) -> Submitted:
        """Store an input once, with the held messages that belong to it, and put its run in line.

        Raises:
            StorageError: nothing was stored; the platform has to send it again.
        """
        submitted = await self._enqueue(lambda s: self._held.submit(s, given, key, joins, self._clock.now_ms()))
        if submitted.spoke is not None:
            self.replica.wake(submitted.spoke.run)
        return submitted

    async def hold(self, given: RunInput, key: InboxKey, reason: HoldReason) -> Kept:
        """Store a message that waits before it becomes a run. Raises like `submit`."""
        return await self._write(lambda s: self._held.hold(s, given, key, reason, self._clock.now_ms()))

    async def ask_about_backlog(self, given: RunInput, key: InboxKey) -> Submitted:
        """Begin a run that asks the writer of held messages what should become of them. Raises like `submit`."""
        asking = given.model_copy(update={"agent": BACKLOG, "line": f"{BACKLOG}:{given.by.id}", "task": None})
        return await self.submit(asking, key)

    async def held(self, reason: HoldReason) -> list[HeldMessage]:
        """Give what waits, oldest first."""
        return await self._database.read(lambda s: self._held.waiting(s, reason, self._clock.now_ms()))

    async def release(self, messages: Sequence[HeldMessage]) -> list[RunId]:
        """Let held messages become runs, each its own; those that wait no more are left out. Raises like `submit`."""
        now_ms = self._clock.now_ms()

        def write(session: Session) -> list[RunId]:
            begun = (self._held.begin(session, each.key, each.given, now_ms) for each in messages)
            return [run for run in begun if run is not None]

        return await self._enqueue(write)

    async def ignore(self, key: InboxKey, conversation: Address, reason: str, body: dict[str, Any]) -> bool:
        """Store an inbound that starts nothing. Raises like `submit`."""
        noted = Noted(conversation, "ignored", reason, body=json.dumps(body))
        return await self._write(lambda s: self._inbox.note(s, key, noted, self._clock.now_ms()))

    async def in_line(self) -> Mapping[RunId, int]:
        """Give what waits because everything is busy."""
        concurrency = self._settings.concurrency
        return await self._database.read(lambda session: in_line(session, concurrency=concurrency))

    async def run_of(self, key: InboxKey) -> RunId | None:
        """Give the run that an inbound started, if any."""
        return await self._database.read(lambda session: Inbox.run_of(session, key))

    async def control(self, run: RunId, control: Control) -> Heard:
        """Store what a person says to a run, and wake it. Raises like `submit`."""
        answer: Heard = await self._write(lambda s: put(s, self._database.dialect, run, control, self._clock.now_ms()))
        self.replica.wake(run)
        return answer

    async def recall(self, message: InboxKey, conversation: Address) -> None:
        """Take a message back, whatever became of it. Raises like `submit`."""
        run = await self._write(lambda s: self._recall.take(s, message, conversation, self._clock.now_ms()))
        if run is not None:
            self.replica.wake(run)

    async def reword(self, message: InboxKey, text: str, conversation: Address, *, edited_at_ms: int) -> bool:
        """Ask a message that still waits, or comes only now, in other words. Raises like `submit`."""
        return await self._write(lambda s: reword(s, message, text, conversation, edited_at_ms=edited_at_ms))

    async def press(self, key: InboxKey, conversation: Address, press: Press) -> Pressed:
        """Carry out a press on a button, once. Raises like `submit`."""
        answer = await self._write(
            lambda s: self._presses.take(s, key, conversation, press, now_ms=self._clock.now_ms())
        )
        self.replica.wake(press.run)
        if press.do in AFTERWARDS:
            self.replica.owed.set()
            self._queue.kick()
        return answer

    async def resend(self, key: InboxKey, conversation: Address, run: RunId) -> Resent | None:
        """Owe the answer of an ended run once more, once for each `key`. Raises like `submit`."""

        def write(session: Session) -> Resent | None:
            now_ms = self._clock.now_ms()
            if not self._inbox.note(session, key, Noted(conversation, "command", "again", run=run), now_ms):
                return None
            return resend(session, self._database.dialect, self._ledger, run, now_ms)

        answer = await self._write(write)
        self.replica.owed.set()
        return answer

    async def new_session(
        self, key: InboxKey, conversation: Address, by: Principal, question: RunInput | None
    ) -> Renewed:
        """Let a conversation start over. Raises like `submit`."""
        renewed = await self._write(
            lambda s: self._renewal.take(s, key, by, conversation, question, at_ms=self._clock.now_ms())
        )
        for run in renewed.stopped:
            self.replica.wake(run)
        if renewed.run is not None:
            self._queue.kick()
        return renewed

    async def view(self, run: RunId) -> RunView | None:
        """Give one run."""
        return await self._database.read(lambda session: view(session, run))

    async def has_run_in(self, conversation: Address) -> bool:
        """Tell whether anything was asked in a conversation."""
        return await self._database.read(lambda session: has_run_in(session, conversation))

    async def last_words(self, conversation: Address, person: str) -> str:
        """Give what a person last asked in a conversation."""
        return await self._database.read(lambda session: last_words(session, conversation, person))

    async def events(self, run: RunId) -> list[RunEvent]:
        """Give the stored events of a run in order."""
        return await self._database.read(lambda session: self._events.load(session, run))

    async def wait_ended(self, run: RunId, timeout_s: float) -> RunView:
        """Wait for the end of a run.

        Raises:
            UnknownRun: there is no such run.
            TimeoutError: it has not ended within `timeout_s` of real time.
        """
        async with asyncio.timeout(timeout_s):
            while True:
                ended = self.replica.ended.setdefault(run, asyncio.Event())
                seen = await self.view(run)
                if seen is None or seen.has_ended:
                    self.replica.note_end(run)
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), _LOOK_AGAIN_S)
        if seen is None:
            raise UnknownRun(f"There is no run {run!r}.")
        return seen

    async def lost(self) -> None:
        """Return when this replica was declared dead: it has to be stopped, and the next one has a new id."""
        await self._lost.wait()

    async def _work(self, scope: RunScope) -> Outcome:
        if scope.input.agent == BACKLOG:
            return await self._backlog(scope)
        refused = await self._put_out(scope.input)
        return await self._given_work(scope) if refused is None else Outcome(status="failed", error=refused)

    async def _put_out(self, given: RunInput) -> str | None:
        """Ask again about the person of a question that waited; one that begins at once was let in a moment ago."""
        is_fresh = self._clock.now_ms() - given.sent_at_ms < FRESH_MS
        return None if is_fresh or self.door is None else await self.door.refusal(given)

    async def _enqueue(self, fn: Callable[[Session], T]) -> T:
        """Write and look for work; where writes keep their order, the claim shares the commit."""
        writing = self._database.begin(fn)
        if self._database.dialect.is_sqlite:
            self._queue.kick()
            return await writing
        value = await writing
        self._queue.kick()
        return value

    async def _write(self, fn: Callable[[Session], T]) -> T:
        return await self._database.run(fn)

    def _beats(self, loop: asyncio.AbstractEventLoop) -> Beats:
        def lose() -> None:
            self._lost.set()
            for hand in tuple(self.replica.active.values()):
                hand.cut()

        def slow(is_slow: bool) -> None:
            self.replica.slow = is_slow

        return Beats(
            lost=lambda: _call(loop, lose),
            slow=slow,
            ask=lambda fn: _call(loop, fn),
            spoken_to=lambda run: _call(loop, lambda: self.replica.wake(run)),
        )

    def _ears(self) -> Ears:
        def work() -> None:
            self.replica.owed.set()
            self._queue.kick()

        def missed() -> None:
            work()
            for run in tuple(self.replica.active):
                self.replica.wake(run)

        return Ears(
            spoken_to=lambda run: _call(self._loop, lambda: self.replica.wake(run)),
            work=lambda: _call(self._loop, work),
            share=lambda: _call(self._loop, self.shares.look),
            missed=lambda: _call(self._loop, missed),
        )


def _call(loop: asyncio.AbstractEventLoop, fn: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(fn)
