"""Messages of blocks stay within the platform's limits and lose nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from channels.cards.model import (
    Action,
    Card,
    CardStatus,
    Footer,
    Header,
    Lane,
    Note,
    Table,
    Text,
    Thinking,
    TodoItem,
    Todos,
    ToolPanel,
)
from channels.slack.cards import MESSAGE_BLOCKS, MESSAGE_BYTES, render_card
from channels.slack.draft import Draft, Drafting
from channels.slack.growth import grid
from channels.slack.manifest import manifest, manifest_text

DONE = CardStatus.DONE


def size(blocks: object) -> int:
    return len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize("word", ["word ", "字", "👩‍👩‍👧‍👦", "<&>"])
def test_f26_long_texts_fit_and_are_whole(word: str) -> None:
    text = "\n\n".join(word * 40 for _ in range(200))
    pages = render_card(Card(Header("q", DONE), (Text("t", text),), (Action("retry", "Again", "r", "n"),)))
    for page in pages:
        assert size(page.blocks) <= MESSAGE_BYTES and len(page.blocks) <= MESSAGE_BLOCKS
        assert sum(len(block["text"]) for block in page.blocks if block["type"] == "markdown") <= 12_000
    shown = "".join(block["text"] for page in pages for block in page.blocks if block["type"] == "markdown")
    assert "".join(shown.split()) == "".join(text.split())


def test_f23_code_that_is_cut_stays_code() -> None:
    code = "\n".join(f"value_{n} = compute({n})" for n in range(500))
    pages = render_card(Card(Header("q", DONE), (Text("t", f"see\n\n```python\n{code}\n```\nend"),)))
    parts = [block["text"] for page in pages for block in page.blocks if block["type"] == "markdown"]
    assert len(parts) > 2 and all(part.count("```") % 2 == 0 for part in parts)
    lines = [line for part in parts for line in part.split("\n") if line.startswith("value_")]
    assert "\n".join(lines) == code


def test_only_the_last_message_tells_the_end() -> None:
    text = "\n\n".join("a sentence of words " * 20 for _ in range(60))
    card = Card(
        Header("q", DONE, "[done]"), (Text("t", text),), (Action("retry", "Again", "r", "n"),), Footer(text="2 s")
    )
    pages = [json.dumps(page.blocks) for page in render_card(card)]
    assert len(pages) > 1
    assert ["[done]" in page for page in pages] == [False] * (len(pages) - 1) + [True]
    assert [("Again" in page, "2 s" in page) for page in pages[:-1]] == [(False, False)] * (len(pages) - 1)


def test_f20_one_table_a_message_the_others_are_code() -> None:
    table = "| a | b |\n|---|---|\n| 1 | <x> |\n"
    (page,) = render_card(
        Card(Header("q", DONE), (Text("t", f"{table}\nand\n\n{table}"), Table("x", ("c",), (("3",),))))
    )
    kinds = [block["type"] for block in page.blocks]
    assert kinds.count("table") == 1
    assert sum("a | b" in json.dumps(block) for block in page.blocks) == 1
    assert "&lt;x&gt;" in json.dumps(page.blocks)


def test_equal_parts_are_all_shown() -> None:
    part = "the same words again and again. " * 80 + "\n\n"
    pages = render_card(Card(Header("q", DONE), (Text("t", part * 6),)))
    shown = "".join(block["text"] for page in pages for block in page.blocks if block["type"] == "markdown")
    assert shown.count("the same words") == 480


def test_the_largest_team_fits() -> None:
    items = tuple(TodoItem(f"i{n}", f"Todo {n}: " + "x" * 80) for n in range(20))
    lanes = tuple(
        Lane(f"l{n}", f"Lane {n}", "in_progress", (Todos(f"t{n}", items), Text("a", "text"))) for n in range(3)
    )
    pages = render_card(Card(Header("team", CardStatus.WORKING), lanes))
    assert all(size(page.blocks) <= MESSAGE_BYTES for page in pages) and len(pages) <= 2


def test_f48_thinking_is_one_line() -> None:
    card = Card(Header("q", CardStatus.WORKING), (Thinking("t", "deep " * 500, True),), labels={"thinking": "Thinking"})
    (page,) = render_card(card)
    assert len(json.dumps(page.blocks[2])) < 500


def test_a_button_that_nobody_may_press_is_not_there() -> None:
    actions = (Action("approve", "Yes", "r", "n", enabled=False), Action("deny", "No", "r", "n", style="danger"))
    (page,) = render_card(Card(Header("q", CardStatus.WAITING), (), actions), thread="17.5")
    (row,) = [block for block in page.blocks if block["type"] == "actions"]
    (button,) = row["elements"]
    assert button["style"] == "danger" and json.loads(button["value"])["at"] == "17.5"


def test_a_draft_only_grows() -> None:
    drafting, shown = Drafting(), Draft()
    text = "Some **bold** text\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = '<!here>'\n```\n<@U1> end"
    for end in range(len(text) + 1):
        draft = drafting.of(Card(Header("q", CardStatus.WORKING), (Text("t", text[:end], True),)))
        assert draft is not None and draft.follows(shown), (shown, draft)
        shown = draft.after(shown)
    assert shown.spent_bytes >= len(shown.text.encode())
    assert drafting.of(Card(Header("q", CardStatus.WAITING))) is None
    assert drafting.of(Card(Header("q", DONE))) is None


def test_the_manifest_has_the_command_and_socket_mode() -> None:
    told = manifest(name="helper", command="/ask")
    assert told["features"]["slash_commands"][0]["command"] == "/ask"
    assert told["settings"]["socket_mode_enabled"] and told["features"]["app_home"]["messages_tab_enabled"]
    assert json.loads(manifest_text(command="/Ask-me")) == manifest(command="/ask-me")
    for wrong in ("ask", "/", "/two words"):
        with pytest.raises(ValueError, match="a slash and a word"):
            manifest_text(command=wrong)


_MOST = {"header": 150, "section": 3000, "context": 3000, "button": 75}


def _texts(block: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Give the text objects of a block, each with what the platform takes there."""
    if isinstance(block.get("text"), dict):
        yield _MOST[block["type"]], block["text"]["text"]
    for inner in block.get("elements", ()):
        yield from ((_MOST[block["type"]], inner["text"]),) if isinstance(inner["text"], str) else _texts(inner)


