"""The two dialects: of a card's text and of a robot's message."""

from __future__ import annotations

import pytest

from channels.cards.markdown import Rewriting
from channels.dingtalk.markdown import CardDialect, to_card, to_message, with_rules

TABLE = "|Name|Age|\n|---|---|\n|Lin|30|\n|Chen|41|\n"


def test_f20_tables_stay_tables_on_a_card_with_a_blank_beside_each_bar() -> None:
    assert to_card(TABLE) == "| Name | Age |\n| --- | --- |\n| Lin | 30 |\n| Chen | 41 |\n"


def test_f20_tables_become_lines_in_a_message() -> None:
    assert to_message(f"Two people:\n\n{TABLE}\nThat is all.").split("\n")[-4:] == [
        "- Name: Lin; Age: 30",
        "- Name: Chen; Age: 41",
        "",
        "That is all.",
    ]


def test_code_stays_code_on_a_card_and_is_quoted_in_a_message() -> None:
    code = "```python\nx = 1\ny = 2\n```\n"
    assert to_card(code) == code
    assert to_message(code) == "> x = 1  \n> y = 2  "


def test_lines_of_a_message_end_hard() -> None:
    assert to_message("one\ntwo") == "one  \ntwo"


@pytest.mark.parametrize("rule", ["---", "- - -", "___"])
def test_a_rule_is_written_as_the_platform_knows_it(rule: str) -> None:
    assert to_card(f"a\n\n{rule}\n\nb") == "a\n\n***\n\nb"


@pytest.mark.parametrize(
    "target", ["file:///etc", "dtmd://dingtalkclient/sendMessage?content=x", "javascript:alert(1)"]
)
def test_only_links_of_the_web_are_links_r14(target: str) -> None:
    for dialect in (to_card, to_message):
        assert dialect("look [here](https://a.b/c) please") == "look [here](https://a.b/c) please"
        assert dialect(f"look [here]({target}) please") == f"look [\u200bhere]\u200b({target}) please"


def test_f21_pictures_by_web_address_become_links() -> None:
    assert to_card("a ![chart](https://img.example.com/a.png) b") == "a [chart](https://img.example.com/a.png) b"


def test_f24_a_tag_of_the_models_names_nobody_and_colours_nothing() -> None:
    for tag in ("<a atId=0147lin>", "<font colorTokenV2=common_red1_color>"):
        for dialect in (to_card, to_message):
            assert tag not in dialect(f"hello {tag}you")


def test_words_in_brackets_are_no_picture_of_the_client() -> None:
    assert "[smile]" not in to_card("I said [smile] and left")
    assert "smile" in to_card("I said [smile] and left")


def test_a_task_is_a_sign() -> None:
    assert to_card("- [x] done\n- [ ] open") == "- ✓ done\n- ○ open"


def test_a_message_has_no_struck_words() -> None:
    assert to_message("~~old~~ new") == "old new"


def test_a_bracket_that_begins_no_task_is_there() -> None:
    for text in ("- [`x`] y", "- [", "- [foo] bar", "1. [a](https://b.c)"):
        assert "[" in to_card(text), text


def test_what_was_shown_of_a_growing_text_is_never_rewritten() -> None:
    text = (
        f"# A\n\n- [x] one [b] two\n- [ ] `c`\n\n{TABLE}\n```py\nx[1]\n```\n\n---\n\n[l](https://x.y) <b>~~z~~ **k**\n"
    )
    whole, growing = to_card(text), Rewriting(CardDialect())
    assert "***" in whole and growing.of("", growing=True) == ""
    for end in range(len(text)):
        assert whole.startswith(growing.of(with_rules(text[:end], growing=True), growing=True)), text[:end]


def test_a_rule_inside_code_is_code() -> None:
    code = "```yaml\n---\na: 1\n```\n"
    assert to_card(code) == code
