"""`niuma agents`: who there is, what one of them may, and what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.contract.cli import Niuma


def own(tmp_path: Path, name: str, text: str) -> None:
    folder = tmp_path / "data" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def test_agents_lists_what_ships_and_what_is_ones_own(niuma: Niuma, tmp_path: Path) -> None:
    own(tmp_path, "data", "enabled = true\n")
    own(tmp_path, "law", 'name = {en = "Lawyer", zh = "法务"}\ndescription = "contracts"\ntools = []\n')
    done = niuma("agents")
    assert (done.code, done.stderr) == (0, "")
    marks = {line.split("\t")[0]: line.split("\t")[1] for line in done.stdout.splitlines()}
    assert marks == {"* main": "on", "- code": "off", "+ data": "on", "+ law": "on", "- writer": "off"}
    listed = json.loads(niuma("agents", "list", "--json").stdout)
    assert [each["id"] for each in listed] == ["main", "code", "data", "law", "writer"]


def test_agents_show_one(niuma: Niuma, tmp_path: Path) -> None:
    shown = niuma("agents", "show", "code")
    assert shown.code == 0
    assert "tools: project_scan, read_file\n" in shown.stdout
    assert "tools: those of the main agent\n" in niuma("agents", "show", "main").stdout
    assert json.loads(niuma("agents", "show", "code", "--json").stdout)["enabled"] is False
    unknown = niuma("agents", "show", "coed")
    assert unknown.code == 1
    assert "there is no agent 'coed'; there are main, code, data, writer" in unknown.stderr


def test_agents_says_what_is_wrong_and_lists_the_others(niuma: Niuma, tmp_path: Path) -> None:
    own(tmp_path, "law", "enabeld = true\n")
    done = niuma("agents")
    assert done.code == 1
    assert "law.toml: enabeld is no key of an agent; did you mean enabled?" in done.stderr
    assert len(done.stdout.splitlines()) == 4
