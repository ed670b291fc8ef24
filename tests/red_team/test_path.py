"""Paths with bad intent (R15 to R26 of inputs.toml): nothing outside the workspace is read, written or deleted."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.agent.outgoing import Outbox
from engine.errors import ToolError, ToolFailed, ToolRetry
from engine.messages import Principal, RunId
from engine.storage.blobs import BlobStore
from engine.tools.base import Tool, ToolContext, ToolResult
from engine.tools.create_file import CreateFile
from engine.tools.delete_file import DeleteFile
from engine.tools.edit_file import EditFile
from engine.tools.output import bound_output
from engine.tools.project_scan import ProjectScan
from engine.tools.quota import Quota
from engine.tools.read_file import ReadFile
from engine.tools.received import put_received, sweep_received
from engine.tools.send_file import SendFile
from engine.tools.send_note import SendNote
from engine.tools.workspace import workspace_for
from engine.tools.write_file import WriteFile

SECRET = "the secret line"
EDITS = [{"old_text": SECRET, "new_text": "gone"}]
CALLS: list[tuple[Tool, dict[str, Any]]] = [
    (ReadFile(), {}),
    (WriteFile(), {"content": "evil"}),
    (CreateFile(), {"content": "evil"}),
    (EditFile(), {"edits": EDITS}),
    (DeleteFile(), {}),
    (SendFile(), {}),
]


@pytest.fixture(params=CALLS, ids=[tool.name for tool, _ in CALLS])
def call(request: pytest.FixtureRequest) -> tuple[Tool, dict[str, Any]]:
    return request.param


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    """A conversation's workspace in a data folder that holds a database, a token and another conversation."""
    home = tmp_path / "home"
    own, other = workspace_for(home, "fake:main:t:mine"), workspace_for(home, "fake:main:t:other")
    (home / "token").write_text(SECRET)
    (home / "niuma.db").write_text(SECRET)
    (other / "secret.txt").write_text(SECRET)
    return ToolContext(RunId("r"), Principal(id="u"), own, "r:p", private=(home,))


def home_of(context: ToolContext) -> Path:
    return context.private[0]


async def run(call: tuple[Tool, dict[str, Any]], path: str, context: ToolContext) -> ToolResult:
    tool, more = call
    name = "path" if tool.name == "send_file" else "file_path"
    shelf = Shelf()
    result = await tool.run({name: path, **more}, context)
    result = await Outbox(shelf, max_bytes=1_000).keep(result, context)
    assert SECRET.encode() not in b"".join(shelf.kept)
    return result


