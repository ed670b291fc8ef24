"""`niuma doctor` as people and programs use it: exit codes, the form of its JSON, its language, no secret anywhere."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from channels.simulators.feishu.simulator import FeishuSimulator

ROOT = Path(__file__).parents[2]
MARKER = "marker7secret"
pytestmark = pytest.mark.timeout(120)


@dataclass(frozen=True)
class Done:
    code: int
    stdout: str
    stderr: str

    def findings(self) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in json.loads(self.stdout)["findings"]}


Doctor = Callable[..., Any]


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    """Call it in a process of its own."""

    async def call(*words: str, **env: str) -> Done:
        import asyncio

        left_out = ("NIUMA_", "OPENAI_", "LC_", "LANG")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        clean |= {"NIUMA_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | env
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "gateway.cli", "doctor", *words, env=clean,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
        return Done(process.returncode or 0, out.decode(), err.decode())

    return call


@pytest.fixture
async def sim() -> AsyncIterator[FeishuSimulator]:
    simulator = FeishuSimulator()
    simulator.add_app("cli_demo", MARKER, "niuma")
    await simulator.start()
    yield simulator
    await simulator.stop()


def account(sim: FeishuSimulator, secret: str = MARKER) -> dict[str, str]:
    prefix = "NIUMA_CHANNELS__FEISHU__MAIN__"
    return {f"{prefix}APP_ID": "cli_demo", f"{prefix}APP_SECRET": secret, f"{prefix}DOMAIN": sim.url}


async def test_all_well_is_0_and_its_form_is_fixed(doctor: Doctor, sim: FeishuSimulator) -> None:
    done = await doctor("--json", "--fix", NIUMA_SERVER__PORT="0", **account(sim))
    body = json.loads(done.stdout)
    assert (done.code, done.stderr) == (0, "")
    assert set(body) == {"v", "ok", "counts", "findings"}
    assert (body["v"], body["ok"], body["counts"]["fail"]) == (1, True, 0)
    assert sum(body["counts"].values()) == len(body["findings"])
    for each in body["findings"]:
        assert set(each) == {
            "name", "about", "status", "code", "evidence", "advice", "fix", "fixed", "elapsed_ms", "details",
        }  # fmt: skip
        assert each["evidence"] and each["status"] in ("ok", "warn", "fail", "skipped")
    assert done.findings()["folder"]["fixed"] is True
    assert done.findings()["credentials"]["about"] == "feishu:main"


async def test_a_failure_is_1_and_says_what_to_do(doctor: Doctor, sim: FeishuSimulator) -> None:
    done = await doctor(LANG="en_US.UTF-8", **account(sim, "wrong"))
    assert done.code == 1
    assert done.stderr == ""
    assert "FAIL  Credentials feishu:main" in done.stdout
    assert f"Copy the app secret anew from {sim.url}/app/cli_demo" in done.stdout
    assert "\x1b[" not in done.stdout
    worst = done.stdout.index("FAIL  Credentials")
    assert worst > done.stdout.index("\nok ") and worst > done.stdout.index("\nwarn ")
    assert "1 failed" in done.stdout.splitlines()[-1]


async def test_it_speaks_chinese_to_who_does(doctor: Doctor, sim: FeishuSimulator) -> None:
    done = await doctor(LANG="zh_CN.UTF-8", **account(sim, "wrong"))
    assert "失败  凭证 feishu:main" in done.stdout
    assert "重新复制 App Secret" in done.stdout


async def test_a_terminal_without_the_characters_still_shows_the_rest(doctor: Doctor) -> None:
    done = await doctor("--offline", LANG="zh_CN.GB2312", PYTHONIOENCODING="ascii")
    assert (done.code, done.stderr) == (0, "")
    assert "demo/offline" in done.stdout


async def test_broken_settings_are_found_and_a_wrong_command_line_is_2(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("[cards\n")
    broken = await doctor("--json", "--config", str(tmp_path / "broken.toml"))
    assert broken.code == 1
    assert broken.findings()["settings"]["code"] == "settings_refused"
    assert broken.findings()["folder"]["status"] == "warn"
    missing = await doctor("--json", "--config", str(tmp_path / "missing.toml"))
    assert (missing.code, missing.findings()["settings"]["advice"]) == (1, "settings_missing")
    for words in (["--nope"], ["--set", "cards.refersh_ms=3"], ["--set", "cards"]):
        wrong = await doctor(*words)
        assert (wrong.code, wrong.stdout) == (2, "")
        assert "Traceback" not in wrong.stderr
    assert not (tmp_path / "home").exists()


async def test_no_secret_is_told_by_any_way(doctor: Doctor, sim: FeishuSimulator, tmp_path: Path) -> None:
    """Not those in the file, not those in variables, not those that a platform or a driver repeats."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "niuma.toml").write_text(
        f'[server]\ntoken = "{MARKER}"\n[models]\ndefault = "main"\n'
        f'[models.main]\nmodel = "openai/x"\napi_base = "{sim.url}"\napi_key = "{MARKER}"\n'
    )
    refusal = {"code": 10014, "msg": f"app secret {MARKER} invalid", "status": 200}
    sim.faults.add({"match": {"path": "tenant_access_token"}, "action": refusal, "times": -1})
    env = account(sim) | {
        "NIUMA_DATABASE__URL": f"postgresql://me:{MARKER}@127.0.0.1:9/niuma",
        "HTTPS_PROXY": f"http://me:{MARKER}@127.0.0.1:9",
        "LANG": "en_US.UTF-8",
    }
    for words in (["--all"], ["--json"], ["--all", "--log-level", "debug"]):
        done = await doctor(*words, **env)
        assert done.code == 1
        assert "invalid" in done.stdout and "[hidden]" in done.stdout
        assert MARKER not in done.stdout + done.stderr
