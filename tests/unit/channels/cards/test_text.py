"""A card as plain text."""

from __future__ import annotations

from channels.cards.model import (
    Action,
    Card,
    CardStatus,
    Footer,
    Form,
    FormField,
    Header,
    Image,
    Lane,
    Note,
    Table,
    Text,
    Thinking,
    TodoItem,
    Todos,
    ToolPanel,
)
from channels.cards.text import plain_messages, plain_text


def test_a_whole_card_reads_in_order() -> None:
    submit = Action("submit", "Send", "run1", "n")
    card = Card(
        Header("question", CardStatus.FAILED),
        (
            Thinking("th", "secret thoughts"),
            Todos("td", (TodoItem("1", "look", "success"), TodoItem("2", "write"))),
            ToolPanel("p1", "tool", "ls", "success", "a long listing"),
            ToolPanel("p2", "bash", "make", "fail", "error: ```no```"),
            Lane("l", "lane one", "success", (Text("lt", "in the lane"),)),
            Text("t", "the **answer**\n"),
            Table("tb", ("a", "b"), (("1", "x|y"),)),
            Image("i", "key", "a chart"),
            Note("n", "it failed", "error"),
            Form("f", (FormField("name", "Name"),), submit),
        ),
        footer=Footer(text="3 s"),
    )
    assert plain_text(card) == (
        "✓ look\n○ write\n\n✓ ls\n\n✗ 💻 make\n````\nerror: ```no```\n````\n\n✓ lane one\n\nin the lane\n\n"
        "the **answer**\n\n| a | b |\n| --- | --- |\n| 1 | x\\|y |\n\n[a chart]\n\nit failed\n\nName: ____\n\n3 s"
    )


def test_an_empty_card_still_says_something() -> None:
    assert plain_text(Card(Header("question", CardStatus.DONE))) == "question"


def test_long_texts_become_several_messages() -> None:
    text = "字句。" * 4000
    messages = plain_messages(Card(Header("q", CardStatus.DONE), (Text("t", text),)), max_bytes=4000)
    assert all(len(message.encode()) <= 4000 for message in messages)
    assert "".join(messages) == text


def test_images_by_web_address_are_links_in_messages() -> None:
    card = Card(Header("q", CardStatus.DONE), (Text("t", "![c](https://e.example/c.png)"),))
    assert plain_messages(card, max_bytes=1000) == ["[c](https://e.example/c.png)"]
