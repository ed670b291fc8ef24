"""Public bug reports about long connections and secrets, one script for every platform."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.simulators.slack.simulator import SlackSimulator
from tests.journeys.scripted_model import Refuse, scripted_model
from tests.journeys.test_one_conversation import PLATFORMS, TOWNS, Chat, chat
from tests.journeys.towns.street import CHEN, DIRECT, Street
from tests.processes.gateway import gateway

EVERYWHERE = pytest.mark.parametrize("name", PLATFORMS)
CUTS = 3


@EVERYWHERE
async def test_f08_a_hung_request_for_a_connection_cannot_silence_the_bot(name: str, home: Path) -> None:
    patience = {f"channels.{name}.main.{key}": "0.4" for key in ("connect_timeout_s", "request_timeout_s")}
    async with chat(name, home, patience) as c:
        street = c.town.street
        street.fault(re.escape(street.dials), {"hang": True})
        await street.drop()
        await c.until(lambda: not c.town.is_connected(), "cut off")
        await c.until(lambda: len(street.entries("rest", street.dials)) >= 3, "asked again")
        await c.until(c.town.is_connected, "connected again")
        street.say("are you there?", where=DIRECT)
        await c.heard("You said: are you there?", where=DIRECT)
        assert street.count(DIRECT) == 1


@EVERYWHERE
async def test_f09_every_new_socket_has_an_address_of_its_own(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        street = c.town.street
        for cut in range(CUTS):
            await street.drop()
            await c.until(lambda n=cut: _opened(street) >= n + 2 and c.town.is_connected(), "connected again")
        assert len(street.entries("rest", street.dials)) >= _opened(street) == CUTS + 1
        street.say("and now?", where=DIRECT)
        await c.heard("You said: and now?", where=DIRECT)
        assert street.count(DIRECT) == 1 and len(c.model.asked) == 1


def _opened(street: Street) -> int:
    """Give how many sockets were opened; each address opens one."""
    return sum(each.status == 101 for each in street.entries("socket"))


@pytest.mark.parametrize("name", ["slack", "dingtalk"])
async def test_f11_several_bots_of_one_platform_live_in_one_process(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        sim = c.town.street.sim
        await c.stop()
        second = _second(c, name)
        await c.start()
        await c.until(lambda: sim.sockets.count(second.app_id) > 0, "the second is connected")
        chen = sim.world.direct_chat(second.app_id, c.town.street.people[CHEN])
        theirs = getattr(chen, "chat_id", "") or chen.id
        c.town.street.say("for A", where=DIRECT)
        c.town.street.say("for B", where=theirs, by=CHEN, mention=False)
        await c.heard("You said: for A", where=DIRECT)
        await c.until(lambda: "You said: for B" in _text(sim, theirs), "B answers")
        assert "for B" not in c.town.street.heard(DIRECT) and "for A" not in _text(sim, theirs)
        await sim.drop(second.app_id, "abort")
        c.town.street.say("A again", where=DIRECT)
        await c.heard("You said: A again", where=DIRECT)
        await c.until(lambda: sim.sockets.count(second.app_id) > 0, "B is back")
        c.town.street.say("B again", where=theirs, by=CHEN, mention=False)
        await c.until(lambda: "You said: B again" in _text(sim, theirs), "B answers again")


def _second(c: Chat, name: str) -> object:
    """Add a second app to the platform and an account for it to the settings."""
    sim = c.town.street.sim
    first = {key: value for key, value in c.settings.items() if key.startswith(f"channels.{name}.main.")}
    if name == "slack":
        app = sim.add_app("xoxb-second", "xapp-second", "helper")
        own = {"bot_token": "xoxb-second", "app_token": "xapp-second"}
    else:
        app = sim.add_app("dingsecond", "secret_second", "helper")
        own = {"client_id": "dingsecond", "client_secret": "secret_second"}
    account = {key.replace(".main.", ".second."): value for key, value in first.items()}
    c.settings |= account | {f"channels.{name}.second.{key}": value for key, value in own.items()}
    return app


def _text(sim: SlackSimulator | DingTalkSimulator, chat_id: str) -> str:
    messages = [each for each in sim.state()["messages"] if each["chat_id"] == chat_id]
    return "\n".join(str(each.get("shown") or each["text"]) for each in messages if each["sender"]["type"] == "bot")


BOT, APP, SECRET, KEY = "xoxb-marked-4711", "xapp-marked-4712", "marked-secret-4713", "marked-model-key-4714"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["slack", "dingtalk"])
async def test_f64_no_secret_gets_into_logs_or_chat(name: str, home: Path) -> None:
    sim = _marked(name)
    await sim.start()
    try:
        async with scripted_model() as model:
            model.script([Refuse(401, f"Incorrect API key provided: {KEY}")], when="doomed")
            env = _environment(sim) | {f"NIUMA_MODELS__MAIN__{key}": value for key, value in _model(model.url).items()}
            words = ("--log-level", "debug")
            async with gateway(home, arguments=words, NIUMA_MODELS__DEFAULT="main", **env) as process:
                await _lives_through_errors(name, sim)
                process.terminate()
                assert await process.ended() == 0, process.log()
                logged = process.log() + "\n".join(path.read_text() for path in (home / "logs").glob("*"))
        said = "\n".join(str(each) for each in sim.state()["messages"])
        secrets = {BOT, APP, SECRET, KEY, *_tickets(sim)} if name == "slack" else {SECRET, KEY, *_tickets(sim)}
        assert len(secrets) >= 4
        assert [secret for secret in secrets if secret in logged + said] == []
        assert name in logged
    finally:
        await sim.stop()


def _marked(name: str) -> SlackSimulator | DingTalkSimulator:
    if name == "slack":
        workspace = SlackSimulator()
        workspace.add_app(BOT, APP, "niuma")
        return workspace
    organisation = DingTalkSimulator()
    organisation.add_app("dingdemo", SECRET, "niuma")
    return organisation


def _environment(sim: SlackSimulator | DingTalkSimulator) -> dict[str, str]:
    if isinstance(sim, SlackSimulator):
        account = {"BOT_TOKEN": BOT, "APP_TOKEN": APP, "BASE_URL": sim.api_url}
        return {f"NIUMA_CHANNELS__SLACK__MAIN__{key}": value for key, value in account.items()}
    account = {"CLIENT_ID": "dingdemo", "CLIENT_SECRET": SECRET, "API_BASE": sim.url, "OAPI_BASE": sim.url}
    return {f"NIUMA_CHANNELS__DINGTALK__MAIN__{key}": value for key, value in account.items()}


def _model(url: str) -> dict[str, str]:
    return {"MODEL": "openai/main", "API_BASE": url, "API_KEY": KEY}


async def _lives_through_errors(name: str, sim: SlackSimulator | DingTalkSimulator) -> None:
    """Connect, answer, lose the connection and a call, and fail for the model's sake."""
    street = TOWNS[name]().street
    group, lin = street.chat("group"), street.people["lin"]
    await _until(sim, lambda: sim.sockets.count(sim.app_id) > 0)
    sim.send(group, lin, "@niuma hello")
    await _until(sim, lambda: "You said: hello" in _text(sim, group))
    sim.faults.add({"match": {"path": re.escape(street.dials)}, "action": {"drop": True}, "times": 1})
    for path in ("/api/chat.postMessage", "/v1.0/robot/"):
        sim.faults.add({"match": {"path": path}, "action": {"status": 500, "error": "internal_error"}, "times": 1})
    await sim.drop(sim.app_id, "abort")
    await _until(sim, lambda: sim.sockets.count(sim.app_id) == 0)
    await _until(sim, lambda: sim.sockets.count(sim.app_id) > 0)
    sim.send(group, lin, "@niuma doomed")
    await _until(sim, lambda: "API key" in _text(sim, group) or "key" in _text(sim, group).lower())


async def _until(sim: SlackSimulator | DingTalkSimulator, ready: Callable[[], bool], *, within_s: float = 30.0) -> None:
    deadline = asyncio.get_running_loop().time() + within_s
    while not ready():
        assert asyncio.get_running_loop().time() < deadline, sim.state()["messages"]
        await asyncio.sleep(0.05)


def _tickets(sim: SlackSimulator | DingTalkSimulator) -> set[str]:
    """Give one-time tickets, and the addresses and tokens the platform gave out for a time."""
    frames = " ".join(f"{each.path} {each.body}" for each in sim.timeline.since())
    found = re.findall(r"(?:ticket|session|access_token)=([\w%-]{8,})", frames)
    return set(found) | set(re.findall(r"/actions/[\w/]+|/commands/[\w/]+", frames))
