from __future__ import annotations

from typing import Any

from channels.cards.model import CardStatus, Note, Text, Thinking, ToolPanel
from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput, TextPart
from gateway.presenter import Presenter, Style

RUN = RunId("r" * 26)


def presenter(question: str = "How big is it?", thinking: str = "folded") -> Presenter:
    asked = RunInput(to=Address("fake:main:t:c"), by=Principal(id="ou_lin"), parts=(TextPart(text=question),))
    return Presenter(run=RUN, input=asked, style=Style(thinking=thinking))  # pyright: ignore[reportArgumentType]


def event(type: str, content: Any = "", **more: Any) -> RunEvent:
    return RunEvent.model_validate({"run": RUN, "type": type, "content": content, **more})


APPROVAL = {
    "id": "a1",
    "tool": "send_note",
    "args": {"text": "hi"},
    "for": "ou_lin",
    "state": "pending",
    "reason": "ask",
}


def test_a_new_card_works_and_can_be_stopped_by_who_asked() -> None:
    card = presenter().card()
    assert card.header.status is CardStatus.WORKING
    assert [(action.name, action.audience) for action in card.actions] == [("stop", "ou_lin")]


def test_blocks_follow_the_events_and_keep_their_ids() -> None:
    view = presenter()
    view.add(event("thinking", "hm", segment="model/1", status="in_progress"))
    view.add(event("tool", {"name": "project_scan"}, segment="tool/1/0", status="in_progress"))
    view.add(event("text", "It is ", segment="model/2", status="in_progress"))
    before = view.card().blocks
    view.add(event("text", "small.", segment="model/2", status="in_progress"))
    after = view.card().blocks
    assert [type(block) for block in after] == [Thinking, ToolPanel, Text]
    assert [block.id for block in after] == [block.id for block in before]
    assert isinstance(after[2], Text)
    assert after[2].markdown == "It is small."
    assert after[2].streaming


def test_the_same_run_drawn_again_after_a_crash_has_the_same_ids() -> None:
    told = [
        event("tool", {"name": "project_scan"}, segment="tool/1/0", status="success"),
        event("text", "done", segment="model/2", status="success"),
    ]
    first, second = presenter(), presenter()
    for each in told:
        first.add(each)
    # Live, the first owner had shown the tool at work before it was recorded.
    second.add(event("tool", {"name": "project_scan"}, segment="tool/1/0", status="in_progress"))
    for each in told:
        second.add(each)
    assert first.card().blocks == second.card().blocks


def test_reasoning_is_not_shown_unless_switched_on_f48() -> None:
    view = presenter(thinking="off")
    view.add(event("thinking", "secret thought", segment="model/1"))
    assert view.card().blocks == ()


def test_a_question_to_a_person_waits_and_offers_approve_and_deny() -> None:
    view = presenter()
    view.add(event("approval", APPROVAL, segment="tool/1/0"))
    card = view.card()
    assert card.header.status is CardStatus.WAITING
    assert [(action.name, action.nonce) for action in card.actions] == [
        ("approve", "a1"),
        ("deny", "a1"),
        ("stop", "stop"),
    ]
    view.add(event("approval", {**APPROVAL, "state": "approved", "by": "ou_lin"}, segment="tool/1/0"))
    assert view.card().header.status is CardStatus.WORKING


def test_a_question_shows_the_whole_call_that_it_asks_for() -> None:
    view = presenter()
    command = "tar czf backup.tgz documents pictures music && " * 8 + "rm -rf documents"
    view.add(event("approval", {**APPROVAL, "args": {"command": command}}, segment="tool/1/0"))
    question, call = view.card().blocks
    assert isinstance(question, Note) and isinstance(call, ToolPanel)
    assert command in call.body and call.is_open


def test_what_is_asked_about_names_its_file_however_long_the_content_is() -> None:
    view = presenter()
    args = {"content": "evil words " * 1_000, "file_path": "important.txt"}
    view.add(event("approval", {**APPROVAL, "tool": "write_file", "args": args}, segment="tool/1/0"))
    _, call = view.card().blocks
    assert isinstance(call, ToolPanel)
    assert "important.txt" in call.title and call.body.startswith("+evil words")


def test_the_end_has_no_spinner_and_offers_a_verdict() -> None:
    view = presenter()
    view.add(event("text", "Fine.", segment="model/1", status="in_progress"))
    view.add(event("usage", {"model": "demo", "input_tokens": 3, "output_tokens": 4, "cost": None}))
    view.add(event("done", {"status": "done", "elapsed_ms": 1500}))
    card = view.card()
    assert card.header.status is CardStatus.DONE
    assert [action.name for action in card.actions] == ["satisfied", "revise", "abandon", "retry"]
    (block,) = card.blocks
    assert isinstance(block, Text)
    assert not block.streaming
    assert card.footer.tokens == 7
    assert "1.5 s" in card.footer.text
    assert card.summary == "Fine."


