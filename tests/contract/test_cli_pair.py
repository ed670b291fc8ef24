"""`niuma pair` from the outside: what it prints, where, and its exit codes."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.runtime import DATABASE_FILE, Database
from gateway.cli.main import main
from gateway.clock import SystemClock
from gateway.stores.people import People

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def niuma(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("LC_ALL", "C")

    def call(*words: str) -> tuple[int, str, str]:
        code = main(["--home", str(tmp_path), "pair", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def people(sqlite_template: Path, tmp_path: Path) -> Callable[..., str]:
    """Let somebody ask; gives their code."""
    shutil.copy(sqlite_template, tmp_path / DATABASE_FILE)

    def ask(person: str, name: str = "") -> str:
        database = Database("sqlite", tmp_path)
        try:
            return asyncio.run(People(database).ask(person, name, now_ms=SystemClock().now_ms())).code
        finally:
            database.close()

    return ask


@pytest.mark.parametrize("words", [["list"], ["approve", "ACDEFGHJ"]])
def test_without_a_database_it_says_so_and_makes_none(niuma: Call, tmp_path: Path, words: list[str]) -> None:
    code, out, err = niuma(*words)
    assert (code, out) == (1, "") and "niuma db migrate" in err
    assert not (tmp_path / DATABASE_FILE).exists()


def test_without_an_action_it_lists(niuma: Call, people: Callable[..., str]) -> None:
    people("slack:main:U1", "Lin")
    assert niuma() == niuma("list")
    assert "Lin" in niuma()[1]


def test_an_older_database_is_left_alone(niuma: Call, tmp_path: Path) -> None:
    Database("sqlite", tmp_path).read_now(lambda session: session.connection())
    code, _, err = niuma("list")
    assert code == 1 and "niuma db migrate" in err


def test_somebody_is_let_in_listed_and_put_out(niuma: Call, people: Callable[..., str]) -> None:
    code = people("fake:main:ann", "Ann\n\x1b[31mforged: line")
    assert niuma("list")[1] == f"waits: Ann [31mforged: line (fake:main:ann), code {code}, for another 60 min\n"
    assert niuma("approve", code.lower(), "--rank", "guest") == (0, "fake:main:ann may talk to me now.\n", "")
    shown = niuma("list")[1]
    assert shown.startswith("in: Ann [31mforged: line (fake:main:ann), guest, since 20") and shown.count("\n") == 1
    refused = "niuma: Nobody here is waiting with this code. A code is valid for one hour.\n"
    assert niuma("approve", code) == (1, "", refused)
    assert niuma("revoke", "fake:main:ann")[:2] == (
        0,
        "fake:main:ann may not talk to me any more, unless the settings say so.\n",
    )
    assert niuma("list") == (0, "Nobody is waiting, and nobody was let in.\n", "")


def test_somebody_is_refused(niuma: Call, people: Callable[..., str]) -> None:
    code = people("fake:main:ann")
    assert niuma("deny", code) == (0, "fake:main:ann was refused.\n", "")
    assert niuma("approve", code)[0] == 1
    assert people("fake:main:ann") == "", "no new code within the hour"


def test_what_is_no_name_is_a_usage_error(niuma: Call, people: Callable[..., str]) -> None:
    people("fake:main:ann")
    code, _, err = niuma("revoke", "ann")
    assert code == 2 and "channel:account:person" in err
    code, out, err = niuma("revoke", "fake:main:bob")
    assert (code, out) == (1, "") and "fake:main:bob" in err
    with pytest.raises(SystemExit) as leaving:
        niuma("approve", "ACDEFGHJ", "--rank", "owner")
    assert leaving.value.code == 2
