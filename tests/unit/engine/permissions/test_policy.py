"""The stricter of several rules wins, and nothing widens what a role comes with."""

from __future__ import annotations

from typing import Any

import pytest

from engine.permissions import Policy, Request, Role, Rule, Touches

ROLES = {"main": Role(), "look": Role(tools=("read_file", "project_scan"))}


def policy(*rules: dict[str, Any]) -> Policy:
    return Policy([Rule(id=f"r{number}", **rule) for number, rule in enumerate(rules)], ROLES)


def shell(command: str, **more: Any) -> Request:
    return Request("shell_command", "once", "ask", Touches(command=command), **more)


def write(*paths: str, **more: Any) -> Request:
    return Request("write_file", "idempotent", "ask", Touches(writes=paths), **more)


@pytest.mark.parametrize(
    ("rules", "verdict", "basis"),
    [
        ([], "ask", "default"),
        ([{"verdict": "allow", "tool": ["shell_command"]}], "allow", "r0"),
        ([{"verdict": "allow"}, {"verdict": "deny", "rank": ["member"]}], "deny", "r1"),
        ([{"verdict": "deny", "rank": ["guest"]}, {"verdict": "allow"}], "allow", "r1"),
        ([{"verdict": "ask", "tool": ["shell_*"]}, {"verdict": "allow"}], "ask", "r0"),
        ([{"verdict": "allow", "tool": ["read_file"]}], "ask", "default"),
    ],
)
def test_the_stricter_wins(rules: list[dict[str, Any]], verdict: str, basis: str) -> None:
    ruling = policy(*rules).judge(shell("git status"))
    assert (ruling.verdict, ruling.basis) == (verdict, basis)


def test_a_role_without_the_tool_is_stronger_than_a_rule_that_allows() -> None:
    ruling = policy({"verdict": "allow"}).judge(shell("ls", role="look"))
    assert (ruling.verdict, ruling.basis) == ("deny", "role:look")
    assert policy().judge(Request("read_file", role="look")).verdict == "allow"


def test_an_unknown_role_comes_with_nothing() -> None:
    assert policy({"verdict": "allow"}).judge(Request("read_file", role="nobody")).verdict == "deny"


def test_what_sends_is_asked_after_strangers_words_were_read() -> None:
    sends = Touches(hosts=("api.example.com",), sends=True)
    allowed = policy({"verdict": "allow", "tool": ["web_fetch"]})
    assert allowed.judge(Request("web_fetch", touches=sends)).verdict == "allow"
    ruling = allowed.judge(Request("web_fetch", touches=sends, read_foreign=True))
    assert (ruling.verdict, ruling.basis) == ("ask", "foreign")
    denied = policy({"verdict": "deny", "host": ["*.example.com"]})
    assert denied.judge(Request("web_fetch", touches=sends, read_foreign=True)).verdict == "deny"


def test_an_allowing_rule_covers_every_path_a_denying_one_any() -> None:
    allows, denies = policy({"verdict": "allow", "path": ["docs/*"]}), policy({"verdict": "deny", "path": ["*.env"]})
    assert allows.judge(write("docs/a.md")).verdict == "allow"
    assert allows.judge(write("docs/a.md", "src/b.py")).verdict == "ask"
    assert denies.judge(write("docs/a.md", "prod.env")).verdict == "deny"
    assert denies.judge(write("docs/a.md")).verdict == "ask"
    assert allows.judge(shell("ls")).verdict == "ask", "a rule of paths does not speak of what has none"


@pytest.mark.parametrize(
    "command",
    [
        "git status; rm -rf .",
        "git status && id",
        "git status\nid",
        "git status $(id)",
        "git status `id`",
        "git status > a",
        "git status | sh",
        "git status &",
        "GIT_PAGER=id git status",
        "git  'status",
        "git statusx",
        "git log",
        "",
    ],
)
def test_an_allowed_command_covers_nothing_that_is_added_to_it(command: str) -> None:
    assert policy({"verdict": "allow", "command": ["git status"]}).judge(shell(command)).verdict == "ask"


@pytest.mark.parametrize("command", ["git log", "git log --oneline", "git log -p 'a file'"])
def test_a_last_star_covers_further_words(command: str) -> None:
    assert policy({"verdict": "allow", "command": ["git log *"]}).judge(shell(command)).verdict == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf x",
        "ls; rm  -rf x",
        "(rm -rf x)",
        "true &&rm -rf x",
        "echo `rm -rf /`",
        "$(rm -rf .)",
        "sudo rm -rf /",
        "r\\m -rf x",
        "'rm' \"-rf\" x",
        "r''m -r\\f x",
        "sh -c 'rm -rf x'",
        "rm \\\n-rf x",
        "rm${IFS}-rf${IFS}x",
        "{rm,-rf,x}",
        "/bin/rm -rf x",
        "./rm -rf x",
    ],
)
def test_a_forbidden_command_is_found_wherever_it_stands(command: str) -> None:
    assert policy({"verdict": "deny", "command": ["rm -rf"]}).judge(shell(command)).verdict == "deny"


def test_a_forbidding_pattern_is_read_as_a_command_is() -> None:
    denies = policy({"verdict": "deny", "command": ["find * -exec 'rm' {} ;"]})
    assert denies.judge(shell("find /tmp -exec rm {} \\;")).verdict == "deny"
    assert denies.judge(shell("find /tmp -name rm")).verdict == "ask"


def test_a_forbidden_command_is_not_seen_in_other_words() -> None:
    assert policy({"verdict": "deny", "command": ["rm"]}).judge(shell("echo farm alarm rm-notes")).verdict == "ask"