@pytest.mark.parametrize("words", ["👨‍👩‍👧‍👦" * 200, "<@U0LIN><!here>" * 200, "क्षत्रिय" * 200, "<&>" * 900])
def test_f26_what_is_one_character_to_a_reader_is_many_to_the_platform(words: str) -> None:
    blocks = (
        Note("n", words * 4),
        Todos("t", tuple(TodoItem(str(at), words) for at in range(30))),
        ToolPanel("p", "shell", words, "fail", words * 3),
        Lane("l", words, "success", (Note("m", words),)),
    )
    pages = render_card(
        Card(Header(words, DONE, words), blocks, (Action("retry", words, "r", "n"),), Footer(text=words))
    )
    for most, text in (found for page in pages for block in page.blocks for found in _texts(block)):
        assert 0 < len(text) <= most, (most, len(text), text[:40])
        assert "<@U" not in text and "<!here" not in text


def test_f26_a_cell_too_long_for_a_line_is_cut_between_characters() -> None:
    family = "👨‍👩‍👧‍👦"
    parts = [block["text"]["text"].strip("`") for block in grid(("a",), ((family * 400,),))]
    parts[0] = parts[0].removeprefix("a\n")
    assert len(parts) > 1
    lines = [line for part in parts for line in part.split("\n")]
    assert all(line.replace(family, "") == "" for line in lines) and "".join(lines) == family * 400
