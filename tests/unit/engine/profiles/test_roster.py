"""Agents as files: what ships, what the operator changes, and what is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ProfileInvalid
from engine.profiles import MAIN, Roster, read_profile
from gateway.paths import agents_folder

GOOD = 'name = { en = "Law", zh = "法务" }\ndescription = "contracts"\n'


def written(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def roster(*folders: Path) -> Roster:
    built = Roster(folders)
    built.refresh()
    return built


def test_what_ships_is_whole_and_changes_nothing_by_itself() -> None:
    shipped = roster(agents_folder())
    assert not shipped.problems
    assert [each.id for each in shipped.all] == [MAIN, "code", "data", "writer"]
    assert shipped.domains == ()
    assert all("project_scan" in (each.tools or ()) or "read_file" in (each.tools or ()) for each in shipped.all[1:])


def test_an_operators_file_changes_only_what_it_names(tmp_path: Path) -> None:
    written(tmp_path, "data", 'enabled = true\ntools = ["read_file"]\n')
    found = roster(agents_folder(), tmp_path)
    (data,) = found.domains
    assert (data.id, data.tools, data.name.zh) == ("data", ("read_file",), "数据")


@pytest.mark.parametrize(
    ("name", "line", "told"),
    [
        ("main", 'tools = ["read_file"]', "tools is for domain agents only"),
        ("main", 'role = "reader"', "role is for domain agents only"),
        ("main", 'model = "small"', "model is for domain agents only"),
        ("main", "enabled = false", "enabled is for domain agents only"),
        ("data", 'classify_prompt = "x"', "classify_prompt is for the main agent only"),
    ],
)
def test_what_would_do_nothing_is_refused(tmp_path: Path, name: str, line: str, told: str) -> None:
    file = written(tmp_path, name, f"{line}\n")
    assert told in roster(agents_folder(), tmp_path).problems[file]


def test_an_agent_of_ones_own(tmp_path: Path) -> None:
    written(tmp_path, "law", GOOD)
    (law,) = roster(agents_folder(), tmp_path).domains
    assert (law.id, law.names, law.tools, law.role) == ("law", ("law", "Law", "法务"), None, "main")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD + "enabeld = true\n", "enabeld is no key of an agent; did you mean enabled?"),
        (
            'name = { en = "Law", zn = "法务" }\ndescription = "x"\n',
            "name.zn is no key of an agent; did you mean name.zh?",
        ),
        (GOOD + "zzz = 1\n", "zzz is no key of an agent; known are id, name,"),
        ('description = "x"\n', "name: Field required"),
        (GOOD + 'id = "lawyer"\n', "id is 'lawyer', but the file is called 'law.toml'"),
        (GOOD + "enabled = \n", "is not TOML"),
        (GOOD + 'enabled = "perhaps"\n', "enabled:"),
        ("x" * 300_000, "is larger than 200,000 bytes"),
    ],
)
def test_a_file_that_makes_no_sense_says_what_and_where(tmp_path: Path, text: str, told: str) -> None:
    file = written(tmp_path, "law", text)
    with pytest.raises(ProfileInvalid) as problem:
        read_profile(file)
    assert told in str(problem.value)
    assert str(file) in str(problem.value)


def test_a_wrong_file_is_left_out_and_the_others_stay(tmp_path: Path) -> None:
    wrong = written(tmp_path, "law", "nonsense")
    written(tmp_path, "tax", GOOD)
    found = roster(tmp_path)
    assert [each.id for each in found.domains] == ["tax"]
    assert list(found.problems) == [wrong]


def test_changed_files_count_from_the_next_look_on(tmp_path: Path) -> None:
    found = roster(tmp_path)
    assert found.version == 1
    file = written(tmp_path, "law", GOOD)
    assert found.refresh() == 2
    assert [each.id for each in found.domains] == ["law"]
    assert found.refresh() == 2
    file.unlink()
    found.refresh()
    assert found.domains == ()
