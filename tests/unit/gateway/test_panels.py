from __future__ import annotations

from typing import Any

import pytest

from channels.cards.model import Lane, Note, Todos, ToolPanel
from gateway.presenter.approvals import approval_blocks
from gateway.presenter.calls import CALL_CHARS, call_panel
from gateway.texts import language_of
from tests.unit.gateway.test_presenter import event, presenter

QUESTIONS = {"en": "How big is it?", "zh": "有多大？"}


def panel_of(type: str, content: dict[str, Any], *, status: str = "success", lang: str = "en") -> ToolPanel:
    view = presenter(QUESTIONS[lang])
    view.add(event(type, content, segment="tool/1/0", status=status))
    (panel,) = view.card().blocks
    assert isinstance(panel, ToolPanel)
    return panel


FILE = {"file_path": "src/a.py", "args": {"file_path": "src/a.py"}}


@pytest.mark.parametrize(
    ("type", "content", "en", "zh"),
    [
        (
            "read_file",
            {"name": "read_file", **FILE, "parsed": {"start_line": 10, "end_line": 29}},
            "Read src/a.py · lines 10-29",
            "读取 src/a.py · 第 10-29 行",
        ),
        (
            "edit_file",
            {"name": "edit_file", **FILE, "add_lines": 25, "remove_lines": 8},
            "Edit src/a.py · +25 -8",
            "编辑 src/a.py · +25 -8",
        ),
        ("edit_file", {"name": "write_file", **FILE, "add_lines": 2}, "Write src/a.py · +2", "写入 src/a.py · +2"),
        (
            "create_file",
            {"name": "create_file", **FILE, "add_lines": 50},
            "Create src/a.py · +50",
            "新建 src/a.py · +50",
        ),
        (
            "delete_file",
            {"name": "delete_file", **FILE, "remove_lines": 3},
            "Delete src/a.py · -3",
            "删除 src/a.py · -3",
        ),
        (
            "bash",
            {"name": "shell_command", "args": {"command": "npm test"}, "parsed": {"exit_code": 0}},
            "Command npm test · exit code 0",
            "命令 npm test · 退出码 0",
        ),
        (
            "search",
            {"name": "web_search", "args": {"query": "totals"}, "parsed": {"results": [{}, {}]}},
            "Search totals · results: 2",
            "搜索 totals · 2 条结果",
        ),
        ("outputs", {"files": ["a.md", {"file_path": "b.md"}]}, "Output files: 2", "产出文件：2"),
    ],
)
def test_a_panel_says_what_was_done_to_what(type: str, content: dict[str, Any], en: str, zh: str) -> None:
    assert panel_of(type, content).title == en
    assert panel_of(type, content, lang="zh").title == zh


def test_a_terminal_shows_its_whole_command_its_output_and_its_exit_code_once() -> None:
    command = "cd src\nfor f in *.py; do\n  wc -l $f\ndone"
    content = {
        "name": "shell_command",
        "args": {"command": command},
        "summary": "exit code 1, 0.1 s",
        "body": "80 a.py\n[exit code 1]",
        "error": "tool_failed",
        "parsed": {"exit_code": 1, "ended": "exited"},
    }
    panel = panel_of("bash", content, status="fail")
    assert (panel.title, panel.body) == ("Command cd src … · exit code 1", f"$ {command}\n80 a.py")


def test_a_command_that_was_ended_says_how() -> None:
    content = {"args": {"command": "yes"}, "summary": "ended: too long", "error": "tool_timeout", "parsed": {}}
    panel = panel_of("bash", content, status="fail")
    assert panel.title == "Command yes · A tool gave nothing in time" and "ended: too long" in panel.body


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("code", ["denied", "approval_expired", "approval_void", "approvals_full", "held_back"])
def test_what_was_not_run_says_so_in_the_readers_words(code: str, lang: str) -> None:
    panel = panel_of(
        "tool", {"name": "x", "summary": "not run: x", "body": "not run: x", "error": code}, status="fail", lang=lang
    )
    assert "not run: x" not in panel.body and language_of(panel.title.split(" · ")[1]) == lang


def test_an_edit_that_waits_for_a_person_is_a_diff_not_its_json() -> None:
    edits = [{"old_text": "a\nb\n", "new_text": "c\n"}, {"old_text": "x", "new_text": "", "replace_all": True}]
    panel = call_panel("call", "edit_file", {"file_path": "a.py", "edits": edits}, "en")
    assert panel.title == "Edit a.py · +1 -3" and panel.body_kind == "diff" and panel.is_open
    assert panel.body.split("\n") == [
        "@@ change 1 of 2 @@",
        "-a",
        "-b",
        "+c",
        "@@ change 2 of 2, at every such place of the file @@",
        "-x",
    ]


