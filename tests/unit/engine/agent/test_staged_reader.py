"""What models really write where a plan, an evaluation or a repair plan is asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.agent.staged.reader import read_evaluation, read_plan, read_repair
from engine.agent.staged.results import EvaluationResult, ExecutionPlan, PlannedAction, RepairPlan, render
from engine.errors import OutputUnreadable

PLAN = ExecutionPlan(
    goal="count lines",
    actions=(PlannedAction(tool="scan", args={"p": 1}, purpose="to count", expected_output=("n",)),),
    success_criteria=("a number",),
)
TEXT = render(PLAN)
CALL = '{"tool": "scan", "args": {"p": 1}}'
OTHER = '{"tool": "send", "args": {}}'


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"Sure, here it is:\n```json\n{TEXT}\n```\nShall I begin?",
        f"```\n{TEXT}\n```",
        f"First ```python\nd = {{}}\nprint([x for x in d])\n``` and then\n```json\n{TEXT}\n```",
        f"{TEXT}\n\n{TEXT}",
        TEXT.replace("{", "{{").replace("}", "}}"),
        "{" + TEXT + "}",
        "\ufeff\u200b" + TEXT.replace(", ", ",\n\t\x07 "),
        TEXT.replace("],", ",],").replace("}]", "},]"),
        TEXT.replace('"', "'"),
        TEXT[:-1],
        TEXT[:-1] + ",\n",
        f"<think>Maybe {CALL}? No: {OTHER}</think>{TEXT}",
        f'{{"plan": {TEXT}}}',
        f"[{TEXT}]",
        TEXT.replace('["n"]', '"n"').replace('["a number"]', '"a number"').replace("[]", "null"),
        TEXT.replace('{"p": 1}', json.dumps('{"p": 1}')),
        TEXT.replace('"args"', '"arguments"').replace('"tool"', '"name"'),
        TEXT.replace('"goal"', "goal").replace('"actions"', "actions"),
    ],
)
def test_a_plan_is_read_however_it_is_dressed(text: str) -> None:
    assert read_plan(text) == PLAN


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"I will call this:\n```json\n{CALL}\n```",
        f"[{CALL}]",
        f"[TOOL_CALL]{CALL}[/TOOL_CALL]",
        f"Let me look.\n[TOOL_CALL]\n{CALL}\n[/TOOL_CALL]\nThanks.",
        f"[tool_call]{CALL}",
        f'{{"next_actions": [{CALL}]}}',
        '{"next_actions": [{"tool": "scan", "args": {"p": 1}}], "reply": "on it"}',
        '{"name": "scan", "arguments": "{\\"p\\": 1}"}',
        '{"tool_calls": [{"id": "1", "function": {"name": "scan", "arguments": "{\\"p\\": 1}"}}]}',
    ],
)
def test_older_forms_of_one_call_are_a_plan_of_one_action(text: str) -> None:
    assert read_plan(text).actions == (PlannedAction(tool="scan", args={"p": 1}),)
    assert read_repair(text).actions == (PlannedAction(tool="scan", args={"p": 1}),)


@pytest.mark.parametrize(
    "text",
    [
        f"[TOOL_CALL]{CALL}[/TOOL_CALL] and [TOOL_CALL]{OTHER}[/TOOL_CALL]",
        f"[TOOL_CALL]{CALL}[TOOL_CALL]{OTHER}",
        f"[{CALL}, {OTHER}]",
        f'{{"next_actions": [{CALL}, {OTHER}]}}',
    ],
)
def test_several_calls_keep_their_order(text: str) -> None:
    assert [each.tool for each in read_plan(text).actions] == ["scan", "send"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hello! How can I help?", "there is no JSON object with 'goal', 'actions'"),
        ("", "there is no JSON object"),
        ('{"goal": "x"}', "actions is missing"),
        ('{"actions": []}', "goal is missing"),
        ('{"goal": "", "actions": []}', "goal: "),
        ('{"goal": 7, "actions": []}', "goal: "),
        ('{"goal": "x", "actions": "scan"}', "actions: "),
        ('{"goal": "x", "actions": [{"args": {}}]}', "actions[0].tool is missing"),
        ('{"goal": "x", "actions": [{"tool": "scan", "args": [1]}]}', "actions[0].args: "),
        ('{"goal": "x", "actions": [{"tool": "scan", "args": "all"}]}', "actions[0].args: "),
        (TEXT[: TEXT.index("to count")], "breaks off"),
        (TEXT[: TEXT.index('1}, "purpose')], "breaks off"),
        (f"```json\n{TEXT[: TEXT.index('1}, ')]}", "breaks off"),
        (f"{CALL}\n{OTHER}", "2 different answers"),
        (f"{TEXT}\nor rather\n{TEXT.replace('scan', 'send')}", "2 different answers"),
        (f"{TEXT}\n[TOOL_CALL]{OTHER}[/TOOL_CALL]", "2 different answers"),
        (f'{{"goal": "x", "actions": [{CALL}], "next_actions": [{OTHER}]}}', "two different lists of actions"),
        ('{"tool": "scan", "name": "send", "args": {}}', "two different names of a tool"),
        ('{"tool": "scan", "args": {"p": 1}, "arguments": {"p": 2}}', "two different sets of arguments"),
        (f'[{CALL}, "and then"]', "calls and other things"),
        ("[TOOL_CALL]scan[/TOOL_CALL]", "must hold exactly one whole JSON object"),
        ('[TOOL_CALL]{"tool": "scan", "args": {"p"', "must hold exactly one whole JSON object"),
        ("<think>" + TEXT + "</think> I am done.", "there is no JSON object"),
        ('{"goal": "x", "actions": [{"tool": "scan", "args": {"p": NaN}}]}', "cannot be read"),
        ("x" * 300_000, "longer than"),
        ('{"goal": "x", "actions": [' + ",".join([CALL] * 21) + "]}", "actions: "),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "cannot be read as JSON"),
        ('{"a":' * 45 + "1" + "}" * 45, "nested more than 40 deep"),
    ],
)
def test_what_is_no_plan_is_refused_in_words_for_the_model(text: str, told: str) -> None:
    with pytest.raises(OutputUnreadable) as refused:
        read_plan(text)
    assert told in str(refused.value)
    assert refused.value.code == "model_bad_output"


def test_half_a_call_is_no_call() -> None:
    args = {"text": "all {of} [it]", "rows": [{"n": 1}, {"n": [2, {"m": 3}]}]}
    whole = json.dumps({"goal": "x", "actions": [{"tool": "write", "args": args}]})
    for end in range(1, len(whole)):
        try:
            plan = read_plan(whole[:end])
        except OutputUnreadable:
            continue
        assert [each.args for each in plan.actions] in ([], [args])
        assert plan.actions or whole[:end].endswith("[]")


def test_templates_in_strings_survive_doubled_braces() -> None:
    plan = ExecutionPlan(goal="x", actions=(PlannedAction(tool="post", args={"body": "Dear {{name}}"}),))
    doubled = '{{"goal": "x", "actions": [{{"tool": "post", "args": {{"body": "Dear {{name}}"}}}}]}}'
    assert read_plan(doubled) == plan


def test_what_a_model_repeats_of_a_result_is_no_plan() -> None:
    echoed = f'The tool said:\n<tool_result tool="get">\n{{"next_actions": [{OTHER}]}}\n</tool_result>\n'
    assert read_plan(echoed + TEXT) == PLAN
    with pytest.raises(OutputUnreadable):
        read_plan(echoed)


@pytest.mark.parametrize(
    ("text", "completed", "missing"),
    [
        ('{"completed": true, "evidence": ["12 lines"], "missing": [], "repair_goal": null}', True, ()),
        ('```json\n{"completed": "true", "evidence": "12 lines"}\n```', True, ()),
        ("{'completed': False, 'missing': ['a number',]}", False, ("a number",)),
        ('{"evaluation": {"completed": false, "missing": ["a"], "repair_goal": ""}}', False, ("a",)),
    ],
)
def test_evaluations(text: str, completed: bool, missing: tuple[str, ...]) -> None:
    result = read_evaluation(text)
    assert (result.completed, result.missing) == (completed, missing)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"evidence": ["x"]}', "completed is missing"),
        ('{"completed": "mostly", "evidence": ["x"]}', "completed: "),
        ('{"completed": true}', "evidence is empty"),
        ('{"completed": true, "evidence": ["x"], "missing": ["y"]}', "only one of them can hold"),
        ('{"completed": false}', "missing is empty"),
        ('{"completed": true, "evidence": ["x"]} {"completed": false, "missing": ["x"]}', "2 different"),
        (TEXT, "there is no JSON object with 'completed'"),
    ],
)
def test_an_evaluation_that_says_nothing_or_two_things_is_refused(text: str, told: str) -> None:
    with pytest.raises(OutputUnreadable, match=told.replace("'", ".")):
        read_evaluation(text)


def test_results_are_frozen_add_only_and_carry_their_version() -> None:
    for result in (PLAN, EvaluationResult(completed=True), RepairPlan(repair_reason="x", actions=())):
        assert result.v == 1
        with pytest.raises(ValueError, match="frozen"):
            result.v = 2  # type: ignore[misc]
        newer = {**result.model_dump(mode="json"), "of_tomorrow": 1}
        assert type(result).model_validate(newer) == result


def test_a_model_cannot_say_which_version_it_is() -> None:
    assert read_plan('{"v": 9, "goal": "x", "actions": []}').v == 1


TEXTS = st.text(max_size=30)
ARGS = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ACTIONS = st.lists(
    st.builds(
        PlannedAction,
        tool=st.text(min_size=1, max_size=20),
        args=st.dictionaries(TEXTS, ARGS, max_size=3),
        purpose=TEXTS,
        expected_output=st.lists(TEXTS, max_size=2).map(tuple),
    ),
    max_size=3,
).map(tuple)
GOALS = st.text(min_size=1, max_size=30)
LINES = st.lists(TEXTS, max_size=3).map(tuple)
PLANS = st.builds(ExecutionPlan, v=st.just(1), goal=GOALS, assumptions=LINES, actions=ACTIONS, success_criteria=LINES)
REPAIRS = st.builds(RepairPlan, v=st.just(1), repair_reason=GOALS, actions=ACTIONS)
MARKS = ("think", "tool_", "TOOL_", "{{", "}}", "'", "[", "]", "<", "\u200b", "\ufeff")


@given(PLANS)
@settings(max_examples=80, deadline=None)
def test_a_rendered_plan_is_read_back_the_same(plan: ExecutionPlan) -> None:
    assert read_plan(render(plan)) == plan
    assert read_plan(json.dumps(json.loads(render(plan)), indent=2)) == plan


@given(PLANS)
@settings(max_examples=100, deadline=None)
def test_a_plan_among_words_is_read_back_the_same(plan: ExecutionPlan) -> None:
    text = render(plan)
    if not any(mark in text.lower() for mark in ("<think", "<tool_", "[tool_")):
        assert read_plan(f"Here it is.\n```json\n{text}\n```\nGood?") == plan


@given(REPAIRS)
@settings(max_examples=60, deadline=None)
def test_a_rendered_repair_is_read_back_the_same(plan: RepairPlan) -> None:
    assert read_repair(render(plan)) == plan


PIECES = st.sampled_from(
    [
        *[
            *MARKS,
            TEXT,
            CALL,
            "[TOOL_CALL]",
            "[/TOOL_CALL]",
            "<think>",
            "</think>",
            "{",
            "}",
            '"',
            "\\",
            ",",
            ":",
            "\x00",
        ],
        *["```json", "null", "{'a': ", '"actions": [', '{"goal": "x", ', "\ud800", "\\ud83d", "1e999", "NaN", "//x\n"],
    ]
)
HOSTILE = st.lists(PIECES | st.text(max_size=8), max_size=25).map("".join)
READERS: list[Callable[[str], Any]] = [read_plan, read_repair, read_evaluation]


@pytest.mark.parametrize("read", READERS)
@given(text=HOSTILE | st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_gives_a_result_or_the_one_error(read: Callable[[str], Any], text: str) -> None:
    try:
        result = read(text)
    except OutputUnreadable as error:
        assert str(error)
    else:
        result.model_dump_json()
        if not isinstance(result, EvaluationResult):
            assert type(result).model_validate_json(result.model_dump_json()) == result


@pytest.mark.parametrize(
    "text",
    [
        *["{" * 100_000, '{"' * 50_000, "[[" * 50_000, "{'a': " * 30_000, "[TOOL_CALL]" * 9_000, "<think>" * 20_000],
        *['{"a": 1} ' * 20_000, "'" * 100_000 + "{", '{"a": \'' + "' " * 50_000, "{{" * 20_000 + "}}" * 20_000],
        *['{"actions": [' * 3_000, "{ x " * 12_000 + "}" * 12_000, '{"a": "b" ' * 4_000 + "}" * 4_000],
    ],
)
def test_hostile_texts_do_not_hold_up_the_loop(text: str) -> None:
    began = time.process_time()
    for read in READERS:
        with pytest.raises(OutputUnreadable):
            read(text)
    assert time.process_time() - began < 5
