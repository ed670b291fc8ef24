"""What a host starts, feeds, asks and stops: the database and the runs, for any work."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.budgets import Budgets
from engine.errors import SettingsInvalid
from engine.events import RunEvent
from engine.failpoints import failpoint, refusal
from engine.messages import Address, InboxKey, Principal, RunId, RunInput
from engine.ports import Clock, Control, Surface, Watcher, Work
from engine.pressed import Press, Pressed
from engine.runs.controls import Heard
from engine.runs.conversations import Conversations, Standing
from engine.runs.held import HeldMessage, HoldReason, Kept
from engine.runs.inbox import Submitted
from engine.runs.ports import Doorkeeper, TurnQueue
from engine.runs.renewal import Renewed
from engine.runs.resending import Resent
from engine.runs.runs import Runs
from engine.runs.view import RunView
from engine.runtime.models import Models, models_of
from engine.runtime.readiness import Check, database_check, letters_check, runs_check
from engine.settings import EngineSettings
from engine.storage.config import ConfigStore
from engine.storage.database import Database
from engine.storage.lock import FolderLock


def check_environment() -> None:
    """Refuse to run with variables that only tests may set.

    Raises:
        SettingsInvalid: `NIUMA_FAILPOINT` is set and this is no test, or it is malformed.
    """
    reason = refusal()
    if reason is not None:
        raise SettingsInvalid(reason, code="failpoint_refused")


class Runtime:
    """Life: `start` once, everything else, `drain`, `stop`. One per process.

    `work` is the agent. `surface` is where runs are shown. `migrate` brings the database's schema up to date. `busy_ms`
    is how long a write waits for a lock that another process holds.
    """

    def __init__(
        self,
        settings: EngineSettings,
        surface: Surface,
        clock: Clock,
        work: Work,
        *,
        migrate: Callable[[Database], None],
        busy_ms: int = 5000,
    ) -> None:
        check_environment()
        self._settings = settings
        self._migrate = migrate
        self._lock = FolderLock(settings.home)
        self.database = Database(settings.database.url, settings.home, busy_ms=busy_ms)
        self._runs = Runs(self.database, surface, clock, work, settings.runs)
        self._config = ConfigStore(self.database)

    def take_folder(self) -> None:
        """Take the embedded database's folder for this process; `start` does so when it was not done before.

        Raises:
            AlreadyRunning: another process works on this data folder.
        """
        if self.database.dialect.is_sqlite:
            self._lock.take()

    async def start(self) -> None:
        """Take the folder's lock, bring the schema up to date, and take up work.

        Raises:
            AlreadyRunning: another process works on this data folder.
            StorageError: the database can not be reached or written.
        """
        loop = asyncio.get_running_loop()
        self.take_folder()
        try:
            await loop.run_in_executor(None, _load_dialect)
            # Alembic and the queue library know nothing of our errors.
            with self.database.told():
                made, _ = await asyncio.gather(
                    loop.run_in_executor(None, _load_queue), loop.run_in_executor(None, self._migrate, self.database)
                )
                await self._runs.start(made(self.database, self._runs.replica.id, self._settings.runs.concurrency))
        except BaseException:
            await self._runs.give_up()
            await loop.run_in_executor(None, self.database.close)
            self._lock.release()
            raise

    async def drain(self) -> None:
        """Stop taking up work, let steps in flight end within `runs.drain_s`, leave the cards quiet, hand over."""
        await self._runs.drain()

    def hurry(self) -> None:
        """Cut a drain short, now or when it begins: steps in flight are cut and repeated by the next process."""
        self._runs.hurry()

    async def stop(self) -> None:
        """Drain if that was not done, and let go of everything."""
        await self._runs.drain()
        await self._runs.stop()
        await asyncio.get_running_loop().run_in_executor(None, self.database.close)
        self._lock.release()

    async def submit(self, given: RunInput, *, key: InboxKey, joins: Sequence[InboxKey] = ()) -> Submitted:
        """Store an input and put its run in line; on return it is durable and may be acked.

        `joins` are messages of the same person that were held and belong to this one. A redelivery (the same `key`)
        gives the first one's run. Runs of one conversation run one at a time, in the order of the submits. Beyond a
        limit of `runs` there is no run: see `Submitted.overload`.

        Raises:
            StorageError: nothing was stored; do not ack.
        """
        failpoint("before_ingest")
        submitted = await self._runs.submit(given, key, joins)
        failpoint("after_ingest")
        return submitted

    async def ignore(self, key: InboxKey, conversation: Address, reason: str, body: dict[str, Any]) -> bool:
        """Store an inbound that starts nothing, with the reason; true when it is new. Raises like `submit`."""
        return await self._runs.ignore(key, conversation, reason, body)

    async def waits_in(self, conversation: Address) -> Principal | None:
        """Give the person whose answer holds the conversation up, whichever replica asked. Raises like `submit`."""
        return await self._runs.replica.waits_in(conversation)

    async def hold(self, given: RunInput, *, key: InboxKey, reason: HoldReason) -> Kept:
        """Store a message that waits before it becomes a run. Raises like `submit`."""
        return await self._runs.hold(given, key, reason)

    async def ask_about_backlog(self, given: RunInput, *, key: InboxKey) -> Submitted:
        """Ask the writer of messages held as `"backlog"`, on a card, which of them to answer. Raises like `submit`.

        `given` says who is asked, where, and in answer to which message; its words are the card's title.
        """
        return await self._runs.ask_about_backlog(given, key)

    async def held(self, reason: HoldReason) -> list[HeldMessage]:
        """Give the messages that wait, oldest first."""
        return await self._runs.held(reason)

    async def release(self, messages: Sequence[HeldMessage]) -> list[RunId]:
        """Let held messages become runs now. Raises like `submit`."""
        return await self._runs.release(messages)

    async def in_line(self) -> Mapping[RunId, int]:
        """Give the runs that wait, with their numbers in the line of all, from 1.

        0: another run of its conversation is before it, or there is room and it begins in a moment.
        Raises like `submit`.
        """
        return await self._runs.in_line()

    async def run_of(self, key: InboxKey) -> RunId | None:
        """Give the run that an inbound started; `None` when it started none, or is forgotten."""
        return await self._runs.run_of(key)

    async def control(self, run: RunId, control: Control) -> Heard:
        """Tell a run to stop, or answer its question. Durable on return; a repeat (the same id) is one.

        `"ended"`: the run has its final answer already. Raises like `submit`.
        """
        return await self._runs.control(run, control)

    async def recall(self, message: InboxKey, conversation: Address) -> None:
        """Take a message back: its run stops; one that waits, or has not come yet, is never answered.

        Raises like `submit`.
        """
        await self._runs.recall(message, conversation)

    async def reword(self, message: InboxKey, text: str, conversation: Address, *, edited_at_ms: int) -> bool:
        """Ask a message that still waits, or comes only now, in other words; gives whether it waited.

        Of several corrections the one made last counts (`edited_at_ms`, UTC), in whatever order they come. Raises like
        `submit`.
        """
        return await self._runs.reword(message, text, conversation, edited_at_ms=edited_at_ms)

    async def press(self, key: InboxKey, conversation: Address, press: Press) -> Pressed:
        """Carry out a press on a button of a run's card; what came of it is durable on return.

        A redelivery (the same `key`) does nothing and is told the same. Presses of one run are decided one after the
        other. A verdict, a revision or a retry shows on the old card, too. Raises like `submit`.
        """
        return await self._runs.press(key, conversation, press)

    async def resend(self, key: InboxKey, conversation: Address, run: RunId) -> Resent | None:
        """Send the stored answer of an ended run once more to its conversation, as a message of its own.

        `None` for a repeat (the same `key`). Raises like `submit`.
        """
        return await self._runs.resend(key, conversation, run)

    async def new_session(
        self, key: InboxKey, conversation: Address, by: Principal, *, question: RunInput | None = None
    ) -> Renewed:
        """Let a conversation start over, at once and beside its runs; a repeat (the same `key`) does nothing.

        The runs of this person stop, an admin stops all. `question` is the first one of the new session. Raises like
        `submit`.
        """
        return await self._runs.new_session(key, conversation, by, question)

    @property
    def conversations(self) -> Conversations:
        """Give what is asked and chosen about conversations as a whole; after `start`."""
        return self._runs.conversations

    async def standing(self, conversation: Address) -> Standing:
        """Tell how a conversation stands: what it remembers and what people chose for it."""
        idle_hours, usual = self._settings.sessions.idle_hours, self._settings.runs.while_busy
        return await self._runs.conversations.standing(conversation, idle_hours=idle_hours, usual=usual)

    async def models(self) -> Models:
        """Give the models of the settings in force."""
        return models_of(self._settings)

    async def run_view(self, run: RunId) -> RunView | None:
        """Give a snapshot of a run."""
        return await self._runs.view(run)

    async def has_run_in(self, conversation: Address) -> bool:
        """Tell whether anything was asked in a conversation, within `runs.keep_days`. Raises like `submit`."""
        return await self._runs.has_run_in(conversation)

    async def last_words(self, conversation: Address, person: str) -> str:
        """Give what a person last asked in a conversation, among its newest runs; empty when that was nothing."""
        return await self._runs.last_words(conversation, person)

    async def events(self, run: RunId) -> list[RunEvent]:
        """Give a run's stored events in order."""
        return await self._runs.events(run)

    async def wait_ended(self, run: RunId, timeout_s: float) -> RunView:
        """Wait for the end of a run, at most `timeout_s` of real time.

        Raises:
            UnknownRun: there is no such run.
            TimeoutError: it has not ended.
        """
        return await self._runs.wait_ended(run, timeout_s)

    async def lost(self) -> None:
        """Return when this replica was declared dead by its peers: stop it, and build another one."""
        await self._runs.lost()

    @property
    def is_lost(self) -> bool:
        """Tell whether this replica was declared dead."""
        return self._runs.replica.lease.lost

    async def config_get(self, scope: str, key: str) -> Any:
        """Give a setting kept in the database, `None` when it was never set."""
        return await self._config.get(scope, key)

    async def config_all(self, scope: str) -> dict[str, Any]:
        """Give all settings of a scope that are kept in the database."""
        return await self._config.all(scope)

    async def config_set(self, scope: str, key: str, value: Any) -> None:
        """Keep a setting in the database; `None` takes it away. Raises like `submit`."""
        await self._config.set(scope, key, value)

    def readiness(self) -> list[Check]:
        """Tell whether new inputs can be served, and what stands in the way."""
        runs = self._runs
        return [database_check(self.database.health()), runs_check(runs.replica), letters_check(runs.dead_letters)]

    def shares(self, budgets: Budgets) -> None:
        """Share these limits with all other replicas on the database; before `start`. Alone, nothing changes."""
        self._runs.shares.budgets = budgets

    def kept_by(self, door: Doorkeeper) -> None:
        """Ask `door` again about a question that waited, when it begins; before `start`."""
        self._runs.door = door

    def watched_by(self, watcher: Watcher) -> None:
        """Tell `watcher` what happens from now on; before `start`."""
        self._runs.replica.watcher = watcher


def _load_dialect() -> None:
    """Import what the queue library and the migration both need: two threads that import it at once break it."""
    importlib.import_module("sqlalchemy.dialects.postgresql")


def _load_queue() -> Callable[[Any, str, int], TurnQueue]:
    """Import the queue library, which takes half a second, beside the migration."""
    from engine.runs.dbos.turns import DbosQueue

    return DbosQueue