def test_line_ends_that_go_or_come_are_seen() -> None:
    edits = [{"old_text": "a", "new_text": "a\n"}]
    panel = call_panel("call", "edit_file", {"file_path": "a.py", "edits": edits}, "en")
    assert panel.body == "-a\n\\ without a line end\n+a"


def test_a_command_that_waits_is_shown_as_it_would_be_typed() -> None:
    panel = call_panel("call", "shell_command", {"command": "cd a\nrm -rf b", "timeout_s": 5}, "zh")
    assert (panel.title, panel.body) == ("命令 cd a …", "timeout_s: 5\n$ cd a\nrm -rf b")


def test_signs_that_make_a_line_read_otherwise_are_spelled_out() -> None:
    assert "rm \\u202e x\\u0008" in call_panel("call", "shell_command", {"command": "rm \u202e x\b"}, "en").body


def test_one_argument_cannot_look_like_another() -> None:
    panel = call_panel("call", "send_note", {"text": "hi\nto: everybody", "to": ["lin"]}, "en")
    assert panel.body == 'text: hi\n    to: everybody\nto: ["lin"]'
    assert panel.title == "send_note"


def test_of_a_call_that_is_too_long_what_is_not_shown_is_counted() -> None:
    panel = call_panel("call", "write_file", {"file_path": "a", "content": "y" * (CALL_CHARS + 500)}, "en")
    assert panel.body.endswith("[501 more characters of this call are not shown; deny it if you need to see them.]")


def test_a_plan_says_how_far_it_is_and_why_a_part_of_it_failed() -> None:
    items = [
        {"id": "1", "title": "Look", "status": "success"},
        {"id": "2", "title": "Count", "status": "fail", "code": "output_unparseable"},
        {"id": "3", "title": "Tell", "status": "in_progress"},
    ]
    view = presenter()
    view.add(event("todos", {"items": items}, segment="plan/0", status="in_progress"))
    (todos,) = view.card().blocks
    assert isinstance(todos, Todos)
    assert todos.title == "Plan: 1 of 3 done"
    assert todos.items[1].title == "Count (What a tool gave could not be read)"
    view.add(event("done", {"status": "stopped", "elapsed_ms": 1}))
    (todos,) = view.card().blocks
    assert isinstance(todos, Todos) and todos.items[2].status == "fail", "nothing spins after the end"


def test_a_lane_has_its_own_title_and_state_whatever_is_done_in_it() -> None:
    view = presenter()
    view.add(event("task", {"title": "Research"}, card="todo-1", status="in_progress"))
    view.add(event("bash", {"name": "ls"}, card="todo-1", segment="lane/a/tool/1/0", status="success"))
    (lane,) = view.card().blocks
    assert isinstance(lane, Lane)
    assert (lane.title, lane.status, len(lane.blocks)) == ("Research", "in_progress", 1)
    view.add(event("task", "", card="todo-1", status="fail"))
    (lane,) = view.card().blocks
    assert isinstance(lane, Lane) and (lane.title, lane.status) == ("Research", "fail")


def test_a_lane_without_a_title_is_called_as_its_to_do() -> None:
    view = presenter()
    view.add(event("todos", {"items": [{"id": "todo-1", "title": "Write tests"}]}, status="in_progress"))
    view.add(event("text", "hello", card="todo-1", segment="m", status="in_progress"))
    _, lane = view.card().blocks
    assert isinstance(lane, Lane) and lane.title == "Write tests"


def test_a_question_that_was_answered_is_one_line() -> None:
    view = presenter()
    asked = {"id": "a", "tool": "delete_file", "args": {"file_path": "x"}, "for": "ou_lin", "state": "pending"}
    view.add(event("approval", asked))
    assert [type(block) for block in view.card().blocks] == [Note, ToolPanel]
    view.add(event("approval", {**asked, "state": "approved", "by": "ou_lin", "name": "Lin"}))
    (note,) = view.card().blocks
    assert isinstance(note, Note) and note.text == "delete_file: Approved by Lin."


def test_what_a_lasting_permission_covers_reads_as_it_is() -> None:
    name = "\u202etxt.yek\u202c \u3164x\U000e0041"
    covers = {"kind": "paths", "what": [name]}
    asked = {"tool": "read_it", "args": {"name": name}, "offers": {"conversation": []}, "covers": covers}
    note, panel = approval_blocks("ask", asked, "en")
    assert isinstance(note, Note) and isinstance(panel, ToolPanel)
    for told in (note.text, panel.body):
        assert "\\u202etxt.yek\\u202c \\u3164x\\ue0041" in told
