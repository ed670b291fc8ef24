"""The agent over the real runtime: real journal, real tables, the offline model."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import exc
from sqlmodel import Session, select

from engine.errors import SettingsInvalid, StorageError
from engine.events import RunEvent
from engine.messages import Address, InboxKey, Principal, RunId, RunInput, TextPart
from engine.ports import Control, Delivered, JournalStep, Json, Opening, Outcome, Owed
from engine.pressed import Press
from engine.runtime import Runtime, build_runtime
from engine.sessions.tables import MessageRow, SessionRow
from engine.settings import AgentSettings, EngineSettings
from gateway.clock import SystemClock
from gateway.migrations import migrate
from gateway.paths import config_folder

TO = Address("test:main:t1:c1")


class Notes:
    """A surface that takes everything and writes down what it was told."""

    def __init__(self) -> None:
        self.shown: list[RunEvent] = []

    async def open(self, opening: Opening, journal: JournalStep) -> None: ...

    def show(self, event: RunEvent) -> None:
        self.shown.append(event)

    def state(self, run: RunId) -> Json | None:
        return None

    async def close(self, run: RunId, outcome: Outcome, *, within_s: float) -> Delivered | Owed:
        return Delivered(receipt={})

    async def suspend(self, run: RunId, *, resumes: bool) -> Delivered | Owed:
        return Delivered(receipt={})

    def abandon(self, run: RunId) -> None: ...

    async def deliver(self, opening: Opening, outcome: Outcome, journal: JournalStep) -> Delivered | Owed:
        return Delivered(receipt={})


class House:
    """A runtime on its own folder, started and asked."""

    def __init__(self, home: Path, **settings: Any) -> None:
        self.home = home
        self._settings = settings
        self.surface = Notes()
        self.runtime: Runtime = self._built()
        self._asked = 0

    async def restart(self) -> None:
        await self.runtime.stop()
        self.runtime = self._built()
        await self.runtime.start()

    async def ask(self, text: str) -> RunId:
        self._asked += 1
        given = RunInput(to=TO, by=Principal(id="u1", name="Ann"), parts=(TextPart(text=text),))
        key = InboxKey(channel="test", account="main", kind="message", key=str(self._asked))
        return (await self.runtime.submit(given, key=key)).run

    async def approve(self, run: RunId, nonce: str) -> None:
        await self.runtime.control(run, Control(id=nonce, kind="approve", by="u1", body={"nonce": nonce}))

    async def pending(self, run: RunId) -> dict[str, Any]:
        async def look() -> dict[str, Any] | None:
            events = [event.content for event in await self.runtime.events(run) if event.type == "approval"]
            return events[0] if events and isinstance(events[0], dict) else None

        return await until(look)

    async def messages(self) -> list[str]:
        def read(session: Session) -> list[str]:
            return list(session.exec(select(MessageRow.path).order_by(MessageRow.n)).all())  # type: ignore[arg-type]

        return await self.runtime.database.read(read)

    def _built(self) -> Runtime:
        settings = EngineSettings(home=self.home, demo_speed=100.0, **self._settings)
        return build_runtime(settings, self.surface, SystemClock(), migrate=migrate)


async def until(look: Callable[[], Awaitable[Any]]) -> Any:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if found := await look():
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("it never came")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    house = House(tmp_path)
    await house.runtime.start()
    yield house
    await house.runtime.stop()


async def test_tools_an_approval_and_an_answer(house: House) -> None:
    run = await house.ask('scan the project and send a note "see you at ten"')
    question = await house.pending(run)
    assert (question["tool"], question["for"]) == ("send_note", "u1")
    workspace = next((house.home / "workspaces").iterdir())
    assert not (workspace / "outbox.txt").exists()
    await house.approve(run, question["id"])
    view = await house.runtime.wait_ended(run, 20)
    assert view.status == "done"
    assert (workspace / "outbox.txt").read_text() == "see you at ten\n"
    assert await house.messages() == ["input", "model/0", "tool/0/0", "model/1", "tool/1/0", "model/2"]
    kinds = [event.type for event in await house.runtime.events(run) if event.visibility != "hidden"]
    assert kinds[:6] == ["thinking", "text", "tool", "text", "approval", "approval"]
    live = [event for event in house.surface.shown if event.status == "in_progress" and event.type == "text"]
    assert (
        "".join(str(event.content) for event in live if event.segment == "model/2")
        in (view.outcome or Outcome(status="done")).answer
    )


async def test_a_restart_while_it_waits_for_a_person(house: House) -> None:
    run = await house.ask('send a note "after the restart"')
    question = await house.pending(run)
    await house.restart()
    await house.approve(run, question["id"])
    view = await house.runtime.wait_ended(run, 20)
    assert view.status == "done"
    workspace = next((house.home / "workspaces").iterdir())
    assert (workspace / "outbox.txt").read_text() == "after the restart\n"


async def test_stop_keeps_what_was_visible_and_the_conversation_goes_on(house: House) -> None:
    run = await house.ask("please answer slowly")

    async def visible() -> bool:
        return any(event.type == "text" for event in house.surface.shown)

    await until(visible)
    await house.runtime.control(run, Control(id="s", kind="stop", by="u1"))
    view = await house.runtime.wait_ended(run, 20)
    assert view.status == "stopped"
    after = await house.ask("hello")
    assert (await house.runtime.wait_ended(after, 20)).status == "done"

    def sessions(session: Session) -> int:
        return len(session.exec(select(SessionRow)).all())

    assert await house.runtime.database.read(sessions) == 1


@pytest.mark.parametrize(("chosen", "told"), [(False, "fail"), (True, "success")])
async def test_a_conversations_folder_has_a_limit_and_a_chosen_one_has_none(
    tmp_path: Path, chosen: bool, told: str
) -> None:
    own = tmp_path / "own" if chosen else None
    house = House(tmp_path / "home", workspace=own, agent=AgentSettings(workspace_max_bytes=5))
    await house.runtime.start()
    try:
        run = await house.ask('send a note "see you at ten"')
        await house.approve(run, (await house.pending(run))["id"])
        assert (await house.runtime.wait_ended(run, 20)).status == "done"
        notes = [event for event in await house.runtime.events(run) if event.type == "tool"]
        assert [event.status for event in notes] == [told]
        assert isinstance(notes[0].content, dict)
        assert ("the workspace is full" in notes[0].content["summary"]) == (not chosen)
    finally:
        await house.runtime.stop()


async def test_a_failed_model_ends_the_run_with_a_code(house: House) -> None:
    run = await house.ask("please fail")
    view = await house.runtime.wait_ended(run, 20)
    assert view.status == "failed"
    errors = [event.content for event in await house.runtime.events(run) if event.type == "error"]
    assert errors == [{"code": "model_unavailable", "params": {"model": "demo"}}]


async def test_a_retry_withdraws_the_failed_attempt(house: House) -> None:
    run = await house.ask("please fail")
    await house.runtime.wait_ended(run, 20)
    key = InboxKey(channel="test", account="main", kind="action", key="retry")
    press = Press(run=run, do="retry", by=Principal(id="u2", name="Bo"))
    again = await house.runtime.press(key, Address("c"), press)
    assert again.run is not None
    await house.runtime.wait_ended(again.run, 20)

    def left(session: Session) -> list[str]:
        return list(session.exec(select(MessageRow.run).where(MessageRow.replaced_by == None)).all())  # noqa: E711

    assert await house.runtime.database.read(left) == [again.run]


async def test_an_outage_in_the_middle_of_a_start_is_told_in_our_words(tmp_path: Path) -> None:
    def cut_off(_database: object) -> None:
        raise exc.OperationalError("SELECT 1", None, Exception("sorry, too many clients already"))

    runtime = build_runtime(EngineSettings(home=tmp_path), Notes(), SystemClock(), migrate=cut_off)
    with pytest.raises(StorageError, match="too many clients"):
        await runtime.start()


async def test_rules_that_break_while_it_runs_turn_it_red_and_hold_as_they_were(tmp_path: Path) -> None:
    own = tmp_path / "permissions.toml"
    own.write_text('[[rules]]\nid = "no_notes"\nverdict = "deny"\ntool = ["send_note"]\nreason = "no notes today"\n')
    house = House(tmp_path, rules_from=(config_folder(), tmp_path))
    await house.runtime.start()
    try:
        assert _permissions(house) == (True, "ok")
        own.write_text("[[rules")
        os.utime(own, (1, 1))
        rules = house.runtime._rules  # type: ignore[attr-defined]
        rules._looked_s -= 5
        assert _permissions(house) == (False, "rules_not_taken")
        run = await house.ask('send a note "see you at ten"')
        assert (await house.runtime.wait_ended(run, 20)).status == "done"
        told = [event.content for event in await house.runtime.events(run) if event.type == "tool"]
        assert "no notes today" in str(told) and not list(house.home.rglob("outbox.txt"))
    finally:
        await house.runtime.stop()


def test_rules_that_cannot_be_read_keep_it_from_starting(tmp_path: Path) -> None:
    (tmp_path / "roles.toml").write_text("[main]\ntols = []\n")
    with pytest.raises(SettingsInvalid, match="did you mean 'tools'"):
        House(tmp_path, rules_from=(config_folder(), tmp_path))


def _permissions(house: House) -> tuple[bool, str]:
    (check,) = [each for each in house.runtime.readiness() if each.name == "permissions"]
    return check.ok, check.code


async def test_consent_goes_on_with_the_work_of_the_run_before(house: House) -> None:
    told: dict[str, Any] = {}
    for words, way in (("hello", "direct"), ("scan the project", "agent"), ("go on", "agent")):
        run = await house.ask(words)
        await house.runtime.wait_ended(run, 20)
        contents = [event.content for event in await house.runtime.events(run)]
        (told,) = [each["params"] for each in contents if isinstance(each, dict) and each.get("code") == "routed"]
        assert (told["way"], told["by"]) == (way, "rules"), words
    assert "goes_on_with_work" in told["reason"]
