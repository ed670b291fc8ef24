"""The long connection in bad weather: what a person and an operator see."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.house import House, house
from tests.processes.gateway import gateway

CHANNEL = "channel:feishu:main"
ENDPOINT = "/callback/ws/endpoint"
PATIENCE = {"channels.feishu.main.connect_timeout_s": "0.4", "channels.feishu.main.request_timeout_s": "0.4"}


async def red(h: House) -> dict[str, str]:
    return (await h.readyz())[1]


async def test_f08_a_hung_request_for_an_address_cannot_silence_the_bot(home: Path) -> None:
    async with house(home, PATIENCE) as h:
        h.sim.faults.add({"match": {"path": ENDPOINT}, "action": {"hang": True}, "times": 1})
        await h.sim.drop()
        asked = await h.say("@niuma are you there?")
        await h.until(lambda: red(h), why="/readyz says not connected")
        assert set(await red(h)) == {CHANNEL}
        # A whole attempt is given up after 2 x connect_timeout_s + 2 s: 22 s with the default of 10.
        await h.until(h.is_ready, within_s=6, why="connected again")
        h.sim.advance(16)
        assert (await h.finished(asked)).body.strip() == "You said: are you there?"
        assert len(h.messages()) == 1


@pytest.mark.parametrize(
    ("action", "times"),
    [
        ({"status": 200, "code": 1000040345, "msg": "system busy"}, 1),
        ({"status": 200, "code": 1000040343, "msg": "internal error"}, 1),
        ({"status": 503}, 1),
        ({"drop": True}, 1),
        ({"delay_s": 0.3}, 1),
    ],
    ids=["busy", "internal", "503", "reset", "slow"],
)
async def test_whatever_the_platform_says_to_a_new_connection_it_is_tried_again(
    home: Path, action: dict[str, Any], times: int
) -> None:
    async with house(home) as h:
        h.sim.faults.add({"match": {"path": ENDPOINT}, "action": action, "times": times})
        await h.sim.drop(how="abort")
        await h.until(lambda: red(h), why="not connected")
        await h.until(h.is_ready, why="connected again")
        assert (await h.finished(await h.say("@niuma back?"))).status == "Done"
        assert len(h.messages()) == 1


async def test_too_many_connections_are_told_and_one_is_taken_when_there_is_room(home: Path) -> None:
    async with house(home) as h:
        h.sim.options.change({"max_connections": 0})
        await h.sim.drop()
        await h.until(lambda: _reason(h, "1000040350"), why="/readyz tells the limit")
        asked = await h.say("@niuma is there room?")
        h.sim.options.change({"max_connections": 50})
        await h.until(h.is_ready, within_s=12, why="connected when there is room")
        h.sim.advance(16)
        assert (await h.finished(asked)).status == "Done"


async def _reason(h: House, words: str) -> bool:
    async with h._http.get(f"{h._url}/readyz") as response:
        return words in str(await response.json())


async def test_a_rotated_secret_is_told_and_nothing_is_lost_until_it_is_right_again(home: Path) -> None:
    async with house(home) as h:
        app = h.sim.world.apps["cli_demo"]
        app.app_secret, old = "the new one", app.app_secret
        h.sim.revoke_token()
        await h.sim.drop()
        await h.until(lambda: _is_red(h, {CHANNEL: "auth_failed"}), why="/readyz says auth_failed")
        asked = await h.say("@niuma are you there?")
        app.app_secret = old
        await h.until(h.is_ready, within_s=12, why="connected again")
        h.sim.advance(16)
        assert (await h.finished(asked)).status == "Done"
        assert len(h.messages()) == 1


async def _is_red(h: House, wanted: dict[str, str]) -> bool:
    return await red(h) == wanted


async def test_two_processes_on_one_app_share_its_messages_and_double_none(home: Path, tmp_path: Path) -> None:
    async with house(home) as h:
        account = {f"NIUMA_MODELS__MAIN__{key}": value for key, value in _model(h).items()}
        async with gateway(tmp_path / "other", h.sim.url, NIUMA_MODELS__DEFAULT="main", **account):
            await h.until(lambda: h.sim.sockets.count(h.sim.app_id) == 2, within_s=30, why="both connected")
            asked = [await h.say(f"@niuma question {n}", chat="oc_topics") for n in range(8)]
            answers = await asyncio.gather(*(h.sees(each, lambda seen: not seen.looks_active) for each in asked))
            assert [answer.body.strip() for answer in answers] == [f"You said: question {n}" for n in range(8)]
            assert len(h.messages()) == 8


def _model(h: House) -> dict[str, str]:
    return {"MODEL": "openai/main", "API_BASE": h.model.url, "API_KEY": "sk-key-of-the-scripted-model"}
