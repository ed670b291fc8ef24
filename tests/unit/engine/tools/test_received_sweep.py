"""What people sent lies in their conversation's folder for a time, and no longer."""

from __future__ import annotations

import os
from pathlib import Path

from engine.tools.received import put_received, sweep_received
from engine.tools.workspace import workspace_for

OLD_S, NOW_S = 1_000.0, 2_000_000_000.0


def age(path: Path) -> None:
    os.utime(path, (OLD_S, OLD_S))


def test_old_files_go_and_young_ones_and_the_agents_own_stay(tmp_path: Path) -> None:
    work = workspace_for(tmp_path, "fake:main:t:c")
    old, young = (work / put_received(work, name, name.encode()) for name in ("old.txt", "young.txt"))
    kept, own = work / ".niuma-outputs" / "r-tool-0-0.txt", work / "report.txt"
    kept.parent.mkdir()
    for path in (kept, own):
        path.write_text("x")
    for path in (old, kept, own):
        age(path)
    assert sweep_received(tmp_path, OLD_S + 1) == 2
    assert (old.exists(), young.exists(), kept.exists(), own.exists()) == (False, True, False, True)


def test_a_file_that_is_sent_again_is_young_again(tmp_path: Path) -> None:
    work = workspace_for(tmp_path, "fake:main:t:c")
    path = work / put_received(work, "plan.txt", b"plan")
    age(path)
    assert put_received(work, "plan.txt", b"plan") == "received/plan.txt"
    assert sweep_received(tmp_path, OLD_S + 1) == 0 and path.exists()


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    work, outside = workspace_for(tmp_path, "fake:main:t:c"), tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("x")
    age(outside / "precious.txt")
    (work / "received").symlink_to(outside)
    assert sweep_received(tmp_path, NOW_S) == 0 and (outside / "precious.txt").exists()
