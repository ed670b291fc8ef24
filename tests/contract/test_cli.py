"""The command line as another program uses it: exit codes, what is on stdout, and how quickly it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.cli.main import NOT_BUILT
from tests.contract.cli import ROOT, Niuma, holding

pytestmark = pytest.mark.timeout(180)  # many of these start a Python with the whole engine


def test_version_and_help(niuma: Niuma, tmp_path: Path) -> None:
    version = niuma("version")
    assert (version.code, version.stdout, version.stderr) == (0, "0.1.0\n", "")
    helped = niuma("--help")
    assert helped.code == 0
    assert "serve" in helped.stdout
    assert niuma("agent", "--help").stdout.count("--json") == 2
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("words", [["--help"], ["version"], ["serve", "--help"]])
def test_nothing_heavy_is_imported_to_answer_that(niuma: Niuma, tmp_path: Path, words: list[str]) -> None:
    code = (
        "import sys\nfrom gateway.cli.main import main\n"
        f"try: main({words!r})\nexcept SystemExit: pass\n"
        "print(sorted({n.split('.')[0] for n in sys.modules} & "
        "{'pydantic', 'asyncio', 'engine', 'channels', 'aiohttp', 'sqlalchemy', 'lark_oapi', 'litellm', 'dbos'}))"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "invalid choice"),
        ([], "usage: niuma"),
        (["agent"], "required: question"),
        (["agent", "hi", "--model", "nope"], "there is no model 'nope'"),
        (["models", "test", "dmo"], "did you mean 'demo'"),
        (["models", "--set", "cards.refersh_ms=3"], "did you mean cards.refresh_ms?"),
        (["models", "--set", "cards.refresh_ms"], "write --set KEY=VALUE"),
        (["models", "--config", "missing.toml"], "there is no such file"),
        (["serve", "--port", "x"], "server.port (command line): 'x' is not a whole number"),
        *[([name], f"niuma {name} is not built yet.") for name in NOT_BUILT],
        (["init", "--deep", "x"], "not built yet"),
        (["chat", "--agent", "helper"], "there is no agent 'helper'; there is only 'main' for now"),
    ],
)
def test_usage_and_settings_give_2(niuma: Niuma, words: list[str], said: str) -> None:
    done = niuma(*words)
    assert done.code == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_wrong_variable_is_named(niuma: Niuma) -> None:
    done = niuma("models", NIUMA_CARD__REFRESH_MS="300")
    assert done.code == 2
    assert "did you mean NIUMA_CARDS__REFRESH_MS?" in done.stderr


def test_an_open_door_is_not_opened(niuma: Niuma) -> None:
    """F67: bound to all interfaces without a token, the gateway refuses and says why."""
    done = niuma("serve", "--host", "0.0.0.0", "--port", "0")
    assert done.code == 2
    assert "can be reached from other machines" in done.stderr


def test_models_are_listed_with_what_they_lack(niuma: Niuma) -> None:
    env = {"NIUMA_MODELS__MAIN__MODEL": "openai/gpt", "NIUMA_MODELS__MAIN__API_KEY": "${MAIN_KEY}"}
    done = niuma("models", "list", **env)
    assert done.code == 0
    demo, main = done.stdout.splitlines()
    assert demo == "* demo\tdemo/offline\tok"
    assert main.startswith("  main\topenai/gpt\tmodels.main.api_key")
    assert "set the variable MAIN_KEY" in main


def test_the_database_can_be_looked_at_and_migrated(niuma: Niuma, tmp_path: Path) -> None:
    file = tmp_path / "data" / "niuma.db"
    assert niuma("db", "path").stdout == f"{file}\n"
    for action in ("check", "version"):
        missing = niuma("db", action)
        assert (missing.code, missing.stdout) == (1, "")
        assert "there is no database yet" in missing.stderr
    assert not file.exists()
    assert niuma("db", "migrate").stdout.startswith("empty -> ")
    assert niuma("db", "check").stdout.startswith(f"ok: {file}, revision ")
    assert niuma("db", "version").code == 0
    again = niuma("db", "migrate")
    before, after = again.stdout.split(":")[0].split(" -> ")
    assert before == after


def test_a_damaged_database_is_found(niuma: Niuma, tmp_path: Path) -> None:
    niuma("db", "migrate")
    file = tmp_path / "data" / "niuma.db"
    whole = bytearray(file.read_bytes())
    whole[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    file.write_bytes(whole)
    done = niuma("db", "check")
    assert done.code == 1
    assert done.stdout == ""
    assert done.stderr.startswith("niuma: ")
    assert "Traceback" not in done.stderr


def test_a_password_is_not_printed(niuma: Niuma) -> None:
    url = "postgresql://niuma:marked-password@127.0.0.1:1/niuma"
    for action in ("path", "check", "version", "migrate"):
        done = niuma("db", action, NIUMA_DATABASE__URL=url)
        assert "marked" not in done.stdout + done.stderr
        assert done.code == (0 if action == "path" else 1)


def test_output_into_a_closed_pipe_is_quiet(niuma: Niuma, tmp_path: Path) -> None:
    env = os.environ | {"NIUMA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    env |= {f"NIUMA_MODELS__M{number}__MODEL": f"openai/{'x' * 2000}" for number in range(300)}
    with subprocess.Popen(
        [sys.executable, "-m", "gateway.cli", "models"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) == 1


def test_a_second_gateway_on_the_folder_gives_3(process: Niuma, tmp_path: Path) -> None:
    with holding(tmp_path / "data"):
        done = process("serve", "--port", "0")
    assert done.code == 3
    assert f"in use by process {os.getpid()}" in done.stderr
    assert "--home" in done.stderr


def test_a_gateway_nobody_can_talk_to_says_so(process: Niuma, tmp_path: Path) -> None:
    with holding(tmp_path / "data"):
        alone = process("serve", "--port", "0")
        account = {"NIUMA_CHANNELS__FEISHU__MAIN__APP_ID": "cli_x", "NIUMA_CHANNELS__FEISHU__MAIN__APP_SECRET": "x"}
        reached = process("serve", "--port", "0", **account)
    tables = " or ".join(f"[[channels.{name}]]" for name in ("feishu", "slack", "dingtalk"))
    assert f"add {tables} to {tmp_path / 'data' / 'niuma.toml'}" in alone.stderr
    assert "no channel is set up" not in reached.stderr


def test_models_test_says_whether_it_answers(process: Niuma, tmp_path: Path) -> None:
    good = process("models", "test", "demo")
    assert good.code == 0, good.stderr
    assert good.stdout.startswith("demo: answered in ")
    env = {"NIUMA_MODELS__DEAD__MODEL": "openai/x", "NIUMA_MODELS__DEAD__API_BASE": "http://127.0.0.1:1/v1"}
    dead = process("models", "test", "dead", OPENAI_API_KEY="sk-x", **env)
    assert dead.code == 1
    assert "cannot be reached" in dead.stderr
    assert not (tmp_path / "data" / "niuma.db").exists()


@pytest.mark.parametrize("words", [("chat",), ("agent", "hello")])
def test_an_answer_that_the_disk_does_not_take_is_not_called_done(tmp_path: Path, words: tuple[str, ...]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "gateway.cli", "--home", str(tmp_path), *words],
            input=b"hello",
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            timeout=60,
        )
    assert ended.returncode == 1
    assert b"Traceback" not in ended.stderr
    assert b"could not be written" in ended.stderr or b"no room where the output goes" in ended.stderr


def test_bytes_that_are_no_text_are_replaced(niuma: Niuma) -> None:
    done = niuma("agent", os.fsdecode(b"scan \xff the project"))
    assert done.code == 0 and "Final Answer" in done.stdout
