"""Stopping politely, going on afterwards, and what never gets into a log."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest

from gateway.texts.en import TEXTS
from tests.journeys.house import LIN, House, house
from tests.journeys.scripted_model import Refuse, Say, Stall, Until
from tests.journeys.seen import Seen
from tests.processes.gateway import gateway

GRACE_S = 2.0


@pytest.mark.slow
async def test_f61_sigterm_lets_the_short_run_end_and_pauses_the_long_one(home: Path) -> None:
    async with house(home, start=False) as h:
        soon = asyncio.Event()
        h.model.script([Say("A short "), Until(soon), Say("answer.")], when="short")
        h.model.script([Say("A long "), Stall()], [Say("A long answer after all.")], when="long")
        other = h.sim.add_chat("other", [LIN])
        async with h.process(NIUMA_RUNS__DRAIN_S=str(GRACE_S)) as first:
            short, long = await h.say("@niuma short"), await h.say("@niuma long", chat=other)
            await h.sees(short, lambda seen: "A short" in seen.body)
            await h.sees(long, lambda seen: "A long" in seen.body)
            began = time.monotonic()
            first.terminate()
            late = await h.say("@niuma while you stop")
            soon.set()
            assert await first.ended() == 0, first.log()
            assert time.monotonic() - began < GRACE_S + 5
        answer, paused = h.seen(short), h.seen(long)
        assert answer is not None and (answer.status, answer.body.strip()) == ("Done", "A short answer.")
        assert paused is not None and paused.status == TEXTS["status.paused"] and "A long" in paused.body
        assert TEXTS["notice.paused"] in paused.body
        assert not any(each["card_state"]["streaming"] for each in h.messages() if each["card_state"])
        async with h.process() as second:
            h.sim.advance(16)
            assert "A long answer after all." in (await h.finished(long)).body
            assert (await h.finished(late)).body.strip() == "You said: while you stop"
            assert len(h.messages()) == 3
            second.terminate()
            assert await second.ended() == 0


async def test_f61_where_runs_do_not_resume_the_card_is_interrupted_and_retry_works(home: Path) -> None:
    async with house(home, {"runs.resume": "false", "runs.drain_s": "0.2"}) as h:
        h.model.script([Say("So far "), Stall()], when="long")
        asked = await h.say("@niuma a long one")
        await h.sees(asked, lambda seen: "So far" in seen.body)
        await h.stop()
        cut = h.seen(asked)
        assert cut is not None and cut.status == "Interrupted" and not cut.looks_active
        assert "So far" in cut.body and TEXTS["notice.interrupted"] in cut.body
        await h.start()
        assert await h.press(cut, "retry") == TEXTS["toast.retrying"]
        both = await h.sees(asked, lambda seen: len(seen.messages) == 2 and not seen.looks_active)
        assert Seen(both.messages[1:]).body.strip() == "You said: a long one"


@pytest.mark.slow
async def test_a_second_sigterm_does_not_wait_for_the_model(home: Path) -> None:
    async with house(home, start=False) as h:
        h.model.script([Say("So far "), Stall()], [Say("All of it.")], when="long")
        async with h.process(NIUMA_RUNS__DRAIN_S="60") as first:
            asked = await h.say("@niuma long")
            await h.sees(asked, lambda seen: "So far" in seen.body)
            first.terminate()
            await h.until(lambda: "drain_begins" in first.log(), within_s=10, why="the drain begins")
            first.terminate()
            assert await first.ended(15) == 0, first.log()
        assert (seen := h.seen(asked)) is not None and seen.status == TEXTS["status.paused"]
        async with h.process():
            assert (await h.finished(asked)).body.strip() == "All of it."


MARKS = {
    "NIUMA_CHANNELS__FEISHU__MAIN__APP_SECRET": "marked-app-secret-4711",
    "NIUMA_MODELS__MAIN__API_KEY": "marked-model-key-4712",
    "NIUMA_TOKEN": "marked-server-token-4713",
}


@pytest.mark.slow
async def test_f64_no_secret_gets_into_logs_or_chat(home: Path) -> None:
    async with house(home, start=False) as h:
        h.sim.add_app("cli_demo", MARKS["NIUMA_CHANNELS__FEISHU__MAIN__APP_SECRET"], "niuma")
        h.model.script([Refuse(401, "Incorrect API key provided: marked-model-key-4712")], when="doomed")
        async with h.process("--log-level", "debug", **MARKS) as process:
            assert (await h.finished(await h.say("@niuma hello"))).status == "Done"
            h.sim.faults.add({"match": {"path": "^/ws$"}, "action": {"status": 403}, "times": 1})
            h.sim.faults.add({"match": {"path": "/callback/ws/endpoint"}, "action": {"drop": True}, "times": 1})
            await h.sim.drop(how="abort")
            await h.until(lambda: len(h.calls("/callback/ws/endpoint")) >= 3, within_s=20, why="dialled again")
            await h.until(h.is_ready, within_s=20)
            h.sim.revoke_token()
            h.sim.faults.add({"match": {"path": "/content$"}, "action": {"status": 400, "code": 1}, "times": 2})
            failed = await h.finished(await h.say("@niuma doomed"))
            assert failed.status == "Failed"
            process.terminate()
            assert await process.ended() == 0
        logged = process.log() + "\n".join(path.read_text() for path in (home / "logs").glob("*"))
        chat = "\n".join(str(each) for each in h.sim.state()["messages"])
        secrets = {*MARKS.values(), *_tickets(h), *_tokens(h)}
        assert len(secrets) >= 6
        assert [secret for secret in secrets if secret in logged + chat] == []
        assert "feishu" in logged and "cli_demo" in logged + str(h.sim.state())


def _tickets(h: House) -> set[str]:
    """Give the one-time tickets of all sockets."""
    return set(re.findall(r"ticket=([\w-]+)", " ".join(each.path for each in h.sim.timeline.since())))


def _tokens(h: House) -> set[str]:
    """Give the tenant tokens the platform gave out."""
    return {each.value for each in h.sim.tokens._tokens.values()}


async def test_an_unknown_setting_names_the_nearest_one_and_ends_with_2(home: Path) -> None:
    (home / "niuma.toml").write_text("[cards]\nrefresh_mss = 300\n")
    async with gateway(home, "http://127.0.0.1:9") as process:
        assert await process.ended(20) == 2
        assert "refresh_mss" in process.log() and "cards.refresh_ms" in process.log()
        assert "Traceback" not in process.log()
