from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import ToolFailed
from engine.tools import quota as module
from engine.tools.quota import UNLIMITED, Quota, count


def test_counts_without_following_links(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "a" / "b").mkdir(parents=True)
    (work / "a" / "x").write_bytes(b"12345")
    (work / "a" / "b" / "y").write_bytes(b"123")
    (tmp_path / "big").write_bytes(b"x" * 1000)
    (work / "out").symlink_to(tmp_path)
    usage = count(work)
    assert usage.files == 5
    assert usage.size_bytes == 8 + os.lstat(work / "out").st_size
    assert count(work, 3).files <= 5


def test_bytes_and_files_are_refused_with_a_reason_and_room_comes_back(tmp_path: Path) -> None:
    quota = Quota(100, 3)
    quota.check(tmp_path, 60, 1)
    (tmp_path / "a").write_bytes(b"x" * 60)
    with pytest.raises(ToolFailed, match=r"60 bytes of 100 bytes are used and 41 bytes more do not fit\. Nothing"):
        quota.check(tmp_path, 41, 1)
    quota.check(tmp_path, 40, 2)
    for name in "bc":
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ToolFailed, match="3 files and folders"):
        quota.check(tmp_path, 0, 1)
    (tmp_path / "a").unlink()
    quota.check(tmp_path, 90, 1)


def test_what_makes_room_is_never_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 60)
    quota = Quota(10, 1)
    quota.check(tmp_path, -5)
    quota.check(tmp_path, 0)
    UNLIMITED.check(tmp_path, 10**12, 10**6)


def test_it_is_counted_seldom_but_never_refused_on_an_old_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[Path] = []

    def counting(workspace: Path, most: int = 0) -> module.Usage:
        counted.append(workspace)
        return count(workspace, most)

    monkeypatch.setattr(module, "count", counting)
    quota = Quota(1_000, 0)
    for _ in range(20):
        quota.check(tmp_path, 50)
    assert len(counted) == 1
    quota.check(tmp_path, 50)  # nothing was written in truth: counted anew before it would be refused
    assert len(counted) == 2
    monkeypatch.setattr(module, "RECOUNTED_AFTER_S", -1)
    (tmp_path / "by_a_shell").write_bytes(b"x" * 990)
    with pytest.raises(ToolFailed):
        quota.check(tmp_path, 50)


def test_a_folder_that_cannot_be_counted_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shut").mkdir()
    scan = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(ToolFailed, match="'shut' of the workspace cannot be counted"):
        Quota(1_000).check(tmp_path, 1)
    Quota(1_000).check(tmp_path, -1)


def test_few_workspaces_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KNOWN", 2)
    quota = Quota(10)
    for name in "abc":
        (tmp_path / name).mkdir()
        quota.check(tmp_path / name, 6)
    quota.check(tmp_path / "a", 6)  # forgotten, counted again
    assert list(quota._known) == [str(tmp_path / "c"), str(tmp_path / "a")]  # pyright: ignore[reportPrivateUsage]
