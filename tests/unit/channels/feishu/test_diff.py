"""Changes are right when a platform that carries them out shows the new card."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from channels.cards.model import (
    Action,
    Block,
    Card,
    CardStatus,
    Footer,
    Header,
    Lane,
    Note,
    Text,
    TodoItem,
    Todos,
    ToolPanel,
)
from channels.feishu.cards import Page, render_card
from channels.feishu.diff import compare, update_text, with_text

Json = dict[str, Any]


def page(*blocks: Block, footer: str = "f") -> Page:
    card = Card(Header("q", CardStatus.WORKING), blocks, (Action("stop", "Stop", "r", "n"),), Footer(text=footer))
    return render_card(card)[0]


def carried_out(old: Page, actions: list[Json]) -> list[Json]:
    """Do what the platform does with a batch."""
    body: list[Json] = copy.deepcopy(list(old.elements))
    for action in actions:
        params = action["params"]
        match action["action"]:
            case "delete_elements":
                for eid in params["element_ids"]:
                    where, at = place(body, eid)
                    del where[at]
            case "add_elements":
                where, at = place(body, params["target_element_id"])
                at += params["type"] == "insert_after"
                where[at:at] = copy.deepcopy(params["elements"])
            case "update_element":
                where, at = place(body, params["element_id"])
                where[at] = copy.deepcopy(params["element"])
            case "partial_update_element":
                where, at = place(body, params["element_id"])
                where[at] = {**where[at], **params["partial_element"]}
    return body


def place(elements: list[Json], eid: str) -> tuple[list[Json], int]:
    for at, element in enumerate(elements):
        if element.get("element_id") == eid:
            return elements, at
        if isinstance(element.get("elements"), list):
            try:
                return place(element["elements"], eid)
            except LookupError:
                continue
    raise LookupError(eid)


words = st.text(alphabet="ab <", min_size=1, max_size=8)
names = st.sampled_from(["a", "b", "c", "d", "e"])
status = st.sampled_from(["in_progress", "success"])
plain = st.one_of(
    st.builds(Text, names, words, st.booleans()),
    st.builds(Note, names, words),
    st.builds(ToolPanel, names, st.just("bash"), words, status, words),
    st.builds(Todos, names, st.tuples(st.builds(TodoItem, names, words))),
)


def unique(blocks: list[Any]) -> tuple[Any, ...]:
    return tuple({block.id: block for block in blocks}.values())


lanes = st.builds(Lane, st.sampled_from(["l1", "l2"]), words, status, st.lists(plain, max_size=3).map(unique))
cards = st.lists(st.one_of(plain, lanes), max_size=5).map(unique)


@given(cards, cards)
def test_carrying_out_the_changes_gives_the_new_card(before, after):
    old, new = page(*before), page(*after)
    changes = compare(old, new)
    if not changes.whole:
        actions = [*changes.actions, *(update_text(text) for text in changes.texts)]
        assert carried_out(old, actions) == list(new.elements)
    assert bool(changes) == (old.elements != new.elements)


def test_growth_is_told_from_rewriting():
    changes = compare(page(Text("a", "one")), page(Text("a", "one two")))
    (text,) = changes.texts
    assert (text.is_growth, changes.actions, changes.whole) == (True, [], False)
    assert not compare(page(Text("a", "one")), page(Text("a", "two"))).texts[0].is_growth


def test_another_header_or_no_common_element_needs_the_whole_card():
    other = Card(Header("q", CardStatus.DONE), (), (Action("stop", "Stop", "r", "n"),), Footer(text="f"))
    assert compare(page(), render_card(other)[0]).whole
    assert compare(page(Text("a", "x")), page(Text("a", "x"))).whole is False


def test_changing_a_text_leaves_other_parts_the_same_objects():
    old = page(ToolPanel("tool", "bash", "x", "success", "y"), Text("a", "one"))
    new = with_text(old, "b_a", "one two")
    assert new.elements[0] is old.elements[0]
    assert new.elements[1]["content"] == "one two"
