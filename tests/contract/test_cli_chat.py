"""`niuma chat` at a pipe: what goes where, what is kept, how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.cli import ROOT, Niuma, holding

pytestmark = pytest.mark.timeout(180)  # many of these start a Python with the whole engine


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
    assert "cut down to what it rests on" in again.stdout
    assert "cut down" not in other.stdout


def test_chat_runs_beside_the_gateway_and_beside_another_chat(process: Niuma, tmp_path: Path) -> None:
    with holding(tmp_path / "data"), holding(tmp_path / "data" / "chat"):
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


def test_a_question_of_the_agent_gets_no_answer_from_a_pipe(process: Niuma) -> None:
    done = process("chat", "--once", stdin="ask me first\n")
    assert done.code == 0 and "No answer came" in done.stdout
