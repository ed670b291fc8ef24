"""The neutral card as the text of a DingTalk card."""

from __future__ import annotations

from channels.cards.model import Card, CardStatus, Header, Note, Text, TodoItem, Todos
from channels.dingtalk.cards import Face, Pages
from channels.dingtalk.settings import DingtalkSettings
from channels.dingtalk.template import template_of
from channels.events import ConversationRef

FACE = Face(
    template_of(DingtalkSettings(id="main", client_id="ding", client_secret="s", card_template_id="t.schema")),
    ConversationRef("dingtalk", "main", "corp", "group.1"),
    "run",
)


def test_lines_of_a_question_and_of_a_list_stay_lines() -> None:
    asked = Note("ask", "May I run send_note?\ntext=a\nPurpose: it adds a line.", "warning")
    todos = Todos("todo", (TodoItem("1", "read", "success"), TodoItem("2", "write", "pending")))
    card = Card(Header("q", CardStatus.WAITING), (Text("t", "one\ntwo"), asked, todos))
    [page] = Pages().of(card, FACE)
    lead, *lines = page.content.split("\n\n")
    assert lead == "one\ntwo"
    assert lines[:3] == ["May I run send_note?", "text=a", "Purpose: it adds a line."]
    assert [line.split()[-1] for line in lines[3:]] == ["read", "write"]
