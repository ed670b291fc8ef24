"""`niuma runs` from the outside: what it prints, where, and its exit codes, beside a process that works."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from engine.messages import Address, InboxKey, Principal, RunInput, TextPart
from engine.ports import Owed
from engine.storage.database import Database
from tests.contract.cli import Niuma
from tests.contract.processes.house import House, running

SECRET = "https://oapi.dingtalk.com/robot/sendBySession?session=s3cret"


@pytest.fixture
def filled(sqlite_template: Path, tmp_path: Path) -> tuple[str, str]:
    """Leave a folder with an answer that was delivered and one that was given up; gives their runs."""
    home = tmp_path / "data"
    home.mkdir()
    (home / "niuma.db").write_bytes(sqlite_template.read_bytes())

    async def fill() -> tuple[str, str]:
        async with running("sqlite", home) as house:
            fine = await asked(house, "what is\n\x1b[31mthis")
            house.surface.refuse = Owed(reason="session_over", permanent=True)
            return fine, await asked(house, "another", to="fake:main:t:other")

    return asyncio.run(fill())


async def asked(house: House, words: str, to: str = "fake:main:t:chat") -> str:
    given = RunInput(
        to=Address(to), by=Principal(id="ou_ann", name="Ann"), parts=(TextPart(text=words),), way_back=SECRET
    )
    key = InboxKey(channel="fake", account="main", kind="message", key=words)
    run = (await house.runtime.submit(given, key=key)).run
    await house.ended(run)
    return run


def test_without_a_database_it_says_so_and_makes_none(niuma: Niuma, tmp_path: Path) -> None:
    done = niuma("runs")
    assert (done.code, done.stdout) == (1, "") and "niuma db migrate" in done.stderr
    Database("sqlite", tmp_path / "data").read_now(lambda session: session.connection())
    assert niuma("runs", "list").code == 1, "nor of another version"


def test_runs_are_listed_with_what_became_of_their_answers(niuma: Niuma, filled: tuple[str, str]) -> None:
    fine, dead = filled
    done = niuma("runs", LC_ALL="C")
    head, first, second = done.stdout.splitlines()
    assert (done.code, done.stderr) == (0, "")
    assert head.split() == ["CODE", "STATE", "CONVERSATION", "WHO", "RECEIVED", "(UTC)", "TOOK", "TRIES", "DELIVERY"]
    assert first.startswith(f"{dead[-8:]}  done") and first.endswith("failed (session_over)")
    assert second.startswith(fine[-8:]) and "Ann (ou_ann)" in second and second.endswith("delivered")
    assert "\x1b" not in done.stdout and "this" not in done.stdout, "words of people only where they are asked for"
    assert "what is [31mthis" in niuma("runs", "list", "--text").stdout
    assert niuma("runs", "--dead").stdout == niuma("runs", "list", "--dead").stdout
    assert fine[-8:] not in niuma("runs", "--dead").stdout
    assert "投递失败 (session_over)" in niuma("runs", LC_ALL="zh_CN.UTF-8").stdout
    assert niuma("runs", "--open").stdout == "No run to show.\n"
    assert niuma("runs", "--since", "yesterday").code == 2
    assert fine[-8:] in niuma("runs", "--since", "2h", "--conversation", "fake:main:t:chat", "--state", "done").stdout


def test_programs_get_data_without_words_and_never_a_secret(niuma: Niuma, filled: tuple[str, str]) -> None:
    listed = json.loads(niuma("runs", "--json", "--limit", "1").stdout)
    assert (listed["v"], [each["id"] for each in listed["runs"]]) == (1, [filled[1]])
    assert listed["runs"][0]["deliveries"][0]["reason"] == "session_over"
    told = [
        niuma("runs", "show", filled[0], *more).stdout for more in ([], ["--json"], ["--text"], ["--json", "--text"])
    ]
    assert not [each for each in told if "s3cret" in each]
    assert ["answer to" in each for each in told] == [False, False, True, True]
    shown = json.loads(told[1])["run"]
    assert [step["path"] for step in shown["steps"]].count("final") == 1
    assert {"type", "segment", "status", "visibility", "at_ms"} == set(shown["events"][0])


def test_a_page_shows_one_run(niuma: Niuma, filled: tuple[str, str]) -> None:
    page = niuma("runs", "show", filled[0][-8:].lower(), LC_ALL="C").stdout
    assert page.startswith(f"{filled[0]}  done\nasked by Ann (ou_ann) in fake:main:t:chat\n")
    for words in ("Deliveries\n", "answer: delivered", "Steps (time, path, size)\n", "surface/open/send", "Events\n"):
        assert words in page
    unknown = niuma("runs", "show", "nobody")
    assert (unknown.code, unknown.stdout) == (1, "") and "nobody" in unknown.stderr


def test_what_was_given_up_is_owed_again_and_an_ended_run_cannot_be_stopped(
    niuma: Niuma, filled: tuple[str, str]
) -> None:
    fine, dead = filled
    assert niuma("runs", "retry-delivery", dead[-8:]).code == 0
    assert niuma("runs", "--open").stdout.splitlines()[1].endswith("pending (session_over)")
    again = niuma("runs", "retry-delivery", fine, "--json")
    assert (again.code, json.loads(again.stdout)["code"]) == (1, "none")
    stopped = niuma("runs", "stop", fine)
    assert (stopped.code, stopped.stdout) == (1, "") and "has ended" in stopped.stderr
