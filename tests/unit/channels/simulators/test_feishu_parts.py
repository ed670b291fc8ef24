from __future__ import annotations

import asyncio

import pytest

from channels.simulators.clock import MovableClock
from channels.simulators.faults import Faults, RuleError
from channels.simulators.feishu import elements
from channels.simulators.feishu.options import Options
from channels.simulators.feishu.reading import read_card, read_message
from channels.simulators.feishu.typing_state import Typing
from channels.simulators.limits import Limits


def test_editing_copies_the_path_and_leaves_the_rest_and_the_old_tree_alone() -> None:
    other = {"tag": "hr", "element_id": "h"}
    old = {"body": {"elements": [other, {"tag": "markdown", "element_id": "m", "content": "a"}]}}
    new = elements.edit(old, "m", lambda found: [{**found, "content": "b"}])
    assert new is not None
    assert new["body"]["elements"][1]["content"] == "b"
    assert new["body"]["elements"][0] is other
    assert old["body"]["elements"][1]["content"] == "a"
    assert elements.edit(old, "gone", lambda found: [found]) is None


def test_an_apps_own_data_is_not_searched_for_elements() -> None:
    value = {"tag": "markdown", "element_id": "fake"}
    tree = {"body": {"elements": [{"tag": "button", "behaviors": [{"type": "callback", "value": value}]}]}}
    assert [found["tag"] for found in elements.walk(tree)] == ["button"]
    assert elements.find(tree, "fake") is None


def test_a_card_is_read_from_top_to_bottom() -> None:
    title = {"tag": "plain_text", "content": "Title"}
    tree = {
        "header": {"title": title, "subtitle": {"tag": "plain_text", "content": "Sub"}},
        "body": {
            "elements": [
                {"tag": "collapsible_panel", "header": {"title": title}, "elements": [{"tag": "hr"}]},
                {"tag": "div", "text": {"tag": "lark_md", "content": "div"}},
                {
                    "tag": "table",
                    "columns": [{"name": "a", "display_name": "A"}, {"name": "b"}],
                    "rows": [{"a": 1, "b": [{"text": "S2"}]}],
                },
                {"tag": "column_set", "columns": [{"tag": "column", "elements": [{"tag": "button", "text": title}]}]},
            ]
        },
    }
    assert read_card(tree).splitlines() == ["Title", "Sub", "Title", "---", "div", "A | b", "1 | S2", "[Title]"]


def test_mentions_are_read_by_name_the_longest_placeholder_first() -> None:
    mentions = [{"key": f"@_user_{number}", "name": f"P{number}"} for number in (1, 10)]
    assert read_message("text", '{"text":"@_user_10 @_user_1 @_all"}', mentions, None) == "@P10 @P1 @all"
    called = '{"text":"<at user_id=\\"ou_lin\\"></at> it is ready"}'
    assert read_message("text", called, [], None, {"ou_lin": "Lin Wei"}.__getitem__) == "@Lin Wei it is ready"
    post = '{"title":"T","content":[[{"tag":"text","text":"a "},{"tag":"at","user_name":"Lin"}],[{"tag":"img"}]]}'
    assert read_message("post", post, [], None) == "T\na @Lin\n[image]"


@pytest.mark.parametrize(("strategy", "typed_from"), [("fast", 6), ("delay", 3)])
def test_unfinished_typing_is_flushed_or_continued(strategy: str, typed_from: int) -> None:
    config = {
        "streaming_config": {
            "print_strategy": strategy, "print_step": {"default": 1}, "print_frequency_ms": {"default": 100},
        }
    }  # fmt: skip
    first = Typing("", 0, 0.0, 0.0).after("abcdef", 0.0, config)
    assert first.shown(0.31) == 3
    second = first.after("abcdefgh", 0.31, config)
    assert second.typed_from == typed_from
    assert second.after("other", 1.0, config).shown(1.0) == 5


def test_a_window_has_room_again_when_its_oldest_call_is_out() -> None:
    clock = MovableClock()
    limits = Limits(clock)
    assert [limits.take(("k",), (2, 1), (3, 60)) for _ in range(3)] == [None, None, (2, 1)]
    clock.advance(1)
    assert limits.take(("k",), (2, 1), (3, 60)) is None
    clock.advance(1)
    hit = limits.take(("k",), (2, 1), (3, 60))
    assert hit is not None
    assert (hit[0], hit[1] in (57, 58)) == (3, True)
    assert limits.take(("other",), (2, 1)) is None


def test_a_rule_skips_then_hits_its_times() -> None:
    faults = Faults()
    faults.add({"match": {"path": "/x"}, "skip": 1, "times": 2, "action": {"drop": True}})
    hits = [bool(faults.find(method="GET", path="/x/y")) for _ in range(4)]
    assert hits == [False, True, True, False]
    assert faults.find(event="/x") == {}


@pytest.mark.parametrize("rule", [{}, {"action": {}}, {"action": {"explode": 1}}, {"action": {"drop": 1}, "when": 1}])
def test_a_rule_with_unknown_parts_is_refused(rule: dict[str, object]) -> None:
    with pytest.raises(RuleError):
        Faults().add(rule)


def test_unknown_options_change_nothing() -> None:
    options = Options()
    with pytest.raises(KeyError):
        options.change({"chat_per_second": 1, "nonsense": 2})
    assert options.chat_per_second == 5


async def test_sleepers_wake_when_the_clock_is_moved() -> None:
    clock = MovableClock()
    sleeper = asyncio.create_task(clock.sleep(3600))
    await asyncio.sleep(0)
    clock.advance(3599)
    await asyncio.sleep(0.01)
    assert not sleeper.done()
    clock.advance(1)
    await asyncio.wait_for(sleeper, 1)
    with pytest.raises(ValueError, match="forward"):
        clock.advance(-1)
