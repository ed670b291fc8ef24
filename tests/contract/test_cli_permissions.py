"""`niuma permissions` from the outside: what it prints, where, and its exit codes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.permissions.audit import Entry, note
from engine.permissions.grants import Grant, give, listed
from engine.runtime import DATABASE_FILE, Database
from gateway.cli.main import main

Call = Callable[..., tuple[int, str, str]]
RUN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def niuma(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("LC_ALL", "C")

    def call(*words: str) -> tuple[int, str, str]:
        code = main(["--home", str(tmp_path), "permissions", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def database(sqlite_template: Path, tmp_path: Path) -> Database:
    shutil.copy(sqlite_template, tmp_path / DATABASE_FILE)
    return Database("sqlite", tmp_path)


def test_without_a_database_it_says_so_and_makes_none(niuma: Call, tmp_path: Path) -> None:
    code, out, err = niuma("list")
    assert (code, out) == (1, "") and "niuma db migrate" in err
    assert not (tmp_path / DATABASE_FILE).exists()


def test_what_was_allowed_is_listed_revoked_and_audited(niuma: Call, database: Database) -> None:
    assert niuma() == (0, "Nothing is allowed for longer than once.\n", "")
    covers = '{"kind": "command", "what": ["git status\\n\\u001b[31m"]}'
    grant = Grant("person:a:t:u1", "u1", "Ann", "always", "chat", "", "shell_command", "c", covers, RUN, 1_000)
    database.run_now(lambda s: give(s, grant))
    (stored,) = database.read_now(listed)
    code = stored.id[-8:]
    shown = niuma("list")[1]
    what = "shell_command of exactly: git status [31m"
    assert shown.startswith(f"{code}  always: {what}, allowed by Ann (person:a:t:u1)")
    assert niuma("revoke", "NOSUCH00")[0] == 1
    assert niuma("revoke", code.lower())[:2] == (0, f"{code} is taken back: the next such call asks again.\n")
    assert niuma("list")[1] == "Nothing is allowed for longer than once.\n"
    database.run_now(lambda s: note(s, Entry(2_000, "denied", run="other", tool="write_file", args='{"a": 1}')))
    lines = niuma("audit")[1].splitlines()
    assert len(lines) == 2 and "revoked\tshell_command" in lines[0] and 'denied\twrite_file\t{"a": 1}' in lines[1]
    assert len(niuma("audit", "--run", RUN[-8:])[1].splitlines()) == 1
    database.close()


def test_rules_with_a_mistake_are_told_and_nothing_starts_with_them(niuma: Call, tmp_path: Path) -> None:
    assert niuma("check") == (0, "The rules and roles can be read.\n", "")
    (tmp_path / "permissions.toml").write_text('[[rules]]\nid = "a"\nverdikt = "deny"\n')
    code, out, err = niuma("check")
    assert (code, out) == (2, "") and "did you mean 'verdict'?" in err
    assert main(["--home", str(tmp_path), "agent", "hello"]) == 2
    assert not (tmp_path / "agent" / DATABASE_FILE).exists(), "nothing was started"
