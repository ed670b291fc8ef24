"""A question of the agent and a bar of steps, as they are drawn and as each platform shows them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from channels.cards.model import Card, CardStatus, Form, Note, Todos
from channels.cards.text import plain_text
from channels.feishu.cards import render_card as feishu
from channels.slack.cards import render_card as slack
from channels.terminal.cards import CardLines, Look, render_buttons
from tests.unit.gateway.test_presenter import event, presenter

QUESTION = {
    "id": "q1",
    "code": "question",
    "for": "ou_lin",
    "question": "Which city?",
    "options": ["Paris", "Rome"],
    "takes_words": True,
    "hint": "or another one",
    "state": "pending",
}


def asked(**more: Any) -> Card:
    view = presenter()
    view.add(event("choice", QUESTION | more, segment="tool/0/0", status="in_progress"))
    return view.card()


def test_an_open_question_has_a_button_for_each_answer_a_field_and_stop() -> None:
    card = asked()
    assert card.header.status is CardStatus.WAITING
    note, form = card.blocks
    assert isinstance(note, Note) and isinstance(form, Form)
    assert note.text.splitlines() == [
        "Which city?",
        "1. Paris",
        "2. Rome",
        "You can also answer with a message here.",
    ]
    assert [(each.name, each.label, each.nonce, each.audience) for each in card.actions] == [
        ("option_1", "Paris", "q1", "ou_lin"),
        ("option_2", "Rome", "q1", "ou_lin"),
        ("stop", "Stop", "stop", "ou_lin"),
    ]
    assert form.submit.value() == {"do": "submit", "run": "r" * 26, "nonce": "q1", "for": "ou_lin"}
    assert form.fields[0].placeholder == "or another one"


def test_a_question_that_another_lane_asked_before_has_its_buttons_when_the_newer_one_is_answered() -> None:
    view = presenter()
    other = QUESTION | {"id": "q2", "options": ["Yes", "No"]}
    view.add(event("choice", QUESTION, segment="lane/a/tool/0/0", card="A", status="in_progress"))
    view.add(event("choice", other, segment="lane/b/tool/0/0", card="B", status="in_progress"))
    assert [each.nonce for each in view.card().actions] == ["q2", "q2", "stop"]
    view.add(event("choice", other | {"state": "answered"}, segment="lane/b/tool/0/0", card="B", status="success"))
    card = view.card()
    assert card.header.status is CardStatus.WAITING
    assert [each.label for each in card.actions] == ["Paris", "Rome", "Stop"]


def test_where_only_choices_count_there_is_no_field() -> None:
    card = asked(takes_words=False)
    assert [type(block) for block in card.blocks] == [Note]
    assert "the number is enough" in card.blocks[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("answered", "Ann answered: Rome"),
        ("expired", "Nobody answered in time; I go on without it."),
        ("stopped", "Stopped before an answer."),
        ("declined", "No answer was given."),
    ],
)
def test_a_closed_question_says_what_came_of_it_and_the_work_goes_on(state: str, words: str) -> None:
    view = presenter()
    view.add(event("choice", QUESTION, segment="tool/0/0", status="in_progress"))
    closed = QUESTION | {"state": state, "answer": "Rome", "name": "Ann"}
    view.add(event("choice", closed, segment="tool/0/0", status="success" if state == "answered" else "fail"))
    card = view.card()
    assert card.header.status is CardStatus.WORKING
    assert [block.text.splitlines() for block in card.blocks] == [["Which city?", words]]  # type: ignore[union-attr]
    assert [each.name for each in card.actions] == ["stop"]
    view.add(event("done", {"status": "done", "elapsed_ms": 1}))
    assert "retry" in [each.name for each in view.card().actions]


def test_every_platform_shows_the_question_and_a_way_to_answer() -> None:
    card = asked()
    native = json.dumps([page.native() for page in feishu(card)], ensure_ascii=False)
    assert '"tag": "form"' in native and '"name": "answer"' in native and '"option_2"' in native
    blocks = json.dumps([page.blocks for page in slack(card)], ensure_ascii=False)
    assert '"plain_text_input"' in blocks and '"action_id": "answer"' in blocks and "Rome" in blocks
    drawn = "\n".join("".join(span.text for span in row) for row in CardLines().of(card, Look(80)))
    keys = "\n".join("".join(span.text for span in row) for row in render_buttons(card.actions, 80))
    assert "Which city?" in drawn and "[2] Rome" in keys
    assert "2. Rome" in plain_text(card)


def test_a_bar_stays_in_its_place_and_moves() -> None:
    view = presenter()
    items = [{"id": "1", "title": "Build", "status": "success"}, {"id": "2", "title": "Test", "status": "in_progress"}]
    view.add(event("todos", {"items": items, "percent": 50}, segment="progress", status="success", opr="replace"))
    view.add(event("text", "Working.", segment="model/1", status="success"))
    first = view.card()
    items[1]["percent"] = 40  # type: ignore[assignment]
    view.add(event("todos", {"items": items, "percent": 70}, segment="progress", status="success", opr="replace"))
    second = view.card()
    before, after = first.blocks[0], second.blocks[0]
    assert isinstance(before, Todos) and isinstance(after, Todos)
    assert (before.id, before.title, after.title) == (after.id, "▰▰▰▰▰▱▱▱▱▱ 50 %", "▰▰▰▰▰▰▰▱▱▱ 70 %")
    assert [(item.title, item.status) for item in after.items] == [
        ("Build", "success"),
        ("Test · 40 %", "in_progress"),
    ]
    assert len(second.blocks) == 2
    for shown in (
        json.dumps([page.native() for page in feishu(second)], ensure_ascii=False),
        json.dumps([page.blocks for page in slack(second)], ensure_ascii=False),
        plain_text(second),
    ):
        assert "▰▰▰▰▰▰▰▱▱▱ 70 %" in shown and "Test · 40 %" in shown
