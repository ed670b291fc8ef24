from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlmodel import Session

from engine.messages import AssistantMessage, Message, SessionId, TextPart, ToolCall, ToolMessage, UserMessage
from engine.sessions import store
from engine.sessions.history import INTERRUPTED, valid
from engine.testing.database import MemoryDatabase
from engine.testing.scripted import check_history

HOUR = 3_600_000
S1 = SessionId("s1")
S2 = SessionId("s2")


@pytest.fixture
def database() -> Iterator[MemoryDatabase]:
    database = MemoryDatabase()
    yield database
    database.close()


def user(text: str) -> UserMessage:
    return UserMessage(parts=(TextPart(text=text),))


def calling(*ids: str, text: str = "") -> AssistantMessage:
    return AssistantMessage(text=text, calls=tuple(ToolCall(id=id, name="t") for id in ids))


def result(id: str, text: str = "r") -> ToolMessage:
    return ToolMessage(call_id=id, name="t", text=text)


def put(session: Session, *messages: Message, run: str = "r1", begin: bool = True) -> None:
    if begin:
        store.begin_session(session, "c", id=S1, now_ms=0)
    for place, message in enumerate(messages):
        store.append(session, S1, message, run=run, path=f"p{place}", now_ms=place)


async def test_messages_come_back_in_order(database: MemoryDatabase) -> None:
    messages: list[Message] = [
        user("q 😀"),
        calling("a", text="look"),
        result("a"),
        AssistantMessage(text="done", reasoning="hm"),
    ]
    await database.run(lambda session: put(session, *messages))
    read: list[Message] = await database.run(lambda session: store.history(session, S1, upto=99, limit=99))
    assert read == messages


async def test_the_same_step_is_one_message(database: MemoryDatabase) -> None:
    await database.run(lambda session: put(session, user("one")))
    await database.run(lambda session: put(session, user("one"), begin=False))
    assert await database.run(lambda session: store.last_place(session, S1)) == 1


async def test_a_session_lasts_until_it_was_idle(database: MemoryDatabase) -> None:
    def current(now_ms: int) -> Any:
        def look(session: Session) -> str | None:
            row = store.current_session(session, "c", now_ms=now_ms, idle_hours=12)
            return None if row is None else row.id

        return look

    assert await database.run(current(0)) is None
    await database.run(lambda session: store.begin_session(session, "c", id=S1, now_ms=0) and None)
    await database.run(lambda session: store.append(session, S1, user("q"), run="r", path="p", now_ms=6 * HOUR))
    assert await database.run(current(18 * HOUR)) == "s1"
    assert await database.run(current(18 * HOUR + 1)) is None
    await database.run(lambda session: store.begin_session(session, "c", id=S2, now_ms=19 * HOUR) and None)
    assert await database.run(current(19 * HOUR)) == "s2"
    states = await database.run(lambda session: [(row.id, row.state) for row in store.sessions_of(session, "c")])
    assert states == [("s2", "active"), ("s1", "archived")]


async def test_new_ends_the_session_and_keeps_it(database: MemoryDatabase) -> None:
    await database.run(lambda session: put(session, user("q")))
    assert await database.run(lambda session: store.close_conversation(session, "c")) == 1
    assert await database.run(lambda session: store.close_conversation(session, "c")) == 0
    assert await database.run(lambda session: store.current_session(session, "c", now_ms=1, idle_hours=12)) is None
    assert len(await database.run(lambda session: store.history(session, S1, upto=9, limit=9))) == 1


async def test_beginning_twice_is_beginning_once(database: MemoryDatabase) -> None:
    for now_ms in (0, 5):
        await database.run(lambda session, at=now_ms: store.begin_session(session, "c", id=S1, now_ms=at) and None)
    created = await database.run(lambda session: [row.created_at for row in store.sessions_of(session, "c")])
    assert created == [0]


async def test_empty_answers_are_not_stored(database: MemoryDatabase) -> None:
    await database.run(lambda session: put(session, user("q"), AssistantMessage(), user("again")))
    assert await database.run(lambda session: store.last_place(session, S1)) == 2


async def test_a_session_can_be_renamed(database: MemoryDatabase) -> None:
    await database.run(lambda session: put(session, user("q")))
    await database.run(lambda session: store.rename(session, S1, "家"))
    names = await database.run(lambda session: [row.name for row in store.sessions_of(session, "c")])
    assert names == ["家"]


@pytest.mark.parametrize("limit", range(1, 9))
async def test_a_bounded_history_is_always_valid(database: MemoryDatabase, limit: int) -> None:
    messages: list[Message] = [
        user("one"),
        calling("call_0", "call_1"),
        result("call_1", "second"),
        result("call_0", "first"),
        calling("call_0"),
        user("two"),
        calling("call_0"),
        result("call_0", "late"),
    ]
    await database.run(lambda session: put(session, *messages))
    read: list[Message] = await database.run(lambda session: store.history(session, S1, upto=99, limit=limit))
    check_history(read)
    assert len([message for message in read if not isinstance(message, ToolMessage)]) <= limit


def test_missing_results_are_filled_and_orphans_left_out() -> None:
    messages: list[Message] = [
        result("x"),
        user("q"),
        calling("a", "b"),
        result("b", "late"),
        result("z"),
        user("go on"),
    ]
    assert valid(messages) == [
        user("q"),
        calling("a", "b"),
        result("a", INTERRUPTED),
        result("b", "late"),
        user("go on"),
    ]


def test_results_belong_to_their_own_answer_when_ids_repeat() -> None:
    messages: list[Message] = [
        user("q"),
        calling("call_0"),
        result("call_0", "1"),
        calling("call_0"),
        result("call_0", "2"),
    ]
    assert valid(messages) == messages
    assert valid(messages[:4])[-1] == result("call_0", INTERRUPTED)
