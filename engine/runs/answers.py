"""Answers to what the agent asks its person: by a button, by the card's field, or by a message in the chat."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sqlmodel import Session

from engine.messages import EnclosedPart, InboxKey, RunId, RunInput
from engine.pressed import QUESTION, Press, PressAction, PressedCode
from engine.runs.controls import control_of, heard, put
from engine.runs.eventlog import EventLog
from engine.storage.statement import Dialect, execute
from engine.tools.ask_user import ANSWER_CHARS, MOST_OPTIONS, chosen
from engine.tools.cut import cut

OPTIONS: tuple[PressAction, ...] = tuple(cast(PressAction, f"option_{place}") for place in range(1, MOST_OPTIONS + 1))
"""The buttons of a question, in the order of its options."""
ANSWERS: frozenset[PressAction] = frozenset((*OPTIONS, "submit"))
_FIRST = """SELECT id, input FROM nm_run WHERE conv = :conv AND status = 'running' ORDER BY seq LIMIT 1"""
_SAID = "SELECT body FROM nm_control WHERE run = :run AND kind = 'choose'"
_TO_RUN = """UPDATE nm_inbox SET route = 'control', reason = 'answer', run = :run
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key"""

Asked = Mapping[str, Any]
"""A question's event as an object."""


class Answers:
    """Decides whether something answers a question, inside the caller's transaction; the first answer stands."""

    def __init__(self, dialect: Dialect, events: EventLog) -> None:
        self._dialect = dialect
        self._events = events

    def by_press(self, session: Session, key: InboxKey, press: Press, asked: Asked, *, now_ms: int) -> PressedCode:
        """Take a press on a button of the question, or a no, which is no answer; the caller holds the run's row."""
        if str(asked.get("for", "")) != press.by.id:
            return "not_yours"
        state = str(asked.get("state"))
        if state == "answered" or self._is_said(session, press.run, str(asked["id"])):
            return "already_answered"
        if state != "pending" or now_ms >= int(asked.get("deadline_ms", 0)):
            return "question_over"
        words = _words_of(press, asked)
        if not words and press.do != "deny":
            return "answer_empty" if press.do == "submit" else "stale"
        if heard(session, self._dialect, press.run) != "accepted":
            return "already_ended"
        control = control_of(key, "choose", press.by, nonce=press.nonce, choice=words)
        put(session, self._dialect, press.run, control, now_ms)
        return "denied" if press.do == "deny" else "answered"

    def by_message(self, session: Session, given: RunInput, key: InboxKey, at_ms: int) -> RunId | None:
        """Take a message for the answer of the run that waits for its writer; `None` where it answers nothing.

        Its inbox row is then what was said to that run, and no turn.
        """
        words = _said(given)
        row = execute(session, _FIRST, conv=given.place_in_line).first() if words else None
        if row is None or RunInput.model_validate_json(row.input).by.id != given.by.id:
            return None
        run = RunId(row.id)
        waiting = self._open(session, run, given.sent_at_ms or at_ms, at_ms)
        found = next(((each, answer) for each in waiting if (answer := _answer(each, words))), None)
        if found is None:
            return None
        asked, answer = found
        # Held from here: of an answer and a press, or of two answers, the second one sees the first.
        if heard(session, self._dialect, run) != "accepted" or self._is_said(session, run, str(asked["id"])):
            return None
        control = control_of(key, "choose", given.by, nonce=str(asked["id"]), choice=answer)
        put(session, self._dialect, run, control, at_ms)
        execute(session, _TO_RUN, run=run, **key.model_dump())
        return run

    def _open(self, session: Session, run: RunId, sent_at_ms: int, now_ms: int) -> Iterator[Asked]:
        """Give the questions that the run (each of its lanes may ask) waits with, the newest first.

        What was sent before one was asked is no answer to it.
        """
        events = [event for event in self._events.of_type(session, run, "choice") if event.at_ms <= sent_at_ms]
        told = {str(each.content.get("id")): each.content for each in events if isinstance(each.content, dict)}
        for each in reversed(told.values()):
            is_over = each.get("state") != "pending" or now_ms >= int(each.get("deadline_ms", 0))
            if each.get("code") == QUESTION and not is_over and not self._is_said(session, run, str(each["id"])):
                yield each

    def _is_said(self, session: Session, run: RunId, nonce: str) -> bool:
        return any(json.loads(row.body).get("nonce") == nonce for row in execute(session, _SAID, run=run).all())


def _words_of(press: Press, asked: Asked) -> str:
    """Give the answer that a button stands for; empty when it stands for none."""
    options = cast("Sequence[object]", asked.get("options") or [])
    if press.do == "deny":
        return ""
    if press.do == "submit":
        return cut(press.words.strip(), ANSWER_CHARS) if asked.get("takes_words") else ""
    place = OPTIONS.index(press.do)
    return str(options[place]) if place < len(options) else ""


def _answer(asked: Asked, words: str) -> str:
    """Give the answer that words are to a question; empty when they are none."""
    options = [str(each) for each in cast("list[object]", asked.get("options") or [])]
    place = chosen(options, words)
    return options[place] if place is not None else words if asked.get("takes_words") else ""


def _said(given: RunInput) -> str:
    """Give the words of a message that may be an answer: files are for a turn of their own."""
    if any(isinstance(part, EnclosedPart) and not part.is_words for part in given.parts):
        return ""
    return cut(given.text.strip(), ANSWER_CHARS)
