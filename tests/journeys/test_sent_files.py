"""Files that tools made: the chat shows each once, the card names it, and no crash loses or doubles it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from engine.tools.workspace import workspace_for
from tests.journeys.house import DIRECT, GROUP, House, house
from tests.journeys.scripted_model import Call, Say

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
TO = f"feishu:main:tenant_demo:{DIRECT}"


def put(home: Path, name: str, content: bytes) -> None:
    """Put a file where the tools of the direct chat work, as a tool would have."""
    (workspace_for(home, TO) / name).write_bytes(content)


def send(path: str, caption: str = "") -> Call:
    return Call("send_file", json.dumps({"path": path, "caption": caption}))


def files(h: House) -> list[str]:
    return [each["text"] for each in h.messages(DIRECT) if each["msg_type"] in ("file", "image")]


async def test_a_report_and_a_picture_come_natively_and_are_named_on_the_card(home: Path) -> None:
    put(home, "report.csv", b"month,amount\n")
    put(home, "chart.png", PNG)
    async with house(home) as h:
        h.model.script(
            [send("report.csv", "All months"), Call("send_file", '{"path": "chart.png"}', "c2", 1)], [Say("Here.")]
        )
        asked = await h.say("a report please", chat=DIRECT)
        answer = await h.finished(asked)
        assert sorted(files(h)) == ["[file] report.csv", "[image]"]
        assert "Sent: report.csv" in answer.text and "All months" in answer.text and "Sent: chart.png" in answer.text
        (document,) = [each for each in h.messages(DIRECT) if each["msg_type"] == "file"]
        key = json.loads(h.sim.world.messages[document["message_id"]].content)["file_key"]
        assert h.sim.world.files[key] == ("report.csv", b"month,amount\n")


@pytest.mark.parametrize("path", ["../../niuma.db", "/etc/passwd", "nothing.txt", "empty.txt", "folder"])
async def test_what_cannot_be_sent_is_told_to_the_model_and_nothing_goes_out(home: Path, path: str) -> None:
    put(home, "empty.txt", b"")
    (workspace_for(home, TO) / "folder").mkdir()
    async with house(home) as h:
        h.model.script([send(path)], [Say("No.")])
        await h.finished(await h.say("send it", chat=DIRECT))
        assert files(h) == []
        assert "error:" in h.model.asked[1].texts("tool")[-1]


async def test_a_file_beyond_the_setting_is_not_sent(home: Path) -> None:
    put(home, "big.bin", b"x" * 2000)
    async with house(home, {"agent.max_sent_file_bytes": "1000"}) as h:
        h.model.script([send("big.bin")], [Say("No.")])
        answer = await h.finished(await h.say("send it", chat=DIRECT))
        assert "larger than 1000 bytes" in h.model.asked[1].texts("tool")[-1]
        assert files(h) == [] and "Sent:" not in answer.text


async def test_the_person_gets_the_file_as_it_was_when_the_tool_gave_it(home: Path) -> None:
    put(home, "report.csv", b"first\n")
    async with house(home) as h:
        h.sim.faults.add({"match": {"path": "/im/v1/files"}, "action": {"status": 500, "code": 500}, "times": 2})
        h.model.script([send("report.csv")], [Say("Here.")])
        asked = await h.say("a report please", chat=DIRECT)
        await h.until(lambda: h.calls("/im/v1/files"), why="the upload is tried")
        put(home, "report.csv", b"second\n")
        await h.sees(asked, lambda answer: "Sent: report.csv" in answer.text, within_s=15)
        (document,) = [each for each in h.messages(DIRECT) if each["msg_type"] == "file"]
        key = json.loads(h.sim.world.messages[document["message_id"]].content)["file_key"]
        assert h.sim.world.files[key][1] == b"first\n"
        assert files(h) == ["[file] report.csv"]


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("failpoint", ["after_send:2", "mid_stream:3", "after_final:1"])
async def test_killed_around_a_file_it_is_there_once(home: Path, failpoint: str) -> None:
    put(home, "report.csv", b"month,amount\n")
    async with house(home, start=False) as h:
        h.model.script([send("report.csv")], when="a report please")
        h.model.script([Say("Here is the report.", piece=4, every_s=0.1)], for_ever=True)
        async with h.process(NIUMA_TESTING="1", NIUMA_FAILPOINT=failpoint) as first:
            asked = await h.say("a report please", chat=DIRECT)
            assert await first.ended() == -9, first.log()
        async with h.process():
            h.sim.advance(16)
            whole = ("Sent: report.csv", "Here is the report.")
            await h.sees(asked, lambda answer: all(each in answer.text for each in whole), within_s=30)
            await asyncio.sleep(1.0)
        assert files(h) == ["[file] report.csv"]
        assert sum("Here is the report." in each["text"] for each in h.messages(DIRECT)) == 1


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_file_on_its_way_when_the_gateway_is_stopped_is_there_once_after_the_restart(home: Path) -> None:
    put(home, "report.csv", b"month,amount\n")
    async with house(home, start=False) as h:
        h.model.script([send("report.csv")], when="a report please")
        h.model.script([Say("Here is the report.", piece=4, every_s=0.3)], for_ever=True)
        h.sim.faults.add({"match": {"path": "/im/v1/files"}, "action": {"delay_s": 3}, "times": 1})
        async with h.process(NIUMA_RUNS__DRAIN_S="0.5") as first:
            asked = await h.say("a report please", chat=DIRECT)
            await h.until(lambda: h.calls("/im/v1/files"), why="the upload is on its way")
            first.terminate()
            assert await first.ended() == 0, first.log()
        async with h.process():
            whole = ("Sent: report.csv", "Here is the report.")
            await h.sees(asked, lambda answer: all(each in answer.text for each in whole), within_s=30)
            await asyncio.sleep(1.0)
        assert files(h) == ["[file] report.csv"]
        assert sum("Here is the report." in each["text"] for each in h.messages(DIRECT)) == 1


async def test_a_missing_permission_is_told_and_the_file_comes_when_it_is_granted(home: Path) -> None:
    put(home, "report.csv", b"month,amount\n")
    async with house(home) as h:
        refusal = {"status": 400, "code": 99991672, "msg": "Access denied. [im:resource]"}
        h.sim.faults.add({"match": {"path": "/im/v1/files"}, "action": refusal, "times": -1})
        h.model.script([send("report.csv")], [Say("Here.")])
        asked = await h.say("a report please", chat=DIRECT)
        told = await h.sees(asked, lambda answer: "lacks the permission to send files" in answer.text)
        assert "Here." in told.text or told.looks_active
        assert files(h) == []
        h.sim.faults.clear()
        await h.sees(asked, lambda answer: "Sent: report.csv" in answer.text, within_s=15)
        assert files(h) == ["[file] report.csv"]


async def test_a_file_for_a_question_in_a_group_answers_that_question(home: Path) -> None:
    to = f"feishu:main:tenant_demo:{GROUP}"
    (workspace_for(home, to) / "report.csv").write_bytes(b"month,amount\n")
    async with house(home) as h:
        h.model.script([send("report.csv")], [Say("Here.")])
        asked = await h.say("@niuma a report please")
        await h.sees(asked, lambda answer: "Sent: report.csv" in answer.text)
        (document,) = [each for each in h.messages(GROUP) if each["msg_type"] == "file"]
        assert document["parent_id"] == asked
        assert not [each for each in h.messages(DIRECT) if each["msg_type"] == "file"]
