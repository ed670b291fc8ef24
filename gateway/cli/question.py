"""One question put to an engine that lives just as long."""

from __future__ import annotations

import asyncio
import getpass
import signal
import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from channels.events import ConversationRef
from engine.events import RunEvent
from engine.messages import Address, InboxKey, Principal, RunId, RunInput, TextPart
from engine.ports import Control, Outcome
from engine.pressed import QUESTION
from engine.runtime import Runtime, RunView, Submitted
from engine.settings import EngineSettings
from gateway.cli.own_store import own_store
from gateway.cli.result import result_data
from gateway.cli.terminal import typed_line
from gateway.cli.trace import TraceSurface
from gateway.clock import SystemClock
from gateway.presenter.calls import call_panel
from gateway.texts import language_of, text

STORE = "agent"
"""Folder in the data folder where questions from the terminal are kept: the gateway's store is the gateway's alone."""
NOT_KEPT = "another `niuma agent` is at work; this run is not kept"
_PERSON = "operator"
_GRACE_S = 30.0


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask; `session` names a conversation to go on with; `write` gets the lines of the trace."""

    words: str
    session: str | None = None
    write: Callable[[str], None] | None = None

    @property
    def address(self) -> Address:
        """Give the conversation: the named one, or one of its own."""
        return Address(str(ConversationRef("cli", "local", "", self.session or uuid.uuid4().hex)))


@dataclass(frozen=True, slots=True)
class Finished:
    """How it ended. `reason` says in words why there is no answer."""

    run: RunId
    status: Literal["done", "stopped", "failed"]
    answer: str
    reason: str
    trace: Sequence[RunEvent] = ()
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    elapsed_s: float = 0.0
    """From the stored question to the stored answer."""


async def ask(settings: EngineSettings, question: Question) -> Finished:
    """Put the question and wait for the end, at most the engine's time limit. Ctrl-C stops the run properly.

    Raises:
        EngineError: the engine cannot be started, or the question cannot be stored.
    """
    address = question.address
    surface = TraceSurface(address, question.write)
    async with own_store(settings, surface, folder=STORE, not_kept=NOT_KEPT) as runtime:
        person = Principal(id=_PERSON, name=getpass.getuser(), rank="owner")
        given = RunInput(
            to=address, by=person, parts=(TextPart(text=question.words),), sent_at_ms=SystemClock().now_ms()
        )
        key = InboxKey(channel="cli", account="local", kind="message", key=uuid.uuid4().hex)
        submitting = asyncio.ensure_future(runtime.submit(given, key=key))
        # Before it is stored: the run may have begun when we hear of it.
        _stop_on_interrupt(runtime, submitting)
        run = (await submitting).run
        answering = asyncio.create_task(_answer_questions(runtime, run, surface))
        try:
            ended = await runtime.wait_ended(run, settings.runs.time_limit_s + _GRACE_S)
        except TimeoutError:
            reason = text(language_of(question.words), "error.time_limit")
            return Finished(run, "failed", "", reason, await runtime.events(run))
        finally:
            await _end(answering)
        return await _finished(runtime, ended, question.words)


def _stop_on_interrupt(runtime: Runtime, submitting: asyncio.Future[Submitted]) -> None:
    """Let the first Ctrl-C stop the run; the second one ends the program."""
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[object]] = set()

    async def stopped() -> None:
        control = Control(id=uuid.uuid4().hex, kind="stop", by=_PERSON)
        await runtime.control((await submitting).run, control)

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        tasks.add(asyncio.create_task(stopped()))

    loop.add_signal_handler(signal.SIGINT, stop)


async def _answer_questions(runtime: Runtime, run: RunId, surface: TraceSurface) -> None:
    """Put each question of the run to the person at the terminal; without a terminal the answer is no, or none."""
    while True:
        asked = await surface.questions.get()
        if asked.get("code") == QUESTION:
            await runtime.control(run, await _reply(asked))
            continue
        yes = await _approves(asked) if sys.stdin.isatty() else False
        if not sys.stdin.isatty():
            print(f"niuma: {asked.get('tool')} needs approval and there is no terminal: denied", file=sys.stderr)
        body = {"nonce": str(asked["id"]), "name": getpass.getuser()}
        control = Control(id=uuid.uuid4().hex, kind="approve" if yes else "deny", by=_PERSON, body=body)
        await runtime.control(run, control)


async def _reply(asked: dict[str, Any]) -> Control:
    """Let the person answer what the agent asks: by a number, or in words where these count."""
    options = [str(each) for each in cast("list[object]", asked.get("options") or [])]
    words = ""
    if sys.stdin.isatty():
        lines = [str(asked.get("question")), *(f"  {number}. {each}" for number, each in enumerate(options, 1))]
        typed = " "
        while not words and typed:
            print("\n".join(lines), "> ", sep="\n", file=sys.stderr, end="", flush=True)
            typed = await typed_line()
            words = answer_of(typed, options, takes_words=bool(asked.get("takes_words")))
    else:
        print("niuma: the agent asks something and there is no terminal: no answer", file=sys.stderr)
    body = {"nonce": str(asked["id"]), "name": getpass.getuser(), "choice": words}
    return Control(id=uuid.uuid4().hex, kind="choose", by=_PERSON, body=body)


def answer_of(typed: str, options: Sequence[str], *, takes_words: bool) -> str:
    """Give the answer that a typed line stands for; empty when it stands for none."""
    said = typed.strip()
    if said.isdecimal() and 1 <= int(said) <= len(options):
        return options[int(said) - 1]
    known = next((each for each in options if each.casefold() == said.casefold()), "")
    return known or (said if takes_words else "")


async def _approves(asked: dict[str, Any]) -> bool:
    tool = str(asked.get("tool"))
    call = call_panel("call", tool, asked.get("args") or {}, "en")
    told = "\n".join(part for part in (text("en", "approval.question", tool=tool), call.title, call.body) if part)
    print(f"{told}\n[y/N] ", file=sys.stderr, end="", flush=True)
    return (await typed_line()).strip().lower() in ("y", "yes")


async def _end(answering: asyncio.Task[None]) -> None:
    """Cancel the task and wait for its end; what broke it earlier is raised here."""
    answering.cancel()
    await asyncio.wait({answering})
    if not answering.cancelled():
        answering.result()


async def _finished(runtime: Runtime, ended: RunView, words: str) -> Finished:
    run, outcome = ended.id, ended.outcome or Outcome(status="failed")
    elapsed_s = ((ended.ended_at_ms or ended.created_at_ms) - ended.created_at_ms) / 1000
    events = await runtime.events(run)
    status = outcome.status if outcome.status in ("done", "stopped") else "failed"
    reason = "" if outcome.error is None else text(language_of(words), f"error.{outcome.error}", **outcome.params)
    return Finished(run, status, outcome.answer, reason, events, result_data(events), elapsed_s)
