from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import ToolFailed, ToolRetry
from engine.tools.contents import read_file_at
from engine.tools.place import CHANGING, MAX_DEPTH, Ways, components, opened


def read(workspace: Path, given: str, private: tuple[Path, ...] = ()) -> bytes:
    return read_file_at(workspace, given, private, 1_000)


def test_a_path_is_read_as_the_rules_read_it() -> None:
    assert components("./a//b/../c/") == ["a", "c"]
    assert components(".") == components("a/..") == []
    for wrong in ("..", "a/../..", "../x", "/x", "~", "a\0", "\\\\host\\x", "a\\..\\..\\x/../../y", "\ud800"):
        with pytest.raises(ToolRetry):
            components(wrong)


@pytest.mark.parametrize("target", ["in/a.txt", "./in/../in/a.txt", "ABSOLUTE/in/a.txt", "chain"])
def test_links_that_stay_inside_are_followed_for_reading_only(tmp_path: Path, target: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("hi")
    (tmp_path / "chain").symlink_to("in/a.txt")
    (tmp_path / "in" / "up").symlink_to("..")
    (tmp_path / "link").symlink_to(target.replace("ABSOLUTE", str(tmp_path.resolve())))
    assert read(tmp_path, "link") == read(tmp_path, "in/up/link") == b"hi"
    with opened(tmp_path, "link", ways=CHANGING) as place:
        assert place.name == "link", "a change is made to the link's name, not to what it names"
    with pytest.raises(ToolRetry, match="not a folder"), opened(tmp_path, "in/up/link", ways=CHANGING):
        pass


@pytest.mark.parametrize("target", ["..", "../..", "/", "in/../../x", "ABSOLUTE/../x", "/etc/passwd", "loop"])
def test_links_that_lead_out_or_nowhere_are_refused(tmp_path: Path, target: str) -> None:
    work = tmp_path / "work"
    (work / "in").mkdir(parents=True)
    (tmp_path / "x").write_text("secret")
    (work / "loop").symlink_to("loop")
    (work / "link").symlink_to(target.replace("ABSOLUTE", str(work.resolve())))
    for given in ("link", "link/x", "in/../link/x"):
        with pytest.raises(ToolRetry):
            read(work, given)


def test_private_folders_are_known_by_what_was_opened(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "token").write_text("x")
    (tmp_path / "link").symlink_to("data")
    for given in ("data/token", "link/token", "data", "link/../data/token"):
        with pytest.raises(ToolRetry, match="belongs to the gateway"):
            read(tmp_path, given, (tmp_path / "data",))


def test_depth_is_bounded_and_nothing_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else None
    deep = "/".join("d" for _ in range(MAX_DEPTH + 2))
    with pytest.raises(ToolRetry, match="folders deep"), opened(tmp_path, deep, ways=Ways(make=lambda: None)):
        pass
    with pytest.raises(ToolRetry, match="no file"):
        read(tmp_path, "gone/x")
    with pytest.raises(ToolRetry, match="not a folder"):
        (tmp_path / "file").touch()
        read(tmp_path, "file/x")
    with pytest.raises(ToolRetry, match="not a regular file"):
        read(tmp_path, "d/.")
    with pytest.raises(ToolFailed, match="workspace cannot be opened"):
        read(tmp_path / "nowhere", "x")
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_folder_is_made_only_where_it_is_missing_and_allowed(tmp_path: Path) -> None:
    asked: list[int] = []
    with opened(tmp_path, "a/b/c.txt", ways=Ways(make=lambda: asked.append(1))):
        pass
    with opened(tmp_path, "a/b/d.txt", ways=Ways(make=lambda: asked.append(1))):
        pass
    assert len(asked) == 2
    assert (tmp_path / "a" / "b").is_dir()

    def refuse() -> None:
        raise ToolFailed("full")

    with pytest.raises(ToolFailed, match="full"), opened(tmp_path, "a/x/c.txt", ways=Ways(make=refuse)):
        pass
    assert not (tmp_path / "a" / "x").exists()
