"""A blob that is written is there, also when the same content is being forgotten at that moment."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest

from engine.storage.blobs import BlobStore
from engine.storage.database import Database


@pytest.fixture
def files(sqlite_template: Path, tmp_path: Path) -> BlobStore:
    (tmp_path / "niuma.db").write_bytes(sqlite_template.read_bytes())
    return BlobStore(Database("sqlite", tmp_path))


async def test_what_is_written_while_it_is_forgotten_is_there(
    files: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = await files.write(b"picture")
    os.utime(tmp_path / "blobs" / name[:2] / name, (1_000, 1_000))
    unlink, writers = Path.unlink, list[threading.Thread]()

    def slowly(path: Path, missing_ok: bool = False) -> None:
        writers.append(threading.Thread(target=lambda: asyncio.run(files.write(b"picture"))))
        writers[0].start()
        writers[0].join(0.3)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", slowly)
    assert await files.forget(time.time_ns() // 1_000_000 - 60_000) == 1
    monkeypatch.undo()
    writers[0].join(5)
    assert await files.read(name) == b"picture"


async def test_what_is_kept_stays_however_old(files: BlobStore) -> None:
    kept, gone = await files.write(b"kept"), await files.write(b"gone")
    assert await files.forget(time.time_ns() // 1_000_000 + 60_000, {kept}) == 1
    assert await files.read(kept) == b"kept"
    with pytest.raises(KeyError):
        await files.read(gone)


async def test_what_is_gone_when_it_is_looked_at_ends_nothing(files: BlobStore, tmp_path: Path) -> None:
    """As a file that is only being written, and has its own name a moment later."""
    for number in range(20):
        name = await files.write(b"%d" % number)
        (tmp_path / "blobs" / name[:2] / f".new-{number}").symlink_to(tmp_path / "nowhere")
    assert await files.forget(time.time_ns() // 1_000_000 + 60_000) == 20
