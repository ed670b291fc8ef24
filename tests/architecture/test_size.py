"""Files and folders stay small enough to read. Functions are ruff's: 50 statements, complexity 10, 6 parameters."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median

from tests.architecture.folder_readme import left_out
from tests.architecture.tree import PACKAGES, ROOT, TOP, check, files, folders, name, project

MOST_LINES = 600
MANY_LINES = 400
WRITTEN = (".py", ".js", ".css", ".html", ".toml", ".sh")


def _lines() -> dict[str, int]:
    return {name(file): len(file.read_text("utf-8").splitlines()) for file in files(ends=WRITTEN)}


def test_no_file_is_too_long() -> None:
    too_long = {path: count for path, count in _lines().items() if count > MOST_LINES}
    assert not too_long, f"over {MOST_LINES} lines: {too_long}"


def test_long_files_are_known() -> None:
    """A file of the product over 400 lines needs a dated line with its reason in `allowed.toml`."""
    long = {path: f"{count} lines" for path, count in _lines().items() if count > MANY_LINES}
    check("long_files", {path: what for path, what in long.items() if path.startswith(PACKAGES)})


def test_most_files_are_short() -> None:
    counts = [count for path, count in _lines().items() if path.startswith(PACKAGES) and path.endswith(".py")]
    assert median(counts) <= 150


def test_ruff_gates_functions() -> None:
    lint = project()["tool"]["ruff"]["lint"]
    assert {"C90", "PLR0913", "PLR0915"} <= set(lint["select"])
    assert (lint["mccabe"]["max-complexity"], lint["pylint"]["max-args"], lint["pylint"]["max-statements"]) == (
        10,
        6,
        50,
    )


def test_folders_are_three_deep_at_most() -> None:
    deep = {name(folder): "too deep" for folder in folders() if len(folder.relative_to(ROOT).parts) > 4}
    check("deep_folders", deep)


def test_top_folders_are_fixed() -> None:
    """Only these hold our files; what tools leave behind starts with a dot or is not ours."""
    known = {*TOP, "build", "dist"}
    found = {folder.name for folder in ROOT.iterdir() if folder.is_dir() and any(folder.rglob("*.py"))}
    assert {folder for folder in found if not folder.startswith(".") and not folder.endswith(".egg-info")} <= known


def test_a_folder_explains_itself() -> None:
    """A package of four files or more has a README."""
    broken: dict[str, str] = {}
    for folder in folders(*PACKAGES):
        count = len([file for file in folder.glob("*.py") if file.name != "__init__.py"])
        if count >= 4 and not (folder / "README.md").is_file():
            broken[name(folder)] = f"{count} files and no README.md"
    check("folders_without_readme", broken)


def test_a_readme_leaves_no_file_out() -> None:
    """`python -m tests.architecture.folder_readme FOLDER` prints the rows."""
    missing = {name(folder): left for folder in folders(*PACKAGES) if (left := left_out(folder))}
    assert not missing, f"not named in the folder's README.md: {missing}"


def test_nothing_is_written_down_twice() -> None:
    """Two branches that each add a row leave both behind: a README's rows, the lines of the change log."""
    twice: dict[str, list[str]] = {}
    for page in [ROOT / "README.md", ROOT / "CHANGELOG.md", *files(ends=(".md",))]:
        rows = re.findall(r"^(?:\| `[^|]+\||- .+)", page.read_text("utf-8"), re.MULTILINE)
        if found := [row for row, count in Counter(rows).items() if count > 1]:
            twice[name(page)] = found
    assert twice == {}


def test_names_say_something() -> None:
    vague = {"utils", "helpers", "common", "manager", "misc", "util", "helper"}
    assert {name(file) for file in files() if file.stem in vague} == set()
