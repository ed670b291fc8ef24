"""The merge rules of the team-chat event protocol, by its own examples."""

from __future__ import annotations

from typing import Any

from engine.events import RunEvent
from engine.messages import RunId
from gateway.presenter.merge import LaneRecord, Merger, Record

RUN = RunId("r" * 26)


def event(type: str, content: Any = "", **more: Any) -> RunEvent:
    return RunEvent.model_validate({"run": RUN, "type": type, "content": content, **more})


def merged(*events: RunEvent) -> list[Record | LaneRecord]:
    merger = Merger()
    for each in events:
        merger.add(each)
    return list(merger)


def test_text_of_one_type_in_a_row_concatenates() -> None:
    (record,) = merged(event("thinking", "正在", status="in_progress"), event("thinking", "分析", status="in_progress"))
    assert isinstance(record, Record)
    assert record.text == "正在分析"


def test_another_type_in_between_begins_a_new_record() -> None:
    records = merged(event("thinking", "a"), event("notice", {"code": "x"}), event("thinking", "b"))
    assert [record.type for record in records if isinstance(record, Record)] == ["thinking", "notice", "thinking"]


def test_objects_merge_deeply_while_in_progress_and_are_replaced_at_the_end() -> None:
    first = event("edit_file", {"file_path": "test.txt", "lines": {"add": 1}}, status="in_progress")
    second = event("edit_file", {"lines": {"remove": 5}}, status="in_progress")
    (record,) = merged(first, second)
    assert isinstance(record, Record)
    assert record.data == {"file_path": "test.txt", "lines": {"add": 1, "remove": 5}}
    (record,) = merged(first, second, event("edit_file", {"file_path": "test.txt", "done": True}, status="success"))
    assert isinstance(record, Record)
    assert record.data == {"file_path": "test.txt", "done": True}
    assert record.status == "success"


def test_lanes_do_not_mix() -> None:
    lanes = merged(
        event("thinking", "A", card="todo-1"),
        event("thinking", "B", card="todo-2"),
        event("thinking", "C", card="todo-1"),
    )
    assert [
        (lane.card, [record.text for record in lane.records]) for lane in lanes if isinstance(lane, LaneRecord)
    ] == [
        ("todo-1", ["AC"]),
        ("todo-2", ["B"]),
    ]


def test_segments_of_parallel_steps_do_not_mix() -> None:
    records = merged(
        event("tool", {"name": "a"}, segment="tool/1/0", status="in_progress"),
        event("tool", {"name": "b"}, segment="tool/1/1", status="in_progress"),
        event("tool", {"name": "a", "summary": "fine"}, segment="tool/1/0", status="success"),
    )
    assert [record.data for record in records if isinstance(record, Record)] == [
        {"name": "a", "summary": "fine"},
        {"name": "b"},
    ]


def test_a_finished_segment_is_told_whole() -> None:
    (record,) = merged(
        event("text", "half an ", segment="model/1", status="in_progress"),
        event("text", "half an answer", segment="model/1", status="success"),
    )
    assert isinstance(record, Record)
    assert record.text == "half an answer"


def test_a_segment_can_start_again_and_be_withdrawn() -> None:
    events = [
        event("text", "wrong", segment="model/1", status="in_progress"),
        event("text", "", segment="model/1", opr="replace", status="in_progress"),
        event("text", "right", segment="model/1", status="in_progress"),
    ]
    (record,) = merged(*events)
    assert isinstance(record, Record)
    assert record.text == "right"
    assert merged(*events, event("text", segment="model/1", opr="withdraw")) == []


def test_add_never_merges() -> None:
    assert len(merged(event("notice", {"code": "a"}), event("notice", {"code": "b"}, opr="add"))) == 2
