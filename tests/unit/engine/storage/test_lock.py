from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import AlreadyRunning
from engine.storage.lock import FolderLock

HOLD = """
import sys, pathlib
from engine.storage.lock import FolderLock
FolderLock(pathlib.Path(sys.argv[1])).take()
print("held", flush=True)
sys.stdin.read()
"""


def test_another_process_is_named_and_its_death_frees_the_folder(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(AlreadyRunning, match=f"process {holder.pid}"):
            FolderLock(tmp_path).take()
        holder.kill()
        holder.wait()
        lock = FolderLock(tmp_path)
        lock.take()
    assert (tmp_path / "niuma.lock").read_text() == f"{os.getpid()}\n"
    lock.release()


def test_taking_twice_and_releasing_twice_is_fine(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    lock.take()
    lock.take()
    lock.release()
    lock.release()
    FolderLock(tmp_path).take()


@pytest.mark.parametrize("table", [True, False])
def test_the_holder_is_known_without_taking_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: bool
) -> None:
    """By the system's table of locks, or where there is none by the pid in the file."""
    if not table:
        monkeypatch.setattr("engine.storage.lock._LOCKS", tmp_path / "none")
    elif not Path("/proc/locks").exists():
        pytest.skip("this system has no table of locks")
    looker = FolderLock(tmp_path)
    assert looker.holder is None
    assert not (tmp_path / "niuma.lock").exists()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        assert looker.holder == holder.pid
        holder.kill()
        holder.wait()
        assert looker.holder is None
    FolderLock(tmp_path).take()
