"""A session that begins under an answer of another conversation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlmodel import Session

from engine.messages import Address, AssistantMessage, RunId, TextPart, UserMessage
from engine.sessions.attempts import append_question
from engine.sessions.branch import branch_of, grow
from engine.sessions.store import append, begin_session, close_conversation, history, new_session_id
from engine.storage.database import Database
from tests.contract.conftest import Place

CHAT, THREAD = Address("slack:main:T:D"), Address("slack:main:T:D:1.0")


@pytest.fixture
def session(place: Place) -> Iterator[Session]:
    database = Database(place.url, place.home)
    with Session(database.engine) as opened:
        yield opened
    database.close()


def said(session: Session, where: str, run: str, question: str, answer: str, task: str = "") -> None:
    words = UserMessage(parts=(TextPart(text=question),))
    append_question(session, where, words, run=RunId(run), question=f"{task or run}:1", now_ms=1)  # type: ignore[arg-type]
    append(session, where, AssistantMessage(text=answer), run=run, path="say", now_ms=1)  # type: ignore[arg-type]


def texts(session: Session, id: str) -> list[str]:
    return [each.text for each in history(session, id, upto=99, limit=60)]  # type: ignore[arg-type,union-attr]


def test_it_has_what_was_said_up_to_the_answer_and_goes_its_own_way(session: Session) -> None:
    stem, own = new_session_id(1), new_session_id(2)
    begin_session(session, CHAT, id=stem, now_ms=1)
    for run in ("r1", "r2", "r3"):
        said(session, stem, run, f"ask {run}", f"answer {run}")
    branch = branch_of(session, THREAD, "r2")
    assert branch is not None and (branch.session, branch.upto) == (stem, 4)
    said(session, stem, "r6", "ask r3", "again", task="r3")
    again = branch_of(session, THREAD, "r3")
    assert again is not None and again.upto == 8, "with what a further attempt said"
    begin_session(session, THREAD, id=own, now_ms=2)
    for _ in range(2):
        grow(session, branch, into=own, most=3)
    said(session, own, "r4", "ask r4", "answer r4")
    assert texts(session, own) == ["ask r2", "answer r2", "ask r4", "answer r4"], "the newest, and once"
    assert texts(session, stem)[-1] == "again" and "ask r4" not in texts(session, stem)
    said(session, own, "r5", "ask r4", "better", task="r4")
    assert texts(session, own) == ["ask r2", "answer r2", "ask r4", "better"], (
        "a further attempt withdraws only its own"
    )


def test_who_began_anew_there_does_not_get_it_back(session: Session) -> None:
    stem = new_session_id(1)
    begin_session(session, CHAT, id=stem, now_ms=1)
    said(session, stem, "r1", "ask", "answer")
    assert branch_of(session, CHAT, "r1") is None, "the conversation itself follows nothing"
    assert branch_of(session, THREAD, "unknown") is None and branch_of(session, THREAD, None) is None
    begin_session(session, THREAD, id=new_session_id(2), now_ms=2)
    close_conversation(session, THREAD)
    assert branch_of(session, THREAD, "r1") is None
