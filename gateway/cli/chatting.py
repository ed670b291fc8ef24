"""The gateway of one window: the same engine, delivery and inbox as everywhere, and the terminal as its channel."""

from __future__ import annotations

import asyncio
import getpass
import os
import signal
import sys
import uuid
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import gateway
from channels.registry import build_terminal
from channels.terminal.adapter import Adapter
from channels.terminal.settings import TerminalSettings
from engine.settings import EngineSettings
from gateway.access import Access
from gateway.cli.own_store import own_store
from gateway.clock import SystemClock
from gateway.delivery import Delivery
from gateway.inbound import Reception
from gateway.metrics import Metrics
from gateway.paths import create_private_folder, logs_folder
from gateway.presenter import Style
from gateway.settings import Settings
from gateway.settings.access import AccessSection
from gateway.settings.names import person_name
from gateway.stores.people import People
from gateway.texts import LANGUAGES, Language, language_of_system, text

STORE = "chat"
"""Folder in the data folder where chats are kept: the gateway's store is the gateway's alone."""
HISTORY_FILE = "history"
LOG_FILE = "chat.log"
_PERSON = "operator"
_WORDS = "chat."


@dataclass(frozen=True, slots=True)
class Chat:
    """How to chat: `session` names a conversation to go on with, `once` makes all of the input one question."""

    session: str | None = None
    once: bool = False

    @property
    def is_watched(self) -> bool:
        """Tell whether a person sees the window, so that nothing else may write into it."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    @contextmanager
    def log(self, home: Path) -> Generator[TextIO]:
        """Give where the log goes: a window that is redrawn must stay its own."""
        if not self.is_watched:
            yield sys.stderr
            return
        folder = create_private_folder(logs_folder(home))
        with open(folder / LOG_FILE, "a", encoding="utf-8", opener=_private) as file:
            yield file


async def chat(settings: Settings, engine: EngineSettings, own: Chat) -> bool:
    """Chat until the person leaves; true when everything that was asked was answered.

    Raises:
        EngineError: the engine cannot be started.
    """
    language = language_of_system(os.environ)
    clock = SystemClock()
    channel = build_terminal(
        _window_settings(settings, own, language), clock, refresh_s=settings.cards.refresh_ms / 1000, once=own.once
    )
    channels = {(channel.name, channel.account): channel}
    metrics = Metrics()
    delivery = Delivery(channels, Style(settings.cards.thinking, settings.cards.call_after_s))
    store = own_store(engine, delivery, folder=STORE, not_kept=text(language, "chat.not_kept"))
    async with store as runtime, AsyncExitStack() as stack:
        stack.push_async_callback(channel.stop)
        stack.push_async_callback(runtime.drain)
        access = Access(_owner_alone(channel), People(runtime.database), clock, has_run_in=runtime.has_run_in)
        reception = Reception(runtime, access, channels, metrics, clock)
        stack.push_async_callback(reception.close)
        await channel.start(reception.handle)
        if own.is_watched:
            channel.greet(_welcome(language, engine))
        with _told_by_signals(channel):
            await channel.desk.closed.wait()
        if channel.desk.is_busy:
            # Whoever leaves does not wait for it: what is at work ends as interrupted.
            runtime.hurry()
    sys.stdout.flush()  # a reader that went away is the caller's to know
    return not channel.desk.failed


def _window_settings(settings: Settings, own: Chat, language: Language) -> TerminalSettings:
    words = {key.removeprefix(_WORDS): said for key, said in LANGUAGES[language].items() if key.startswith(_WORDS)}
    return TerminalSettings(
        chat=own.session or uuid.uuid4().hex,
        person=_PERSON,
        person_name=getpass.getuser(),
        history=create_private_folder(settings.home / STORE) / HISTORY_FILE if own.is_watched else None,
        words=words,
    )


def _owner_alone(channel: Adapter) -> AccessSection:
    """Give the rules of a window: whoever sits at it owns it, and no pace is set."""
    return AccessSection(
        owners=(person_name(channel.name, channel.account, _PERSON),),
        per_person_per_minute=0,
        per_conversation_per_minute=0,
    )


def _welcome(language: Language, engine: EngineSettings) -> str:
    model = engine.models[engine.default_model].model
    return text(language, "chat.welcome", version=gateway.__version__, model=model, folder=Path.cwd())


@contextmanager
def _told_by_signals(channel: Adapter) -> Generator[None]:
    """Let signals from outside do what the keys do: Ctrl-C where it is a signal, the end of the session."""
    loop = asyncio.get_running_loop()
    actions = {
        signal.SIGINT: channel.desk.interrupt,
        signal.SIGTERM: channel.desk.leave,
        signal.SIGHUP: channel.desk.leave,
    }
    for number, action in actions.items():
        loop.add_signal_handler(number, action)
    try:
        yield
    finally:
        for number in actions:
            loop.remove_signal_handler(number)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
