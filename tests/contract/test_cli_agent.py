"""`niuma agent` as another program or a person at a terminal uses it: its output, its store, its questions, its end."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.contract.cli import ROOT, Niuma, holding

pytestmark = pytest.mark.timeout(180)  # many of these start a Python with the whole engine


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
    with holding(tmp_path / "data"):
        done = process("agent", "--json", "hello", NIUMA_DATABASE__URL="postgresql://niuma@127.0.0.1:1/niuma")
    assert (done.code, done.stderr) == (0, "")
    assert _statuses(tmp_path / "data" / "agent") == ["done"]


def test_agent_beside_another_one_uses_a_store_that_is_thrown_away(process: Niuma, tmp_path: Path) -> None:
    with holding(tmp_path / "data" / "agent"):
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
