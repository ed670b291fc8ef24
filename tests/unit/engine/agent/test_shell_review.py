"""PlanReview of commands: what is refused, why, and what is not."""

from __future__ import annotations

import pytest

from engine.agent.shell_review import command_refusal
from engine.agent.shell_words import simples
from engine.permissions import Touches
from engine.testing.scripted import Turn, call
from tests.unit.engine.agent.conftest import Bench, FakeTool


@pytest.mark.parametrize(
    "command",
    [
        'bash -c "$(echo cm0gLXJmIC8= | base64 -d)"',
        "echo cm0gLXJmIC8= | base64 -d | sh",
        "/bin/sh -c 'ls'",
        "timeout 5 env A=1 bash -c ls",
        "bash -ec ls",
        "bash <<EOF\nls\nEOF",
        "cat <<EOF\n$(sh -c ls)\nEOF",
        "bash <(echo ls)",
        'echo "$(sh -c ls)"',
        "echo `sh -c ls`",
        "eval $(cat x)",
        "source <(cat x)",
        "find . -exec sh -c 'rm {}' \\;",
        "ls | xargs sh -c 'rm'",
        "$(echo rm) -rf .",
        "$CMD -rf .",
        "if true; then bash -c ls; fi",
    ],
)
def test_what_hides_behind_another_shell_is_refused(command: str) -> None:
    assert "hides what would run" in command_refusal(command, platform="linux")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("dir", "use ls"),
        ("ipconfig /all", "use ip addr"),
        ("powershell -Command Get-ChildItem", "use a Linux command"),
        ("Get-ChildItem -Recurse", "not Windows"),
        ("cmd.exe /c dir", "there is no cmd"),
        ("type C:\\Users\\a.txt", "no drives"),
        ("vim a.txt", "waits for a terminal"),
        ("ls && nano a.txt", "waits for a terminal"),
        ("top", "waits for a terminal"),
        ("python3", "waits for input"),
        ("git commit", "give the message with -m"),
        ("git add -p", "nobody answers"),
        ("git rebase -i HEAD~3", "nobody answers"),
        ("tail -f log.txt", "never ends"),
        ("ping example.com", "never ends"),
        ("ssh host", "there is none"),
        ("sudo apt-get install jq", "no other user"),
        ("nohup python server.py", "run on after the call"),
        ("sleep 10000 & disown", "run on after the call"),
        ("python server.py &", "background is ended"),
        ("systemctl start x", "run on after the call"),
        (":(){ :|:& };:", "background is ended"),
    ],
)
def test_what_does_not_work_here_waits_or_stays_is_refused_with_what_to_do(command: str, words: str) -> None:
    assert words in command_refusal(command, platform="linux")


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git log --oneline | head -5",
        "make test 2>&1 | tail -3",
        "cmd_a &>out.txt; cmd_b >&2",
        "bash build.sh --fast",
        "cat data.csv | python3",
        "python3 - <<'EOF'\nprint('a & b; bash -c x')\nEOF",
        "cat <<'EOF' > a.txt\nhello & $(bash -c x)\nEOF",
        'for f in *.py; do wc -l "$f"; done',
        "sleep 1 & sleep 1 & wait",
        "echo 'a & b; sudo vim'",
        'echo "it\'s & done"',
        "find . -name '*.py' | xargs wc -l",
        "git commit -am 'a message'",
        "git commit --message='a message'",
        "top -b -n 1",
        "git log | less",
        "A=1 B=2 ./run --dir x",
        "grep -c bash file",
        "echo 'no end",
        "cd sub && ls",
    ],
)
def test_ordinary_commands_pass(command: str) -> None:
    assert command_refusal(command, asked="please do it", is_first=True, platform="linux") == ""


def test_a_first_look_nobody_asked_for_is_refused_once() -> None:
    asked = "How many lines of Python are in this project?"
    for command in ("ls", "ls -la", "pwd; ls .", "tree"):
        assert "does not answer" in command_refusal(command, asked=asked, is_first=True)
        assert command_refusal(command, asked=asked) == ""
        assert command_refusal(command, asked="Which files are here?", is_first=True) == ""
        assert command_refusal(command, asked="列出当前目录", is_first=True) == ""
    assert command_refusal("ls src", asked=asked, is_first=True) == ""


def test_another_system_has_other_commands() -> None:
    assert command_refusal("ip addr", platform="linux") == ""
    assert "use ifconfig" in command_refusal("ip addr", platform="darwin")


def test_a_line_is_taken_apart_also_when_it_is_broken_or_deep() -> None:
    assert [each.words for each in simples("a 'b c' | d && e")] == [("a", "b c"), ("d",), ("e",)]
    assert [each.name for each in simples("a 'b c; d")] == ["a", "d"]
    assert list(simples("")) == []
    assert len(list(simples("$(" * 3000 + "x"))) < 20_000
    assert list(simples(";" * 10_000)) == []


async def test_the_agent_is_told_why_and_nobody_is_asked(bench: Bench) -> None:
    tool = FakeTool("runs", effect="once", asks=True)
    tool.touched = Touches(command='bash -c "$(echo x | base64 -d)"')
    bench.tools = [tool]
    model = bench.script(Turn(calls=[call("runs")]), Turn("I could not."))
    outcome = await bench.agent()(bench.scope())  # type: ignore[arg-type]
    assert (outcome.status, tool.runs) == ("done", [])
    assert "hides what would run" in str(model.requests[-1])
