from __future__ import annotations

from typing import Any

import pytest

from channels.simulators.feishu.rules import CardRules, CardWrong

RULES = CardRules(lambda key: key == "img_known")
HR = {"tag": "hr"}
SUBMIT = {
    "tag": "button",
    "name": "go",
    "form_action_type": "submit",
    "text": {"tag": "plain_text", "content": "Go"},
    "behaviors": [{"type": "callback", "value": {"a": 1}}],
}
TABLE = {
    "tag": "table",
    "page_size": 5,
    "columns": [{"name": "a", "display_name": "A", "data_type": "text"}],
    "rows": [{"a": "1"}],
}
MD_TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"


def card(*elements: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"schema": "2.0", "body": {"elements": list(elements)}, **more}


def md(content: str, **more: Any) -> dict[str, Any]:
    return {"tag": "markdown", "content": content, **more}


def panel(*elements: dict[str, Any]) -> dict[str, Any]:
    title = {"tag": "plain_text", "content": "Tools"}
    return {"tag": "collapsible_panel", "expanded": False, "header": {"title": title}, "elements": list(elements)}


def form(*elements: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tag": "form", "name": "f", "elements": list(elements), **more}


def nested(levels: int) -> dict[str, Any]:
    element: dict[str, Any] = HR
    for _ in range(levels):
        element = panel(element)
    return element


def refused(tree: dict[str, Any]) -> tuple[int, int]:
    with pytest.raises(CardWrong) as error:
        RULES.check(tree)
    return error.value.code, error.value.sub_code


RIGHT = [
    card(),
    card(md("**hi** ![x](img_known)", element_id="a1", text_align="left", text_size="normal")),
    card(md(MD_TABLE * 4), *[TABLE] * 5),
    card(md("```\n![x](http://x)\n```\nand `![y](http://y)`")),
    card(nested(5)),
    card(form({"tag": "input", "name": "why", "placeholder": {"tag": "plain_text", "content": "Why?"}}, SUBMIT)),
    card({"tag": "column_set", "columns": [{"tag": "column", "width": "weighted", "weight": 1, "elements": [SUBMIT]}]}),
    card(
        {"tag": "div", "text": {"tag": "lark_md", "content": "x"}, "icon": {"tag": "standard_icon", "token": "t"}},
        header={"title": {"tag": "plain_text", "content": "T"}, "template": "blue"},
        config={"update_multi": True, "streaming_mode": True, "summary": {"content": "s"}},
    ),
]


@pytest.mark.parametrize("tree", RIGHT)
def test_right_cards_pass(tree: dict[str, Any]) -> None:
    RULES.check(tree)


WRONG = {
    "empty": ({}, 300307, 200621),
    "old schema": ({"body": {"elements": []}}, 300303, 200621),
    "not shared": (card(config={"update_multi": False}), 300302, 300302),
    "unknown at the root": (card(elements=[]), 200220, 200621),
    "unknown in config": (card(config={"wide_screen_mode": True}), 200220, 200621),
    "unknown property": (card(md("x", colour="red")), 200220, 200621),
    "unknown in a text": (card({"tag": "div", "text": {"tag": "plain_text", "content": "x", "y": 1}}), 200220, 200621),
    "unknown tag": (card({"tag": "blink"}), 200220, 200621),
    "no tag": (card({"content": "x"}), 200220, 200621),
    "action is gone": (card({"tag": "action", "actions": []}), 200220, 200861),
    "note is gone": (card({"tag": "note", "elements": []}), 200220, 200861),
    "gone inside a panel": (card(panel({"tag": "note", "elements": []})), 200220, 200861),
    "id form": (card(md("x", element_id="1a")), 200220, 200621),
    "id too long": (card(md("x", element_id="a" * 21)), 200220, 200621),
    "same id": (card(md("x", element_id="a"), panel(md("y", element_id="a"))), 300301, 300301),
    "six tables": (card(*[TABLE] * 6), 200220, 11310),
    "table in a panel": (card(panel(TABLE)), 200220, 200621),
    "table page": (card({**TABLE, "page_size": 11}), 200220, 200621),
    "five tables in markdown": (card(md(MD_TABLE * 5)), 200220, 11310),
    "form in a panel": (card(panel(form(SUBMIT))), 200220, 200621),
    "form without submit": (card(form({"tag": "input", "name": "a"})), 200220, 200530),
    "field without name": (card(form({"tag": "input"}, SUBMIT)), 200220, 200530),
    "fields of one name": (card(form({"tag": "input", "name": "go"}, SUBMIT)), 200220, 200530),
    "image by address": (card(md("![x](https://example.com/x.png)")), 200570, 200570),
    "unknown image": (card({"tag": "img", "img_key": "img_x"}), 200570, 200570),
    "six levels": (card(nested(6)), 200220, 11310),
    "201 elements": (card(*[HR] * 201), 300305, 11310),
    "too big": (card(md("字" * 10_300)), 200860, 200860),
    "panel without header": (card({"tag": "collapsible_panel", "elements": []}), 200220, 200621),
    "button text": (card({**SUBMIT, "text": {"tag": "plain_text", "content": "x" * 101}}), 200220, 200621),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_cards_are_refused_with_the_platforms_codes(name: str) -> None:
    tree, code, sub_code = WRONG[name]
    assert refused(tree) == (code, sub_code)


def test_texts_inside_elements_count_as_elements() -> None:
    div = {"tag": "div", "text": {"tag": "plain_text", "content": "x"}}
    RULES.check(card(*[div] * 100))
    assert refused(card(*[div] * 101)) == (300305, 11310)