def test_a_tool_cut_by_the_end_does_not_look_busy() -> None:
    view = presenter()
    view.add(event("tool", {"name": "project_scan"}, segment="tool/1/0", status="in_progress"))
    view.add(event("done", {"status": "stopped", "elapsed_ms": 10}))
    (panel,) = view.card().blocks
    assert isinstance(panel, ToolPanel)
    assert panel.status == "fail"


def test_a_failure_says_why_and_offers_retry_f16() -> None:
    view = presenter()
    view.add(event("error", {"code": "model_unavailable", "params": {}}))
    view.add(event("done", {"status": "failed", "elapsed_ms": 10}))
    card = view.card()
    assert [action.name for action in card.actions] == ["retry"]
    (note,) = card.blocks
    assert isinstance(note, Note)
    assert note.tone == "error"
    assert "model_unavailable" not in note.text


def test_a_verdict_is_shown_and_takes_the_buttons_away() -> None:
    view = presenter()
    view.add(event("done", {"status": "done", "elapsed_ms": 10}))
    view.add(event("verdict", {"verdict": "satisfied", "by": "ou_lin", "name": "Lin Wei"}))
    card = view.card()
    assert [action.name for action in card.actions] == ["retry"]
    assert "Lin Wei" in str(card.blocks)


def test_the_buttons_of_a_retried_run_are_dead() -> None:
    view = presenter()
    view.add(event("done", {"status": "failed", "elapsed_ms": 10}))
    view.add(event("notice", {"code": "retried", "params": {}}))
    assert view.card().actions == ()


def test_words_are_in_the_language_of_the_question() -> None:
    assert presenter("项目有多大？").card().actions[0].label == "停止"
    assert presenter("How big?").card().actions[0].label == "Stop"


def test_a_pause_looks_quiet_f61() -> None:
    view = presenter()
    view.pause(resumes=True)
    assert view.card().header.status is CardStatus.PAUSED
    view.pause(resumes=False)
    card = view.card()
    assert card.header.status is CardStatus.INTERRUPTED
    assert [action.name for action in card.actions] == ["retry"]


def test_a_record_that_cannot_be_drawn_costs_only_itself() -> None:
    view = presenter()
    view.add(event("todos", {"items": [{"title": "no id"}]}, segment="todos"))
    view.add(event("notice", {"tone": "info"}, segment="notice"))
    view.add(event("text", "The answer.", segment="model/1", status="success"))
    view.add(event("done", {"status": "done", "elapsed_ms": 1}))
    first, second, answer = view.card().blocks
    assert isinstance(first, Note) and isinstance(second, Note)
    assert first.id != second.id
    assert isinstance(answer, Text) and answer.markdown == "The answer."


def test_a_question_offers_what_its_person_may_and_says_what_it_covers() -> None:
    view = presenter()
    offers = {"conversation": ["member"], "always": ["member"]}
    covers = {"kind": "command", "what": ["git status"]}
    view.add(event("approval", {**APPROVAL, "offers": offers, "covers": covers}, segment="a", status="in_progress"))
    card = view.card()
    names = [action.name for action in card.actions]
    assert names == ["approve", "approve_conversation", "approve_always", "deny", "stop"]
    assert {action.nonce for action in card.actions[:4]} == {"a1"}
    assert {action.audience for action in card.actions[:4]} == {"ou_lin"}
    (note,) = [block for block in card.blocks if isinstance(block, Note)]
    assert "it covers exactly this command" in note.text
    closed = {**APPROVAL, "state": "approved", "by": "ou_lin", "name": "Lin", "lasting": "always"}
    view.add(event("approval", closed, segment="a", status="success"))
    (note,) = [block for block in view.card().blocks if isinstance(block, Note)]
    assert note.text == "send_note: Approved by Lin. Not asked again until it is revoked."
    view.add(event("approval", {**APPROVAL, "state": "changed"}, segment="a", status="fail"))
    (note,) = [block for block in view.card().blocks if isinstance(block, Note)]
    assert "was changed since it was asked" in note.text


def test_a_question_of_an_older_version_offers_yes_and_no() -> None:
    view = presenter()
    view.add(event("approval", APPROVAL, segment="a", status="in_progress"))
    assert [action.name for action in view.card().actions] == ["approve", "deny", "stop"]