class Shelf(BlobStore):
    """Keeps blobs in memory."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    async def write(self, content: bytes) -> str:
        self.kept.append(content)
        return "0" * 64


async def refused(call: tuple[Tool, dict[str, Any]], path: str, context: ToolContext) -> str:
    """Give the reason; whatever is outside is as it was, and was not told."""
    outside = known_outside(context)
    with pytest.raises(ToolError) as caught:
        await asyncio.wait_for(run(call, path, context), 5)
    assert SECRET not in str(caught.value)
    assert known_outside(context) == outside
    return str(caught.value)


def known_outside(context: ToolContext) -> dict[str, str]:
    root = home_of(context).parent
    found = (path for path in root.rglob("*") if path.is_file() and context.workspace not in path.parents)
    return {str(path): path.read_text() for path in found}


async def test_r15_a_path_that_climbs_out(context: ToolContext, call: tuple[Tool, dict[str, Any]]) -> None:
    assert "leads out of the workspace" in await refused(call, "../../../etc/passwd", context)
    assert "leads out of the workspace" in await refused(call, "a/b/../../../../token", context)


async def test_r16_an_absolute_path(context: ToolContext, call: tuple[Tool, dict[str, Any]]) -> None:
    assert "is absolute" in await refused(call, "/etc/passwd", context)
    assert "is absolute" in await refused(call, str(context.workspace / "a.txt"), context)


async def test_r17_a_home_folder(context: ToolContext, call: tuple[Tool, dict[str, Any]]) -> None:
    assert "is absolute" in await refused(call, "~/.ssh/id_rsa", context)
    assert "is absolute" in await refused(call, "~root/.ssh/id_rsa", context)


async def test_r18_a_link_to_a_folder_outside(context: ToolContext, call: tuple[Tool, dict[str, Any]]) -> None:
    (context.workspace / "link").symlink_to("/etc")
    (context.workspace / "up").symlink_to("../..")
    (context.workspace / "chain").symlink_to("up")
    for path in ("link/passwd", "up/token", "chain/token", "up/new.txt"):
        assert "leads out of the workspace" in (told := await refused(call, path, context)) or "not a folder" in told


async def test_r18_a_link_to_a_file_outside(context: ToolContext, call: tuple[Tool, dict[str, Any]]) -> None:
    link = context.workspace / "token"
    link.symlink_to(home_of(context) / "token")
    if call[0].name == "delete_file":
        await run(call, "token", context)
        assert not link.is_symlink()
        assert (home_of(context) / "token").read_text() == SECRET, "the link goes, not what it names"
    else:
        await refused(call, "token", context)


def exchange(context: ToolContext, opened: list[str], at: str) -> Callable[..., int]:
    """Exchange the folder `at` for a link to the data folder as soon as the one before it was opened, or itself."""
    real = os.open

    def spied(path: Any, *args: Any, **more: Any) -> int:
        folder = context.workspace / "sub"
        if path == at and more.get("dir_fd") is not None and folder.is_dir() and not folder.is_symlink():
            if at == "sub":  # between the check and the opening
                folder.rename(context.workspace / "moved")
                folder.symlink_to(home_of(context))
            opened.append(at)
        handle = real(path, *args, **more)
        if path == "sub" and at != "sub" and not folder.is_symlink():  # after it was opened, before it is used
            folder.rename(context.workspace / "moved")
            folder.symlink_to(home_of(context))
            opened.append(at)
        return handle

    return spied


@pytest.mark.parametrize("at", ["sub", "token"])
async def test_r19_a_folder_becomes_a_link_between_check_and_use(
    context: ToolContext, call: tuple[Tool, dict[str, Any]], at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (context.workspace / "sub").mkdir()
    (context.workspace / "sub" / "token").write_text("mine")
    outside, hits = known_outside(context), list[str]()
    monkeypatch.setattr(os, "open", exchange(context, hits, at))
    try:
        result = await run(call, "sub/token", context)
    except ToolError as error:
        assert SECRET not in str(error)
    else:
        assert SECRET not in result.model_dump_json()
        assert at == "token", "the link was there before the folder was opened"
    assert hits
    assert known_outside(context) == outside


async def test_r19_a_folder_that_never_rests(context: ToolContext) -> None:
    ended = threading.Event()
    folder, aside = context.workspace / "sub", context.workspace / "aside"
    folder.mkdir()

    def restless() -> None:
        while not ended.is_set():
            folder.rename(aside)
            with suppress(FileExistsError):  # a write made the folder anew
                folder.symlink_to(home_of(context))
            if folder.is_symlink():
                folder.unlink()
            else:
                shutil.rmtree(folder)
            while not folder.exists():
                with suppress(OSError):
                    aside.rename(folder)
            shutil.rmtree(aside, ignore_errors=True)

    outside = known_outside(context)
    swapper = threading.Thread(target=restless)
    swapper.start()
    done = 0
    try:
        for number in range(150):
            for call in (CALLS[0], CALLS[1], CALLS[4]):
                try:
                    path = "sub/token" if call[0].name != "write_file" else f"sub/{number}.txt"
                    result = await run(call, path, context)
                except ToolError as error:
                    assert SECRET not in str(error)
                else:
                    done += 1
                    assert SECRET not in result.model_dump_json()
    finally:
        ended.set()
        swapper.join()
    assert known_outside(context) == outside
    assert done, "nothing was tried in earnest"


async def test_r20_a_write_that_climbs_out_by_way_of_a_folder(context: ToolContext) -> None:
    assert "leads out of the workspace" in await refused(CALLS[1], "a/../../outside.txt", context)
    assert list(context.workspace.iterdir()) == [], "no folder was made on the way"


@pytest.mark.parametrize("path", [".", "", "./", "a/..", "./."])
async def test_r21_the_workspace_itself(context: ToolContext, path: str) -> None:
    (context.workspace / "a").mkdir()
    assert "the workspace itself" in await refused(CALLS[4], path, context)
    assert "is a folder" in await refused(CALLS[4], "a", context)
    assert (context.workspace / "a").is_dir()


@pytest.mark.parametrize(
    ("path", "reason"),
    [("CON", "device on Windows"), ("a/nul.txt", "device on Windows"), ("a\0b", "NUL"), ("a\nb", "control characters")],
)
async def test_r22_names_that_are_none(context: ToolContext, path: str, reason: str) -> None:
    for call in CALLS[1:3]:
        assert reason in await refused(call, path, context)
    assert list(context.workspace.iterdir()) == []


async def test_r23_what_is_no_file_does_not_hang(
    context: ToolContext, call: tuple[Tool, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(context.workspace / "pipe")
    monkeypatch.chdir(context.workspace)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        names = ["pipe", "socket"]
        if os.geteuid() == 0:
            os.mknod(context.workspace / "device", 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero
            names.append("device")
        for name in names:
            await refused(call, name, context)
            assert (context.workspace / name).exists()
        scan = await asyncio.wait_for(ProjectScan().run({}, context), 5)
    assert scan.parsed["total_files"] == 0
    (context.workspace / "pipe").rename(context.workspace / "outbox.txt")
    with pytest.raises(ToolFailed):
        await asyncio.wait_for(SendNote().run({"text": "x"}, context), 5)


async def test_r23_a_pipe_that_takes_the_files_place(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = context.workspace / "a.txt", os.open
    path.write_text("x")

    def late(name: Any, *args: Any, **more: Any) -> int:
        if name == "a.txt":
            path.unlink()
            os.mkfifo(path)
        return real(name, *args, **more)

    monkeypatch.setattr(os, "open", late)
    assert "not a regular file" in await refused(CALLS[0], "a.txt", context)


async def test_r24_a_hard_link_to_the_database(context: ToolContext, call: tuple[Tool, dict[str, Any]]) -> None:
    os.link(home_of(context) / "niuma.db", context.workspace / "notes.txt")
    if call[0].name == "delete_file":
        result = await run(call, "notes.txt", context)
        assert SECRET not in result.model_dump_json()
        assert (home_of(context) / "niuma.db").read_text() == SECRET
    else:
        told = await refused(call, "notes.txt", context)
        assert "further name" in told or "there already" in told


async def test_r24_a_note_is_not_added_to_the_database(context: ToolContext) -> None:
    os.link(home_of(context) / "niuma.db", context.workspace / "outbox.txt")
    with pytest.raises(ToolFailed):
        await SendNote().run({"text": "evil"}, context)
    assert (home_of(context) / "niuma.db").read_text() == SECRET


async def test_r25_another_conversations_folder(context: ToolContext, call: tuple[Tool, dict[str, Any]]) -> None:
    other = workspace_for(home_of(context), "fake:main:t:other").name
    assert "leads out of the workspace" in await refused(call, f"../{other}/secret.txt", context)
    (context.workspace / "neighbour").symlink_to(f"../{other}")
    await refused(call, "neighbour/secret.txt", context)


async def test_r26_a_workspace_is_not_filled_without_end(context: ToolContext) -> None:
    limited = replace(context, quota=Quota(1_000_000, 50))
    piece = {"content": "x" * 100_000}
    written = 0
    with pytest.raises(ToolFailed, match=r"the workspace is full: 1\.0 MB of 1\.0 MB are used"):
        for number in range(200):
            await WriteFile().run({"file_path": f"{number}.txt", **piece}, limited)
            written += 1
    assert written == 10
    result = await ReadFile().run({"file_path": "0.txt"}, limited)
    assert result.text.startswith("xxx")
    assert sum(path.stat().st_size for path in context.workspace.rglob("*")) == 1_000_000
    long = bound_output(ToolResult(success=True, text="y" * 9_000), limit=500, context=limited, name="r-tool-0-0")
    assert "the rest is not kept" in long.text
    with pytest.raises(ToolFailed, match="full"):
        put_received(context.workspace, "more.bin", b"1" * 1_000, limited.quota)
    await DeleteFile().run({"file_path": "0.txt"}, limited)
    assert (await WriteFile().run({"file_path": "again.txt", "content": "x" * 50_000}, limited)).success


async def test_r26_nor_with_empty_files_and_folders(context: ToolContext) -> None:
    limited = replace(context, quota=Quota(1_000_000, 50))
    for number in range(60):
        for path in (f"{number}/a/b.txt", f"{number}.txt"):
            try:
                await WriteFile().run({"file_path": path, "content": ""}, limited)
            except ToolFailed as error:
                assert "50 files and folders" in str(error)
    assert sum(1 for _ in context.workspace.rglob("*")) == 50


def test_what_is_kept_for_tools_and_people_leads_nowhere_else(context: ToolContext) -> None:
    """The gateway's own writing and sweeping in a workspace meets the same links."""
    for name in ("received", ".niuma-outputs"):
        (context.workspace / name).symlink_to(home_of(context))
    outside = known_outside(context)
    with pytest.raises(ToolRetry):
        put_received(context.workspace, "token", b"evil")
    assert (
        "not kept" in bound_output(ToolResult(success=True, text="y" * 900), limit=500, context=context, name="t").text
    )
    assert sweep_received(home_of(context), 4e9) == 0
    assert known_outside(context) == outside
