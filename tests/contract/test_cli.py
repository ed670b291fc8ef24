"""The command line as another program uses it: exit codes, what is on stdout, and how quickly it starts."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from gateway.cli.main import NOT_BUILT, main

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(180)  # many of these start a Python with the whole engine


@dataclass(frozen=True)
class Done:
    code: int
    stdout: str
    stderr: str


Niuma = Callable[..., Done]


@pytest.fixture
def niuma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Niuma:
    """Call a command in this process, in an empty workspace and with an environment of its own."""
    for name in os.environ:
        if name.startswith(("NIUMA_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NIUMA_HOME", str(tmp_path / "data"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def call(*words: str, **env: str) -> Done:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            try:
                code = main(words)
            except SystemExit as leaving:
                code = int(leaving.code or 0)
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Niuma:
    """Call a command in a process of its own, for those that start an engine."""
    work = tmp_path / "work"
    work.mkdir()

    def call(*words: str, stdin: str = "", **env: str) -> Done:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NIUMA_", "OPENAI_"))}
        clean |= {"NIUMA_HOME": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)} | env
        command = [sys.executable, "-m", "gateway.cli", *words]
        done = subprocess.run(command, cwd=work, env=clean, input=stdin, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    return call


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


def test_agent_prints_trace_answer_and_data(process: Niuma, tmp_path: Path) -> None:
    (tmp_path / "work" / "a.py").write_text("x = 1\ny = 2\n", encoding="utf-8")
    done = process("agent", "scan this project")
    assert done.code == 0, done.stderr
    trace, rest = done.stdout.split("\nFinal Answer\n")
    answer, data = rest.split("\nResult Data\n")
    assert trace.startswith("Thinking Trace\n")
    assert "project_scan ok" in trace
    assert answer.strip()
    assert json.loads(data)["tools"][0]["parsed"]["total_files"] == 1


def test_agent_json_has_the_promised_form(process: Niuma, tmp_path: Path) -> None:
    (tmp_path / "work" / "a.py").write_text("x = 1\n", encoding="utf-8")
    done = process("agent", "--json", "-", stdin="扫描这个项目")
    assert done.code == 0, done.stderr
    body = json.loads(done.stdout)
    assert list(body) == ["v", "run", "status", "trace", "answer", "data"]
    assert (body["v"], body["status"], len(body["run"])) == (1, "done", 26)
    assert {event["run"] for event in body["trace"]} == {body["run"]}
    assert list(body["data"]) == ["model", "usage", "tools"]
    (tool,) = body["data"]["tools"]
    assert list(tool) == ["name", "args", "status", "parsed", "summary", "error"]
    assert (tool["name"], tool["status"], tool["error"]) == ("project_scan", "success", None)
    assert tool["parsed"]["total_files"] == 1
    assert body["data"]["usage"]["output_tokens"] > 0


def test_agent_fails_with_a_reason(process: Niuma) -> None:
    done = process("agent", "--json", "please fail")
    assert done.code == 1, done.stderr
    body = json.loads(done.stdout)
    assert body["status"] == "failed"
    plain = process("agent", "please fail")
    assert plain.code == 1
    assert "The model" in plain.stdout.split("Final Answer")[1]


def test_agent_without_a_terminal_denies_what_needs_approval(process: Niuma) -> None:
    done = process("agent", "--json", "send a note 'hello'")
    assert "needs approval and there is no terminal: denied" in done.stderr
    assert [tool["status"] for tool in json.loads(done.stdout)["data"]["tools"]] == ["fail"]


@contextmanager
def _at_a_terminal(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start a question that needs approval, wait until it is put, and give the process and the person's keyboard."""
    keyboard, terminal = pty.openpty()
    env = os.environ | {"NIUMA_HOME": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gateway.cli", "agent", "--json", "send a note 'hello'"]
    out = subprocess.PIPE
    try:
        with subprocess.Popen(command, env=env, cwd=tmp_path, stdin=terminal, stdout=out, stderr=out) as started:
            assert started.stderr is not None
            said = b""
            while b"[y/N]" not in said:
                piece = os.read(started.stderr.fileno(), 4096)
                assert piece, said
                said += piece
            try:
                yield started, keyboard
            finally:
                started.kill()
    finally:
        os.close(keyboard)
        os.close(terminal)


@pytest.mark.parametrize(("typed", "status"), [(b"y\n", "success"), (b"n\n", "fail"), (b"\x04", "fail")])
def test_agent_asks_at_the_terminal(tmp_path: Path, typed: bytes, status: str) -> None:
    with _at_a_terminal(tmp_path) as (asked, keyboard):
        os.write(keyboard, typed)
        stdout, stderr = asked.communicate(timeout=60)
        assert b"Traceback" not in stderr
        assert [tool["status"] for tool in json.loads(stdout)["data"]["tools"]] == [status]


def test_agent_is_stopped_while_it_asks(tmp_path: Path) -> None:
    with _at_a_terminal(tmp_path) as (asked, _):
        asked.send_signal(signal.SIGINT)
        stdout, stderr = asked.communicate(timeout=60)
        assert json.loads(stdout)["status"] == "stopped"
        assert (asked.returncode, stderr) == (1, b"")


def test_agent_keeps_named_sessions_and_no_others(process: Niuma, tmp_path: Path) -> None:
    runs = []
    for words in (["--session", "one", "hello"], ["hello"], ["--session", "one", "hello"]):
        done = process("agent", "--json", *words)
        assert done.code == 0, done.stderr
        runs.append(json.loads(done.stdout)["run"])
    with sqlite3.connect(tmp_path / "data" / "agent" / "niuma.db") as database:
        kept = dict(database.execute("SELECT run, session FROM nm_message").fetchall())
    database.close()
    first, other, again = (kept[run] for run in runs)
    assert first == again
    assert first != other


def test_agent_leaves_the_gateways_store_alone(process: Niuma, tmp_path: Path) -> None:
    """Running or not: unfinished runs there are the gateway's, which can show their answers."""
    assert process("db", "migrate").code == 0
    file = tmp_path / "data" / "niuma.db"
    with sqlite3.connect(file) as database:
        columns = "id, conv, seq, status, created_at, input, task"
        database.execute(f"INSERT INTO nm_run ({columns}) VALUES ('r', 'c', 1, 'running', 1, '{{}}', 'r')")
    database.close()
    before = file.read_bytes()
    done = process("agent", "--json", "hello")
    assert done.code == 0, done.stderr
    assert file.read_bytes() == before
    assert not (tmp_path / "data" / "niuma.lock").exists()
    assert (tmp_path / "data" / "agent" / "niuma.db").exists()


def test_agent_beside_a_running_gateway_keeps_its_run(process: Niuma, tmp_path: Path) -> None:
    with _holding(tmp_path / "data"):
        done = process("agent", "--json", "hello", NIUMA_DATABASE__URL="postgresql://niuma@127.0.0.1:1/niuma")
    assert (done.code, done.stderr) == (0, "")
    assert _statuses(tmp_path / "data" / "agent") == ["done"]


def test_agent_beside_another_one_uses_a_store_that_is_thrown_away(process: Niuma, tmp_path: Path) -> None:
    with _holding(tmp_path / "data" / "agent"):
        done = process("agent", "--json", "hello")
    assert done.code == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "done"
    assert "another `niuma agent` is at work; this run is not kept" in done.stderr
    assert not (tmp_path / "data" / "agent" / "niuma.db").exists()


def test_agent_does_not_look_into_the_data_folder(process: Niuma, tmp_path: Path) -> None:
    (tmp_path / "work" / "a.py").write_text("x = 1\n", encoding="utf-8")
    home = str(tmp_path / "work" / "hidden")
    (tmp_path / "work" / "hidden").mkdir()
    (tmp_path / "work" / "hidden" / "token").write_text("secret", encoding="utf-8")
    done = process("agent", "--json", "scan the project and read hidden/token.txt", NIUMA_HOME=home)
    tools = {tool["name"]: tool for tool in json.loads(done.stdout)["data"]["tools"]}
    assert tools["project_scan"]["parsed"]["total_files"] == 1
    assert "belongs to the gateway" in tools["read_file"]["summary"]


def test_agent_ends_what_a_killed_one_left(tmp_path: Path) -> None:
    env = os.environ | {"NIUMA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gateway.cli", "agent", "--json", "--session", "one"]
    with subprocess.Popen([*command, "something slow"], env=env, cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
        while _statuses(tmp_path / "agent") != ["running"]:
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    done = subprocess.run([*command, "hello"], env=env, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "offline demo model" in json.loads(done.stdout)["answer"]
    assert _statuses(tmp_path / "agent") == ["interrupted", "done"]


@contextmanager
def _holding(folder: Path) -> Iterator[None]:
    from engine.storage.lock import FolderLock

    lock = FolderLock(folder)
    lock.take()
    try:
        yield
    finally:
        lock.release()


def test_a_second_gateway_on_the_folder_gives_3(process: Niuma, tmp_path: Path) -> None:
    with _holding(tmp_path / "data"):
        done = process("serve", "--port", "0")
    assert done.code == 3
    assert f"in use by process {os.getpid()}" in done.stderr
    assert "--home" in done.stderr


def test_a_gateway_nobody_can_talk_to_says_so(process: Niuma, tmp_path: Path) -> None:
    with _holding(tmp_path / "data"):
        alone = process("serve", "--port", "0")
        account = {"NIUMA_CHANNELS__FEISHU__MAIN__APP_ID": "cli_x", "NIUMA_CHANNELS__FEISHU__MAIN__APP_SECRET": "x"}
        reached = process("serve", "--port", "0", **account)
    tables = "[[channels.feishu]] or [[channels.slack]] or [[channels.dingtalk]]"
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


def test_ctrl_c_stops_the_run_properly(tmp_path: Path) -> None:
    env = os.environ | {"NIUMA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gateway.cli", "agent", "something long and slow"]
    with subprocess.Popen(command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while _statuses(tmp_path / "agent") != ["running"]:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
        assert process.wait() == 1
    assert "Result Data" in said
    assert _statuses(tmp_path / "agent") == ["stopped"]


def _statuses(home: Path) -> list[str]:
    if not (home / "niuma.db").exists():
        return []
    database = sqlite3.connect(home / "niuma.db", timeout=10)
    try:
        return [row[0] for row in database.execute("SELECT status FROM nm_run ORDER BY id")]
    except sqlite3.OperationalError as error:
        assert "no such table" in str(error)
        return []
    finally:
        database.close()


def test_chat_in_a_pipe_answers_each_line_in_plain_text(process: Niuma) -> None:
    done = process("chat", stdin="hello\n\nscan the project\n", TERM="xterm")
    assert done.code == 0, done.stderr
    first, second = done.stdout.split("I counted the workspace")
    assert first.startswith("Hello! I am niuma's **offline demo model**")
    assert "| Write | and see |" in first
    assert "Let me look at the project first" not in done.stdout, "only the final answer"
    assert second.rstrip().endswith("real tool calls.")
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr == ""


def test_chat_in_a_pipe_denies_what_needs_a_person_and_says_so(process: Niuma, tmp_path: Path) -> None:
    done = process("chat", "--once", stdin='please\nsend a note "x"')
    assert done.code == 0
    assert "nobody is here to ask: denied" in done.stderr
    assert "**not** sent" in done.stdout
    assert not (tmp_path / "work" / "outbox.txt").exists()


def test_chat_in_a_pipe_gives_1_when_an_answer_failed(process: Niuma) -> None:
    done = process("chat", "--log-level", "error", stdin="please fail\nhello")
    assert done.code == 1
    assert done.stderr == "Failed\nThe model cannot be reached.\n"
    assert done.stdout.startswith("Hello!")


def test_chat_goes_on_with_a_named_conversation(process: Niuma) -> None:
    first = process("chat", "--session", "one", stdin="tell me something")
    again = process("chat", "--session", "one", stdin="please revise that")
    other = process("chat", "--session", "two", stdin="please revise that")
    assert (first.code, again.code, other.code) == (0, 0, 0)
    assert again.stdout != other.stdout
    assert "shorter" in again.stdout.lower() or "kept" in again.stdout.lower() or len(again.stdout) < len(first.stdout)


def test_chat_runs_beside_the_gateway_and_beside_another_chat(process: Niuma, tmp_path: Path) -> None:
    with _holding(tmp_path / "data"), _holding(tmp_path / "data" / "chat"):
        done = process("chat", stdin="hello")
    assert done.code == 0
    assert done.stderr == "niuma: another `niuma chat` is open; this conversation is not kept\n"
    assert not (tmp_path / "data" / "chat" / "niuma.db").exists()


def test_chat_ends_when_its_reader_goes_away(tmp_path: Path) -> None:
    env = os.environ | {"NIUMA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gateway.cli", "chat", "--log-level", "error"]
    with subprocess.Popen(
        command, env=env, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(b"hello\n" * 500)
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"Hello!")
        process.stdout.close()
        assert process.wait(40) == 1
        assert process.stderr.read() == b""
        process.stdin.close()


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
