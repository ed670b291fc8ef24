"""A question of the agent on the card: what it asks, the buttons and the field to answer it, and what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

from channels.cards.model import Action, ActionName, Form, FormField, Note
from channels.cards.shorten import shorten
from engine.pressed import QUESTION
from gateway.texts import LANGUAGES, Language, text

ANSWER_FIELD = "answer"
"""The name of the field for an answer in own words."""
SHOWN_CHARS = 1_000
Asked = Mapping[str, Any]


def is_question(choice: Asked | None) -> bool:
    """Tell whether a choice is a question of the agent."""
    return choice is not None and choice.get("code") == QUESTION


def question_note(name: str, asked: Asked, language: Language) -> Note:
    """Draw the question with its answers, and how to give another one; later what was answered."""
    state, lines = str(asked.get("state")), [str(asked.get("question") or "")]
    if state != "pending":
        return Note(name, "\n".join([*lines, _outcome(asked, state, language)]), _tone(state))
    options = _options(asked)
    lines += [f"{number}. {option}" for number, option in enumerate(options, 1)]
    takes_words = bool(asked.get("takes_words"))
    key = "reply_number" if options and not takes_words else "reply" if options else "reply_only"
    return Note(name, "\n".join([*lines, text(language, f"question.{key}")]), "warning")


def answer_form(asked: Asked, run: str, name: str, language: Language) -> Form | None:
    """Give the field for an answer in own words, while one is wanted."""
    if not is_question(asked) or asked.get("state") != "pending" or not asked.get("takes_words"):
        return None
    field = FormField(ANSWER_FIELD, text(language, "question.field"), str(asked.get("hint") or ""))
    submit = Action("submit", text(language, "button.submit"), run, str(asked["id"]), str(asked.get("for", "")))
    return Form(name, (field,), submit)


def option_buttons(asked: Asked, run: str) -> Iterator[Action]:
    """Give a button for each answer that is offered."""
    known = get_args(ActionName)
    for number, option in enumerate(_options(asked), 1):
        if (name := f"option_{number}") in known:
            nonce, audience = str(asked["id"]), str(asked.get("for", ""))
            yield Action(cast(ActionName, name), option, run, nonce, audience)


def _options(asked: Asked) -> list[str]:
    return [str(each) for each in cast("list[object]", asked.get("options") or [])]


def _outcome(asked: Asked, state: str, language: Language) -> str:
    if state != "answered":
        key = f"question.{state}"
        return text(language, key if key in LANGUAGES[language] else "question.declined")
    answer, name = shorten(str(asked.get("answer") or ""), SHOWN_CHARS), str(asked.get("name") or "")
    return text(language, "question.answer_by" if name else "question.answer", answer=answer, name=name)


def _tone(state: str) -> Any:
    return "success" if state == "answered" else "warning"
