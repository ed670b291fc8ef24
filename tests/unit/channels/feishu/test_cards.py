from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from channels.cards.model import (
    Action,
    Block,
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
from channels.feishu.cards import CARD_BYTES, CARD_OBJECTS, Budget, Page, render_card
from channels.feishu.elements import element_id, piece_of
from channels.simulators.feishu.rules import CardRules

STOP = Action("stop", "Stop", "run", "n")


def card(*blocks: Block, status: CardStatus = CardStatus.WORKING, actions: tuple[Action, ...] = (STOP,)) -> Card:
    return Card(Header("question", status, "working"), blocks, actions, Footer(text="1.2 s"), "summary")


def accepted(pages: list[Page]) -> list[Page]:
    """Let the simulator's rules judge the cards, and our own tighter ones."""
    rules = CardRules(lambda key: key.startswith("img_"))
    for page in pages:
        native = json.loads(json.dumps(page.native()))
        rules.check(native)
        assert len(json.dumps(native, ensure_ascii=False, separators=(",", ":")).encode()) <= CARD_BYTES
        assert piece_of(native).objects <= CARD_OBJECTS
    return pages


def texts(node: Any) -> str:
    if isinstance(node, dict):
        own = [node["content"]] if isinstance(node.get("content"), str) else []
        return "\n".join([*own, *(texts(value) for key, value in node.items() if key != "content")])
    return "\n".join(map(texts, node)) if isinstance(node, list) else str(node)


EVERYTHING: tuple[Block, ...] = (
    Thinking("think", "hm <b>", streaming=True),
    Todos("todos", (TodoItem("1", "first *one*", "success"), TodoItem("2", "second"))),
    ToolPanel("tool", "bash", "ls -la", "in_progress"),
    ToolPanel("diff", "edit_file", "a.py", "success", "-a\n+b", "diff"),
    Text("answer", "# Title\n\nbody"),
    Lane("lane/B", "Team B", "in_progress", (Text("x", "part"), Table("t", ("a|b",), (("1|2",),)), Note("n", "!"))),
    Table("table", ("name", "value"), (("a", "1"), ("b", "2"))),
    Image("pic", "img_v3", "chart"),
    Note("note", "careful <now>", "error"),
    Form("form", (FormField("why", "Why?", "because", required=True),), Action("submit", "Send", "run", "n")),
)


def test_every_block_is_taken_by_the_platform_and_keeps_its_words():
    (page,) = accepted(render_card(card(*EVERYTHING)))
    shown = texts(page.native())
    for word in (
        "question",
        "first &#42;one&#42;",
        "ls -la",
        "-a\n+b",
        "# Title",
        "Team B",
        "part",
        "careful &#60;now&#62;",
    ):
        assert word in shown
    assert page.config()["streaming_mode"] is True


@pytest.mark.parametrize("status", list(CardStatus))
def test_only_a_card_that_works_streams(status):
    (page,) = accepted(render_card(card(Text("a", "x"), status=status)))
    assert page.streaming == (status in (CardStatus.QUEUED, CardStatus.WORKING))
    assert ("streaming_config" in page.config()) == page.streaming


def test_a_card_without_anything_still_has_a_body():
    (page,) = accepted(render_card(Card(Header("", CardStatus.QUEUED))))
    assert page.elements


def test_ids_are_stable_short_and_apart():
    names = ["text1a2b3c4d", "a", "a_1", "lane/B/model/3", "模型", "x" * 40, "1a"]
    ids = [element_id(name) for name in names]
    assert len(set(ids)) == len(ids)
    assert all(len(eid) <= 16 and eid[0].isalpha() and eid.replace("_", "").isalnum() and eid.isascii() for eid in ids)
    assert ids == [element_id(name) for name in names]


def test_three_lanes_of_twenty_todos_fit():
    lanes = [
        Lane(
            f"lane{n}",
            f"Team {n}",
            "in_progress",
            (Todos("todos", tuple(TodoItem(str(i), f"step {i}") for i in range(20))),),
        )
        for n in range(3)
    ]
    (page,) = accepted(render_card(card(*lanes)))
    assert texts(page.native()).count("step 19") == 3


@pytest.mark.parametrize("letters", ["word ", "汉字"])
def test_long_answers_go_on_in_further_cards_and_the_buttons_are_on_the_last(letters):
    whole = "\n\n".join(f"paragraph {n}: " + letters * 50 for n in range(200))
    pages = accepted(render_card(card(Text("answer", whole, streaming=True))))
    assert len(pages) > 1
    assert [page.streaming for page in pages] == [False] * (len(pages) - 1) + [True]
    assert [any(e.get("element_id") == "actions" for e in page.elements) for page in pages][-2:] == [False, True]
    shown = "".join("".join(texts(page.native()).split()) for page in pages)
    assert all("".join(part.split()) in shown for part in whole.split("\n\n"))


def test_what_is_shown_stays_in_its_card_while_the_text_grows():
    whole = "\n\n".join(f"paragraph {n}: " + "汉字" * 50 for n in range(200))
    last: list[Page] = []
    for end in range(1000, len(whole), 2500):
        pages = render_card(card(Text("answer", whole[:end], streaming=True)))
        for before, now in zip(last[:-1], pages, strict=False):
            assert before.elements == now.elements
        last = pages


def test_many_tool_panels_roll_over_by_their_count():
    panels = [ToolPanel(f"tool{n}", "bash", f"command {n}", "success", "ok") for n in range(60)]
    pages = accepted(render_card(card(*panels)))
    assert len(pages) == 3
    assert sum(len(page.elements) for page in pages) == 60 + 2


def test_tables_beyond_five_stay_readable():
    tables = [Table(f"t{n}", ("k", "v"), ((f"key{n}", f"value{n}"),)) for n in range(8)]
    (page,) = accepted(render_card(card(*tables)))
    shown = texts(page.native())
    assert all(f"key{n}" in shown and f"value{n}" in shown for n in range(8))


def test_a_table_of_a_thousand_rows_is_divided():
    big = Table("big", ("k", "v"), tuple((f"key{n}", "v" * 100) for n in range(1000)))
    shown = "".join(texts(page.native()) for page in accepted(render_card(card(big))))
    assert all(f"key{n}" in shown for n in range(1000))


def test_a_smaller_budget_makes_more_cards():
    one = card(Text("answer", "word " * 4000))
    assert len(render_card(one, Budget().smaller().smaller())) > len(render_card(one))


def test_a_huge_tool_output_and_thought_are_shortened():
    noisy = card(ToolPanel("t", "bash", "x", "success", "y" * 100_000, "terminal"), Thinking("h", "z" * 100_000))
    (page,) = accepted(render_card(noisy))
    assert "…" in texts(page.native())


def test_a_second_snapshot_of_the_same_card_gives_the_same_objects():
    first, second = render_card(card(*EVERYTHING)), render_card(replace(card(*EVERYTHING)))
    assert first == second
