"""An answer of which DingTalk can never tell whether it arrived: told once, never repeated unasked, never lost."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from gateway.cli.main import main
from gateway.texts.commands_en import TEXTS as SAYS
from gateway.texts.commands_zh import TEXTS as ZH_SAYS
from gateway.texts.zh import TEXTS as ZH
from tests.contract.dingtalk_adapter import CHEN
from tests.journeys.dingtalk_house import DIRECT, GROUP, LIN, DingtalkHouse, dingtalk_house
from tests.journeys.scripted_model import Say, Until

PLAIN = {"channels.dingtalk.main.card_template_id": ""}
WHOLE = "All of it."
TOLD = "may not have arrived"


def count(h: DingtalkHouse, words: str) -> int:
    return h.text().count(words)


async def doubted(h: DingtalkHouse, action: dict[str, Any], chat: str = GROUP) -> str:
    """Ask, lose the platform's word about the answer, and give the code that the person is told."""
    h.sim.faults.add({"match": {"path": "sendBySession"}, "action": action})
    h.model.script([Say(WHOLE)], when="tell")
    h.say("@niuma tell me" if chat == GROUP else "tell me", chat=chat)
    await h.sees(TOLD)
    found = re.search(r"/again (\w{8})", h.text())
    assert found is not None
    return found[1]


def listed(h: DingtalkHouse, capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["--home", str(h.home), "runs", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["runs"]


@pytest.mark.parametrize(("action", "arrived"), [({"lost_answer": True}, 1), ({"status": 502}, 0)])
async def test_what_may_have_arrived_is_told_once_and_comes_again_only_when_asked(
    home: Path, action: dict[str, Any], arrived: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with dingtalk_house(home, PLAIN) as h:
        code = await doubted(h, action)
        assert count(h, WHOLE) == arrived
        h.say(f"@niuma /again {code}", by=CHEN)
        await h.until(lambda: len(h.answers()) == arrived + 2)
        assert count(h, WHOLE) == arrived, "it is not Chen's"
        await h.stop()
        await h.start()
        (run,) = await asyncio.to_thread(listed, h, capsys, "--dead")
        assert [(row["state"], row["reason"]) for row in run["deliveries"]] == [("failed", "unproven")]
        await asyncio.sleep(0.5)
        assert (count(h, WHOLE), count(h, TOLD)) == (arrived, 1), "a restart repeats neither"
        h.say(f"@niuma /again {code}")
        await h.until(lambda: count(h, WHOLE) == arrived + 1)
        await h.sees(SAYS["reply.again"])
        await asyncio.sleep(0.3)
        assert (count(h, WHOLE), count(h, TOLD), len(h.model.asked)) == (arrived + 1, 1, 1)
        (run,) = await asyncio.to_thread(listed, h, capsys)
        assert [(row["kind"], row["state"]) for row in run["deliveries"]] == [
            ("final", "delivered"),
            ("again", "delivered"),
        ]


async def test_who_asked_in_chinese_is_told_in_chinese(home: Path) -> None:
    async with dingtalk_house(home, PLAIN) as h:
        h.sim.faults.add({"match": {"path": "sendBySession"}, "action": {"lost_answer": True}})
        h.model.script([Say("全部内容。")])
        h.say("请告诉我", chat=DIRECT)
        await h.sees(ZH["notice.unproven"].partition("{")[0].strip())
        h.say("/再发", chat=DIRECT)
        await h.until(lambda: any(ZH_SAYS[f"reply.{key}"] in h.text() for key in ("again", "again_on_its_way")))
        await h.until(lambda: count(h, "全部内容。") == 2)
        assert count(h, TOLD) == 0 and len(h.model.asked) == 1


async def test_an_answer_on_its_way_when_the_gateway_stopped_is_told_by_the_next(home: Path) -> None:
    async with dingtalk_house(home, {**PLAIN, "runs.drain_s": "0.2", "runs.final_try_s": "0.3"}) as h:
        h.sim.faults.add({"match": {"path": "sendBySession"}, "action": {"delay_s": 2.0}})
        h.model.script([Say(WHOLE)], when="tell")
        h.say("tell me", chat=DIRECT)
        await h.until(lambda: any("sendBySession" in e.path for e in h.sim.timeline.since() if e.kind == "rest"))
        await h.stop()
        await h.start()
        await h.sees(TOLD)
        await asyncio.sleep(2.0)
        assert count(h, WHOLE) <= 1, "it is not repeated"
        assert count(h, TOLD) == 1


async def test_the_metrics_tell_what_is_open(home: Path) -> None:
    port = free_port()
    async with dingtalk_house(home, {**PLAIN, "runs.final_try_s": "0.3", "server.port": str(port)}) as h:
        gate = asyncio.Event()
        h.model.script([Say("So far."), Until(gate), Say(WHOLE)], when="tell")
        h.say("tell me", chat=DIRECT)
        await h.until(lambda: bool(h.model.asked))
        h.sim.faults.add({"match": {"path": "sendBySession"}, "action": {"code": -1}, "times": -1})
        gate.set()
        await shows(port, 'niuma_deliveries_open{kind="final"} 1.0')
        assert float(re.findall(r"(?m)^niuma_delivery_oldest_seconds (\S+)", await scraped(port))[0]) > 0
        h.sim.faults.clear()
        await shows(port, 'niuma_deliveries_open{kind="final"} 0.0')
        assert count(h, WHOLE) == 1
        assert "niuma_delivery_oldest_seconds 0.0" in await scraped(port)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


async def scraped(port: int) -> str:
    def read() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return answer.read().decode()

    return await asyncio.to_thread(read)


async def shows(port: int, line: str) -> None:
    async with asyncio.timeout(15):
        while line not in await scraped(port):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_a_guest_is_answered_by_the_next_process_too(home: Path) -> None:
    """Nobody without a staff id can be written to but by the address that came with their message."""
    async with dingtalk_house(home, {**PLAIN, "access.allow": '["dingtalk:main:%24%3ALWCP_v1%3A%240147lin"]'}) as h:
        h.sim.world.people[LIN].is_outside = True
        gate = asyncio.Event()
        h.model.script([Say("So far. "), Until(gate)], [Say(WHOLE)], when="tell")
        h.say("tell me", chat=DIRECT)
        await h.until(lambda: bool(h.model.asked))
        await h.stop()
        gate.set()
        await h.start()
        await h.sees(WHOLE)
        assert count(h, WHOLE) == 1
        assert count(h, TOLD) == 0
        assert len(h.model.asked) == 2, "asked anew: the first one was cut"
