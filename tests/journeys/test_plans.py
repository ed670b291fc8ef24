"""A model whose tool calls cannot be relied on: it writes plans, and the person sees to-dos, tools and one answer."""

from __future__ import annotations

import json
from pathlib import Path

from gateway.texts.en import TEXTS
from tests.journeys.house import house
from tests.journeys.scripted_model import Say

PLANS = {"models.main.reliable_tools": "false"}
PLAN = json.dumps(
    {
        "goal": "count the files",
        "actions": [{"tool": "project_scan", "args": {}, "purpose": "Look at the folder", "expected_output": []}],
        "success_criteria": ["a number of files"],
    }
)
JUDGED = json.dumps({"completed": True, "evidence": ["the scan says how many"], "missing": []})


async def test_a_plan_is_carried_out_and_only_the_answer_is_said(home: Path) -> None:
    async with house(home, PLANS) as h:
        h.model.script([Say("Sure.\n```json\n"), Say(PLAN), Say("\n```")], [Say(JUDGED)], [Say("No files at all.")])
        answer = await h.finished(await h.say("@niuma how many files are there?"))
        assert (answer.status, answer.body.count("No files at all.")) == ("Done", 1)
        assert "Look at the folder" in answer.text
        assert "success_criteria" not in answer.text and "Sure." not in answer.text
        assert all("tools" not in asked.body for asked in h.model.asked)
        assert h.model.complaints == []


async def test_a_plan_that_cannot_be_read_fails_with_the_reason(home: Path) -> None:
    async with house(home, PLANS) as h:
        h.model.script([Say("I would rather chat.")], for_ever=True)
        answer = await h.finished(await h.say("@niuma how many files are there?"))
        assert answer.status == "Failed" and TEXTS["error.model_bad_output"] in answer.body
        assert "rather chat" not in answer.text and len(h.model.asked) == 3
