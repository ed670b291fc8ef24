"""How examinations are run: at once, each within its time, none able to stop another or the program's end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from channels.base import Finding
from channels.testing.fake import FakeChannel
from gateway.clock import FakeClock, SystemClock
from gateway.doctor import examine
from gateway.doctor.channel import examinations_of
from gateway.doctor.examination import Examination
from gateway.doctor.examine import _examined
from gateway.supervisor import Supervisor
from tests.unit.gateway.doctor.subjects import AWAY, found, said, subject


async def test_one_that_hangs_is_given_up() -> None:
    async def hang() -> Finding:
        await asyncio.Event().wait()
        raise AssertionError

    result = await _examined(Examination("x", hang, limit_s=0.05))
    assert said(result) == ("fail", "too_slow")


async def test_one_that_breaks_is_a_finding() -> None:
    async def breaks() -> Finding:
        raise KeyError("x")

    assert said(await _examined(Examination("x", breaks))) == ("fail", "examination_broke")


@pytest.mark.timeout(60)
def test_the_program_ends_while_a_thread_still_waits() -> None:
    code = (
        "import asyncio, time\nfrom gateway.doctor.threads import AbandonedThreads\n"
        "async def main():\n"
        "    asyncio.get_running_loop().set_default_executor(AbandonedThreads())\n"
        "    try: await asyncio.wait_for(asyncio.to_thread(time.sleep, 50), 0.1)\n"
        "    except TimeoutError: pass\n"
        "    print(await asyncio.to_thread(lambda: 'done'))\n"
        "asyncio.run(main())\n"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "done\n"
    assert time.monotonic() - began < 40


async def test_a_model_answers_or_is_dead(tmp_path: Path) -> None:
    assert said(await found(subject(tmp_path), "model", "demo")) == ("ok", "model_demo")
    dead = {"models__default": "main", "models__main__model": "openai/x", "models__main__api_base": AWAY}
    who = subject(tmp_path, {"KEY": "marker"}, models__main__api_key="${KEY}", **dead)
    result = await found(who, "model", "main")
    assert said(result) == ("fail", "model_failed")
    assert result.finding.advice == "model_unavailable"
    asked = await found(
        subject(tmp_path, {"KEY": "marker"}, models__main__api_key="${KEY}", offline=True, **dead), "model"
    )
    assert said(asked) == ("skipped", "offline")
    keyless = await found(subject(tmp_path, models__main__api_key="${KEY}", **dead), "model", "main")
    assert said(keyless) == ("fail", "model_unusable")


async def test_fallbacks_of_the_default_are_asked_too(tmp_path: Path) -> None:
    settings = {"models__default": "a", "models__a__model": "openai/x", "models__b__model": "openai/y"}
    settings |= {"models__a__api_base": AWAY, "models__b__api_base": AWAY, "models__a__fallbacks": '["b"]'}
    every = await examine(subject(tmp_path, **settings))
    assert [each.about for each in every if each.name == "model"] == ["a", "b"]


async def test_a_channel_tells_of_itself_and_readiness_says_the_same(tmp_path: Path) -> None:
    channel = FakeChannel(tmp_path / "platform", FakeClock())
    async with AsyncExitStack() as stack:
        (examination,) = await examinations_of(channel, stack, offline=False)
        assert (examination.name, examination.about) == ("credentials", "fake:main")
        assert said(await _examined(examination)) == ("ok", "token_given")
        channel.fault("token", "auth")
        result = await _examined(examination)
        assert (said(result), result.finding.advice) == (("fail", "refused"), "auth_failed")
        (skipped,) = await examinations_of(channel, stack, offline=True)
        assert said(await _examined(skipped)) == ("skipped", "offline")
    (check,) = Supervisor([channel], "en").checks()
    assert (check["code"], check["fix"]) == ("connecting", "Nothing yet: it is connecting.")
    (check,) = Supervisor([channel], "zh").checks()
    assert "正在连接" in check["fix"]
    await channel.start(None)  # pyright: ignore[reportArgumentType]
    (check,) = Supervisor([channel], "en").checks()
    assert (check["ok"], check["fix"]) == (True, "")
    await channel.stop()


async def test_a_real_clock_is_the_default(tmp_path: Path) -> None:
    assert isinstance(subject(tmp_path).clock, SystemClock)
