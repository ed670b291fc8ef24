from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlmodel import Session

from engine.messages import Address, AssistantMessage, Message, Principal, RunId, RunInput, SessionId, TextPart
from engine.messages import UserMessage as User
from engine.sessions import store
from engine.sessions.attempts import append_question, question_of
from engine.testing.database import MemoryDatabase

S1, S2 = SessionId("s1"), SessionId("s2")


@pytest.fixture
def database() -> Iterator[MemoryDatabase]:
    database = MemoryDatabase()
    yield database
    database.close()


def asked(text: str, *, task: str | None = None, sent_at_ms: int = 1, by: str = "ann") -> RunInput:
    return RunInput(
        to=Address("c"),
        by=Principal(id=by, name=by),
        parts=(TextPart(text=text),),
        sent_at_ms=sent_at_ms,
        task=task,
        attempt_index=1 if task is None else 2,
    )


async def answer(database: MemoryDatabase, run: str, given: RunInput, said: str, session_id: SessionId = S1) -> None:
    """Let a run ask and answer."""

    def write(session: Session) -> None:
        store.begin_session(session, "c", id=session_id, now_ms=0)
        words = User(parts=given.parts, name=given.by.name)
        question = question_of(RunId(run), given)
        append_question(session, session_id, words, run=RunId(run), question=question, now_ms=1)
        store.append(session, session_id, AssistantMessage(text=said), run=run, path="model/0", now_ms=2)

    await database.run(write)


async def read(database: MemoryDatabase, session_id: SessionId = S1) -> list[str]:
    messages: list[Message] = await database.run(lambda s: store.history(s, session_id, upto=99, limit=99))
    return [message.text for message in messages]


async def test_a_retry_takes_the_place_of_the_attempt_before(database: MemoryDatabase) -> None:
    await answer(database, "r1", asked("q"), "half an ans")
    await answer(database, "r2", asked("q", task="r1", by="bob"), "also half")
    await answer(database, "r3", asked("q", task="r1"), "whole")
    assert await read(database) == ["q", "whole"]


async def test_what_came_between_stays(database: MemoryDatabase) -> None:
    await answer(database, "r1", asked("q"), "bad")
    await answer(database, "r2", asked("q", sent_at_ms=2), "other")
    await answer(database, "r3", asked("q", task="r1"), "good")
    assert await read(database) == ["q", "other", "q", "good"]


async def test_a_revision_reads_what_it_revises(database: MemoryDatabase) -> None:
    revise = "Please revise your last answer."
    await answer(database, "r1", asked("q"), "one")
    await answer(database, "r2", asked(revise, task="r1", sent_at_ms=5), "two")
    await answer(database, "r3", asked(revise, task="r1", sent_at_ms=9), "three")
    assert await read(database) == ["q", "one", revise, "two", revise, "three"]
    await answer(database, "r4", asked(revise, task="r1", sent_at_ms=9), "three again")
    assert await read(database) == ["q", "one", revise, "two", revise, "three again"]


async def test_another_session_keeps_its_own_attempt(database: MemoryDatabase) -> None:
    await answer(database, "r1", asked("q"), "one")
    await answer(database, "r2", asked("q", task="r1"), "two", S2)
    assert await read(database) == ["q", "one"]
    assert await read(database, S2) == ["q", "two"]


async def test_the_same_run_twice_withdraws_nothing(database: MemoryDatabase) -> None:
    await answer(database, "r1", asked("q"), "one")
    await answer(database, "r1", asked("q"), "one")
    assert await read(database) == ["q", "one"]
