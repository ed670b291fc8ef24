"""When the model fails, says odd things or goes round in circles: the card says so and the next question works."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from gateway.texts.en import TEXTS
from gateway.texts.zh import TEXTS as ZH
from tests.journeys.house import DIRECT, LIN, House, house
from tests.journeys.scripted_model import Act, Call, Cut, End, Raw, Refuse, Say, Stall, Think, Until
from tests.journeys.seen import Seen

SCAN = Call("project_scan")
QUICK: dict[str, Any] = {"models.main.first_byte_s": "0.5", "models.main.stall_s": "0.5"}
INTERNAL = re.compile(r"Traceback|Error\b|Exception|\bNone\b|http|127\.0|sk-|status 5")


async def assert_next_works(h: House) -> None:
    """Ask something else: it is answered."""
    answer = await h.finished(await h.say("@niuma are you well?"))
    assert answer.status == "Done" and answer.body.strip() == "You said: are you well?"


def assert_failed(seen: Seen, error: str) -> None:
    """Check what a person sees of a failure: that it failed, why, what to do next, and nothing else."""
    assert seen.status == "Failed" and not seen.looks_active
    assert TEXTS[f"error.{error}"] in seen.body and seen.buttons == ["retry"]
    assert not INTERNAL.search(seen.body.replace(TEXTS[f"error.{error}"], "")), seen.body


@pytest.mark.parametrize(
    ("acts", "error"),
    [
        ([Refuse(500, "Traceback (most recent call last): internal")], "model_unavailable"),
        ([Stall()], "model_timeout"),
        ([Refuse(401, "bad key sk-key-of-the-scripted-model")], "model_auth"),
        ([Refuse(400, "content_policy_violation")], "model_refused"),
        ([Refuse(400, "maximum context length is 10 tokens")], "context_too_long"),
        ([Refuse(413, "Payload Too Large")], "context_too_long"),
        ([Refuse(429, "slow down", {"retry-after": "60"})], "model_rate_limited"),
        ([End("content_filter")], "model_refused"),
        ([End("stop")], "model_empty"),
        ([Say(" \n\n "), End("stop")], "model_empty"),
    ],
    ids=["500", "silent", "key", "policy", "too long", "413", "busy", "filtered", "empty", "blank"],
)
async def test_f16_a_failing_model_leaves_a_failed_card_with_the_reason(
    home: Path, acts: list[Act], error: str
) -> None:
    async with house(home, QUICK) as h:
        h.model.script(acts, for_ever=True, when="doomed")
        asked = await h.say("@niuma a doomed question")
        answer = await h.finished(asked)
        assert_failed(answer, error)
        assert h.sim.message(asked)["reactions"] == []
        await assert_next_works(h)


async def test_f16_a_model_that_cannot_be_reached_is_told_and_retry_works_once_it_can(home: Path) -> None:
    async with house(home, start=False) as h:
        h.settings["models.main.api_base"] = "http://127.0.0.1:9/v1"
        await h.start()
        asked = await h.say("@niuma anybody there?")
        answer = await h.finished(asked)
        assert_failed(answer, "model_unavailable")
        await h.stop()
        del h.settings["models.main.api_base"]
        await h.start()
        await h.press(h.now(answer), "retry")
        both = await h.sees(asked, lambda seen: len(seen.messages) == 2 and not seen.looks_active)
        assert Seen(both.messages[1:]).body.strip() == "You said: anybody there?"


@pytest.mark.parametrize(
    "acts",
    [
        [Refuse(500)],
        [Refuse(429, "slow down", {"retry-after": "60"})],
        [Say("The capital of France is B"), Cut()],
        [Say("The capital of France is B"), Stall()],
        [Stall()],
    ],
    ids=["500", "429", "cut", "stall", "silent"],
)
async def test_another_model_answers_and_nothing_of_the_first_is_left(home: Path, acts: list[Act]) -> None:
    async with house(home, QUICK | {"models.main.fallbacks": '["spare"]'}, start=False) as h:
        spare = {"model": "openai/spare", "api_key": "k", "api_base": h.model.url}
        h.settings |= {f"models.spare.{key}": value for key, value in spare.items()}
        await h.start()
        usage = Raw({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
        h.model.script(acts, model="main", for_ever=True)
        h.model.script([Say("Paris."), usage], model="spare", for_ever=True)
        asked = await h.say("@niuma the capital of France?")
        answer = await h.finished(asked)
        assert answer.status == "Done" and answer.body.count("Paris.") == 1 and "is B" not in answer.body
        assert "spare" in answer.text, "the small print names the model that answered"
        assert answer.body.count(TEXTS["notice.fallback"].format(failed="main", model="spare")) == 1
        assert len(h.messages()) == 1


@pytest.mark.parametrize(
    "acts",
    [[Refuse(429, "slow down", {"retry-after": "0.1"})], [Refuse(503)], [Say("Par"), Cut()]],
    ids=["429", "503", "cut"],
)
async def test_a_model_that_stumbles_once_is_asked_once_more(home: Path, acts: list[Act]) -> None:
    async with house(home, QUICK) as h:
        h.model.script(acts, [Say("Paris.")])
        answer = await h.finished(await h.say("@niuma the capital of France?"))
        assert answer.status == "Done" and answer.body.strip() == "Paris."
        assert len(h.model.asked) == 2
        await assert_next_works(h)


@pytest.mark.parametrize("last", [Cut(), Stall()], ids=["cut", "stall"])
async def test_without_another_model_what_was_said_stays_and_the_history_is_valid(home: Path, last: Act) -> None:
    async with house(home, QUICK) as h:
        h.model.script([Say("The first half"), last], for_ever=True, when="halves")
        answer = await h.finished(await h.say("@niuma two halves"))
        assert answer.status == "Failed" and "The first half" in answer.body and answer.buttons == ["retry"]
        assert answer.body.count("The first half") == 1
        await assert_next_works(h)


@pytest.mark.alone
async def test_f28_stop_closes_the_models_connection_and_keeps_the_text(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Say("As far as I got"), Stall()])
        asked = await h.say("@niuma a long story")
        working = await h.sees(asked, lambda seen: "As far as I got" in seen.body)
        began = asyncio.get_running_loop().time()
        assert await h.press(working, "stop") == TEXTS["toast.stopping"]
        await asyncio.wait_for(h.model.asked[0].over.wait(), 3)
        answer = await h.finished(asked)
        assert asyncio.get_running_loop().time() - began < 3
        assert (answer.status, answer.body.strip(), answer.buttons) == ("Stopped", "As far as I got", ["retry"])
        assert not h.model.asked[0].whole
        await assert_next_works(h)


async def test_f28_stop_between_tools_begins_no_further_one(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Say("Looking"), SCAN], [Say("Looking more"), Stall()], when="look")
        asked = await h.say("@niuma look around")
        working = await h.sees(asked, lambda seen: "Looking more" in seen.body)
        await h.press(working, "stop")
        answer = await h.finished(asked)
        assert answer.status == "Stopped" and "Looking" in answer.body and "project_scan" in answer.body
        assert len(h.model.asked) == 2
        await assert_next_works(h)


async def test_f45_f46_calls_that_share_an_index_and_chunks_without_choices(home: Path) -> None:
    async with house(home) as h:
        first, second = Call("project_scan", id="call_a"), Call("read_file", '{"file_path": "nope.md"}', id="call_b")
        usage = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}}
        h.model.script(
            [Raw({"choices": []}), Say("Two tools."), first, second, Raw(usage)],
            [Raw({"choices": []}), Say("Both ran.")],
        )
        answer = await h.finished(await h.say("@niuma use two"))
        assert answer.status == "Done" and "Two tools." in answer.body and "Both ran." in answer.body
        assert "project_scan" in answer.body and "Read nope.md" in answer.body and "33 tokens" in answer.text
        sent = h.model.asked[1].body["messages"]
        calls = next(each["tool_calls"] for each in sent if each.get("tool_calls"))
        results = [each["tool_call_id"] for each in sent if each["role"] == "tool"]
        assert [each["id"] for each in calls] == results == ["call_a", "call_b"]


@pytest.mark.parametrize("last", [Cut(), End("length"), End(None)], ids=["reset", "length", "no reason"])
async def test_f47_half_a_tool_call_is_never_run(home: Path, last: Act) -> None:
    async with house(home, QUICK) as h:
        half = Call("send_note", '{"text": "half a no')
        h.model.script([Say("Sending"), half, last], for_ever=True, when="send")
        answer = await h.finished(await h.say("@niuma send it"))
        assert not answer.looks_active and "approve" not in answer.buttons
        assert list(h.home.rglob("outbox.txt")) == []
        assert len(h.model.about("send")) <= 3
        assert answer.status == "Failed" and TEXTS["error.model_cut_off"] in answer.body, answer.text
        await assert_next_works(h)


async def test_f48_reasoning_goes_back_to_the_provider_and_not_into_the_chat(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Think("secretly I wonder"), SCAN], [Think("and now"), Say("Counted.")])
        asked = await h.say("@niuma count")
        answer = await h.finished(asked)
        assert answer.body.strip().endswith("Counted.")
        history = json.dumps([each.tree for each in h.sim.cards.by_id[answer.card_ids[0]].history])
        assert "wonder" not in history and "and now" not in history
        sent = h.model.asked[1].body["messages"]
        assert next(each for each in sent if each.get("tool_calls"))["reasoning_content"] == "secretly I wonder"


async def test_f48_reasoning_is_folded_where_it_is_switched_on(home: Path) -> None:
    async with house(home, {"cards.thinking": "folded"}) as h:
        h.model.script([Think("I wonder"), Say("Counted.")])
        answer = await h.finished(await h.say("@niuma count"))
        panels = [each for each in answer.last["card"]["body"]["elements"] if each["tag"] == "collapsible_panel"]
        assert "I wonder" in json.dumps(panels) and panels[0]["expanded"] is False
        assert "Counted." in answer.body


async def test_f49_a_conversation_interrupted_inside_a_tool_call_goes_on(home: Path) -> None:
    async with house(home, {"runs.resume": "false"}) as h:
        h.model.script([Say("May I?"), Call("send_note", '{"text": "hi"}')], when="note")
        asked = await h.say("@niuma send a note")
        await h.sees(asked, lambda seen: "approve" in seen.buttons)
        await h.stop()
        assert h.seen(asked) is not None and not (h.seen(asked) or Seen([])).looks_active
        await h.start()
        await assert_next_works(h)
        assert h.model.complaints == []


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ("null", True),
        ("", True),
        ("[1,2]", False),
        ('"words"', False),
        (json.dumps('{"file_path": "a.md"}'), True),
        ('{"file_path": "a.md",}', None),
    ],
    ids=["null", "empty", "list", "text", "twice", "comma"],
)
async def test_f50_odd_arguments_are_an_error_for_the_model_alone(
    home: Path, arguments: str, *, runs: bool | None
) -> None:
    async with house(home) as h:
        tool = "read_file" if "a.md" in arguments else "project_scan"
        h.model.script([Call(tool, arguments)], [Say("Went on.")])
        answer = await h.finished(await h.say("@niuma odd"))
        assert answer.status == "Done" and "Went on." in answer.body
        result = h.model.asked[1].texts("tool")[0]
        if runs is not None:
            assert result.startswith("error: the arguments") is not runs, result
        await assert_next_works(h)
        assert h.model.complaints == []


async def test_f51_huge_tool_output_is_cut_and_the_run_goes_on(home: Path) -> None:
    async with house(home) as h:
        ready = asyncio.Event()
        read = Call("read_file", '{"file_path": "big.txt"}')
        h.model.script([Say("Let me look."), Until(ready), read], [Say("It is big.")], when="big")
        asked = await h.say("@niuma read the big file")
        await h.sees(asked, lambda seen: "Let me look." in seen.body)
        desk = next((h.home / "workspaces").iterdir())
        (desk / "big.txt").write_text("line of text\n" * 400_000)
        ready.set()
        answer = await h.finished(asked)
        assert answer.status == "Done" and "It is big." in answer.body and len(answer.text) < 40_000
        result = h.model.asked[1].texts("tool")[0]
        assert "line of text" in result and len(result) < 20_000
        await assert_next_works(h)


async def test_f52_going_round_in_circles_ends_and_says_why(home: Path) -> None:
    async with house(home) as h:
        h.model.script([SCAN], for_ever=True, when="circles")
        answer = await h.finished(await h.say("@niuma run in circles"))
        assert not answer.looks_active and len(h.model.about("circles")) <= 5
        said = (TEXTS["notice.going_in_circles"], TEXTS["error.going_in_circles"])
        assert any(words in answer.body for words in said), answer.text
        await assert_next_works(h)


async def test_a_run_that_takes_too_long_is_ended(home: Path) -> None:
    async with house(home, {"runs.time_limit_s": "1.0"}) as h:
        h.model.script([Say("Still"), Until(asyncio.Event())], when="endless")
        answer = await h.finished(await h.say("endless", chat=DIRECT, by=LIN))
        assert answer.status == "Failed" and TEXTS["error.time_limit"] in answer.body and "Still" in answer.body
        await assert_next_works(h)


async def test_a_conversation_that_outgrows_the_model_goes_on(home: Path) -> None:
    async with house(home, {"models.main.context_tokens": "5500"}) as h:
        for n in range(6):
            answer = await h.finished(await h.say(f"@niuma number {n} " + "很长的问题" * 100))
            assert answer.status == ZH["status.done"]
        sent = h.model.asked[-1].texts("user")
        assert sent[-1].startswith("number 5") and 1 < len(sent) < 6
        first, last = (len(json.dumps(h.model.asked[at].body["tools"])) for at in (0, -1))
        assert 0 < last < first, "tools are told in fewer words before the conversation is forgotten"
        assert h.model.complaints == [] and h.model.asked[-1].body["messages"][1]["role"] == "user"


async def test_f51_a_provider_that_refuses_the_length_is_asked_with_less(home: Path) -> None:
    async with house(home) as h:
        for n in range(4):
            await h.finished(await h.say(f"@niuma number {n} " + "word " * 200))
        h.model.script([Refuse(413, "Request Entity Too Large")], [Say("Here it is.")], when="final")
        answer = await h.finished(await h.say("@niuma the final question"))
        assert (answer.status, answer.body.strip()) == ("Done", "Here it is.")
        before, after = (len(each.texts("user")) for each in h.model.about("final"))
        assert after < before == 5
        await assert_next_works(h)


async def test_a_message_longer_than_the_model_reads_is_answered_and_said_so(home: Path) -> None:
    async with house(home, {"models.main.context_tokens": "2500"}) as h:
        h.model.script([Say("A long list.")])
        answer = await h.finished(await h.say("@niuma BEGIN " + "item " * 3000 + "END"))
        assert answer.status == "Done" and "A long list." in answer.body
        assert TEXTS["notice.message_cut"] in answer.body
        assert "BEGIN" in h.model.asked[0].question and h.model.asked[0].question.endswith("END")
        await assert_next_works(h)


async def test_a_model_that_runs_away_is_cut_and_said_to_be(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.agent.draft.MAX_ANSWER_CHARS", 2_000)
    async with house(home) as h:
        h.model.script([*(Say("round and round we go. ") for _ in range(500)), Stall()])
        asked = await h.say("@niuma go on for ever")
        answer = await h.finished(asked)
        assert answer.status == "Done" and TEXTS["notice.answer_cut"] in answer.text
        assert 2_000 <= len(answer.body) < 4_000
        assert len(h.model.asked) == 1
