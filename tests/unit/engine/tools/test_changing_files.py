"""write_file, create_file, edit_file, delete_file: what is told, what is kept, what is refused, what a repeat does."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from engine.errors import ToolFailed, ToolRetry
from engine.tools import change
from engine.tools.base import Tool, ToolContext, ToolResult
from engine.tools.create_file import CreateFile
from engine.tools.delete_file import DeleteFile
from engine.tools.edit_file import EditFile
from engine.tools.quota import Quota
from engine.tools.replacement import Replacement
from engine.tools.write_file import WriteFile


async def write(context: ToolContext, path: str, content: str) -> ToolResult:
    return await WriteFile().run({"file_path": path, "content": content}, context)


async def create(context: ToolContext, path: str, content: str = "") -> ToolResult:
    return await CreateFile().run({"file_path": path, "content": content}, context)


async def edit(context: ToolContext, path: str, *edits: tuple[str, str]) -> ToolResult:
    given = [{"old_text": old, "new_text": new} for old, new in edits]
    return await EditFile().run({"file_path": path, "edits": given}, context)


async def delete(context: ToolContext, path: str) -> ToolResult:
    return await DeleteFile().run({"file_path": path}, context)


def test_what_the_rules_are_told() -> None:
    args: dict[str, Any] = {"file_path": "./a\\../b.txt", "content": "", "edits": []}
    for tool in (WriteFile(), CreateFile(), DeleteFile()):
        assert (tool.touches(args).writes, tool.touches(args).reads) == (("b.txt",), ())
    assert EditFile().touches(args).paths == ("b.txt", "b.txt")
    tools: tuple[Tool, ...] = (WriteFile(), CreateFile(), EditFile(), DeleteFile())
    assert [(tool.effect, tool.event_type) for tool in tools] == [
        ("idempotent", "edit_file"),
        ("idempotent", "create_file"),
        ("once", "edit_file"),
        ("once", "delete_file"),
    ]


async def test_an_edit_is_told_by_counts_lines_and_diff(context: ToolContext) -> None:
    (context.workspace / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 21)))
    result = await edit(context, "a.txt", ("line 2\n", "two\nand a half\n"), ("line 18\nline 19\n", ""))
    assert result.parsed == {
        "file_path": "a.txt",
        "done": "edited",
        "add_lines": 2,
        "remove_lines": 3,
        "lines": [{"start_line": 2, "end_line": 3}],
        "total_lines": 19,
        "size_bytes": (context.workspace / "a.txt").stat().st_size,
    }
    assert result.summary == "a.txt: +2 -3"
    assert result.text == "'a.txt': edited; +2 -3, lines 2-3 of 19"
    assert result.body_kind == "diff"
    assert result.body.splitlines()[:5] == ["@@ -1,5 +1,6 @@", " line 1", "-line 2", "+two", "+and a half"]
    assert (context.workspace / "a.txt").read_text().startswith("line 1\ntwo\nand a half\nline 3\n")


async def test_one_edit_that_does_not_fit_changes_nothing(context: ToolContext) -> None:
    (context.workspace / "a.txt").write_text("one two")
    with pytest.raises(ToolRetry, match="edit 2 is not in the file"):
        await edit(context, "a.txt", ("one", "1"), ("three", "3"))
    assert (context.workspace / "a.txt").read_text() == "one two"
    with pytest.raises(ToolRetry, match="no file"):
        await edit(context, "gone.txt", ("a", "b"))


MARK = "\ufeff".encode()
KEPT = [
    (b"a\r\nb\r\n", b"a\r\nB\r\nC\r\n", b"x\r\ny\r\n"),
    (MARK + b"a\nb\n", MARK + b"a\nB\nC\n", MARK + b"x\ny\n"),
    (MARK + b"a\r\nb\r\nz", MARK + b"a\r\nB\r\nC\r\nz", MARK + b"x\r\ny\r\n"),
    ("你好\nb\n".encode("gb18030"), "你好\nB\nC\n".encode("gb18030"), b"x\ny\n"),
    (b"a\rb\r", b"a\rB\rC\r", b"x\ry\r"),
    (b"a\r\nb\nc\r\n", b"a\r\nB\r\nC\nc\r\n", b"x\r\ny\r\n"),
]


@pytest.mark.parametrize(("before", "after_edit", "after_write"), KEPT)
async def test_encoding_mark_line_ends_and_mode_are_kept(
    context: ToolContext, before: bytes, after_edit: bytes, after_write: bytes
) -> None:
    path = context.workspace / "a.txt"
    path.write_bytes(before)
    path.chmod(0o754)
    await edit(context, "a.txt", ("b", "B\nC"))
    assert path.read_bytes() == after_edit
    await write(context, "a.txt", "x\ny\n")
    assert path.read_bytes() == after_write
    assert path.stat().st_mode & 0o7777 == 0o754


async def test_line_ends_that_were_asked_for_are_written(context: ToolContext) -> None:
    path = context.workspace / "a.txt"
    await write(context, "a.txt", "a\r\nb\r\n")
    assert path.read_bytes() == b"a\r\nb\r\n"
    path.write_bytes(b"a\nb\n")
    await write(context, "a.txt", "a\r\nb\r\n")
    assert path.read_bytes() == b"a\r\nb\r\n"


async def test_what_is_no_text_is_neither_read_nor_replaced(context: ToolContext) -> None:
    kept = {
        "elf": b"\x7fELF\0\0",
        "late": b"x" * 9_000 + b"\0",
        "utf16": "hi".encode("utf-16"),
        "latin": b"caf\xe9\n",
    }
    for name, data in kept.items():
        (context.workspace / name).write_bytes(data)
        for call in (write(context, name, "x"), edit(context, name, ("x", "y"))):
            with pytest.raises(ToolFailed, match=r"binary|not text"):
                await call
        assert (context.workspace / name).read_bytes() == data
    for content in ("a\0b", "half \ud800"):
        with pytest.raises(ToolRetry, match=r"NUL|half a character"):
            await write(context, "new.txt", content)
    assert not (context.workspace / "new.txt").exists()


async def test_sizes_are_bounded(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change, "MAX_FILE_BYTES", 10)
    (context.workspace / "a.txt").write_text("x" * 11)
    with pytest.raises(ToolFailed, match="larger"):
        await edit(context, "a.txt", ("x", "y"))
    with pytest.raises(ToolRetry, match="larger"):
        await write(context, "b.txt", "x" * 11)
    assert (await delete(context, "a.txt")).body == ""


async def test_a_new_file_in_new_folders(context: ToolContext) -> None:
    result = await create(context, "src/app/main.py", "print(1)\n")
    assert result.parsed["done"] == "created"
    assert (result.parsed["add_lines"], result.parsed["lines"]) == (1, [{"start_line": 1, "end_line": 1}])
    assert result.body == "@@ -0,0 +1,1 @@\n+print(1)"
    made = context.workspace / "src" / "app" / "main.py"
    assert (made.read_text(), [path.name for path in made.parent.iterdir()]) == ("print(1)\n", ["main.py"])
    assert (await create(context, "empty")).parsed["total_lines"] == 0
    mask = os.umask(0)
    os.umask(mask)
    assert made.stat().st_mode & 0o777 == 0o666 & ~mask


async def test_create_refuses_what_is_there(context: ToolContext) -> None:
    (context.workspace / "a.txt").write_text("mine")
    (context.workspace / "folder").mkdir()
    (context.workspace / "link").symlink_to("nowhere")
    for path in ("a.txt", "folder", "link"):
        with pytest.raises(ToolRetry, match="there already"):
            await create(context, path, "else")
    with pytest.raises(ToolRetry, match="not a folder"):
        await create(context, "a.txt/b.txt")
    assert (context.workspace / "a.txt").read_text() == "mine"


async def test_a_repeat_of_what_may_be_repeated_gives_the_same(context: ToolContext) -> None:
    for call in (create, write):
        first = await call(context, f"{call.__name__}.txt", "hi\n")
        facts = (context.workspace / f"{call.__name__}.txt").stat()
        again = await call(context, f"{call.__name__}.txt", "hi\n")
        assert (first.parsed["done"], again.parsed["done"]) == ("created", "unchanged")
        assert again.success
        after = (context.workspace / f"{call.__name__}.txt").stat()
        assert (after.st_ino, after.st_mtime_ns) == (facts.st_ino, facts.st_mtime_ns)


async def test_a_repeat_of_what_may_not_says_what_it_finds(context: ToolContext) -> None:
    (context.workspace / "a.txt").write_text("one")
    await edit(context, "a.txt", ("one", "two"))
    with pytest.raises(ToolRetry, match="may have been replaced before"):
        await edit(context, "a.txt", ("one", "two"))
    result = await delete(context, "a.txt")
    assert (result.parsed["done"], result.parsed["remove_lines"], result.body) == (
        "deleted",
        1,
        "@@ -1,1 +0,0 @@\n-two",
    )
    with pytest.raises(ToolRetry, match=r"no file 'a\.txt' in the workspace \(any more\)"):
        await delete(context, "a.txt")


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("at", ["write", "fsync", "replace", "link", "unlink"])
@pytest.mark.parametrize("call", [write, create])
async def test_a_crash_at_any_call_leaves_old_or_new_and_a_repeat_makes_it_right(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch, at: str, call: Any
) -> None:
    path = context.workspace / "a.txt"
    if call is write:
        path.write_text("old")
    before = path.read_text() if path.exists() else None
    with monkeypatch.context() as dead:
        is_dead: list[bool] = []

        def ends(*_args: Any, **_more: Any) -> None:
            is_dead.append(True)
            raise Killed

        if at == "write":
            dead.setattr(Replacement, "_write", ends)
        else:
            dead.setattr(os, at, ends)
        clear = Replacement._clear  # pyright: ignore[reportPrivateUsage]

        def clear_while_alive(self: Replacement) -> None:
            if not is_dead:
                clear(self)

        dead.setattr(Replacement, "_clear", clear_while_alive)
        try:
            await call(context, "a.txt", "new")
        except Killed:
            assert is_dead
        else:
            assert (at, call) in {("replace", create), ("link", write)}, "this call has no such step"
    assert (path.read_text() if path.exists() else None) in (before, "new")
    assert (await call(context, "a.txt", "new")).success
    assert path.read_text() == "new"
    assert os.listdir(context.workspace) == ["a.txt"]
    assert path.stat().st_nlink == 1


async def test_a_disk_that_is_full_leaves_the_old_file(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    path = context.workspace / "a.txt"
    path.write_text("old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ToolFailed, match="No space left"):
        await write(context, "a.txt", "new")
    assert (path.read_text(), os.listdir(context.workspace)) == ("old", ["a.txt"])


async def test_everything_is_on_the_disk_before_it_is_told(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, move = os.fsync, os.replace

    def syncing(handle: int) -> None:
        done.append("dir" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def moving(*args: Any, **more: Any) -> None:
        done.append("move")
        move(*args, **more)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(os, "replace", moving)
    (context.workspace / "a.txt").write_text("old")
    await write(context, "a.txt", "new")
    assert done == ["file", "move", "dir"]
    done.clear()
    await delete(context, "a.txt")
    assert done == ["dir"]


async def test_a_disk_without_hard_links_takes_new_files_too(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_args: Any, **_more: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    await create(context, "a.txt", "x")
    assert (context.workspace / "a.txt").read_text() == "x"


async def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = context.workspace / "a.txt"
    path.write_text("one")
    put = Replacement._write  # pyright: ignore[reportPrivateUsage]

    def meanwhile(self: Replacement) -> None:
        put(self)
        (context.workspace / self.place.name).write_text("theirs, longer")

    monkeypatch.setattr(Replacement, "_write", meanwhile)
    for call in (edit(context, "a.txt", ("one", "two")), write(context, "a.txt", "x"), create(context, "b.txt", "x")):
        with pytest.raises(ToolRetry, match="somebody else"):
            await call
        path.write_text("one")
    assert (context.workspace / "b.txt").read_text() == "theirs, longer"
    assert sorted(os.listdir(context.workspace)) == ["a.txt", "b.txt"]


async def test_a_call_that_is_cancelled_does_not_go_on_by_itself(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    put = Replacement.put

    def slow(self: Replacement) -> None:
        begun.set()
        go_on.wait(5)
        put(self)

    monkeypatch.setattr(Replacement, "put", slow)
    task = asyncio.create_task(write(context, "a.txt", "x"))
    await asyncio.to_thread(begun.wait, 5)
    task.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not task.done(), "whoever says that it was stopped must know that nothing more happens"
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (context.workspace / "a.txt").exists()


async def test_a_full_workspace_refuses_but_lets_go(context: ToolContext) -> None:
    full = replace(context, quota=Quota(100, 4))
    await write(full, "a.txt", "x" * 90)
    for call in (write(full, "b.txt", "x" * 20), edit(full, "a.txt", ("x" * 90, "y" * 120))):
        with pytest.raises(ToolFailed, match="the workspace is full"):
            await call
    assert (await write(full, "a.txt", "x" * 95)).success
    with pytest.raises(ToolFailed, match="4 files and folders"):
        await write(full, "1/2/3/4/5.txt", "")
    assert sum(1 for _ in context.workspace.rglob("*")) <= 4
    assert (await delete(full, "a.txt")).success


async def test_a_long_file_is_edited_quickly(context: ToolContext) -> None:
    text = "".join(f"some words in line {n}\n" for n in range(150_000))
    (context.workspace / "long.txt").write_text(text)
    began = time.process_time()
    result = await edit(context, "long.txt", ("line 3\n", "line three\n"), ("line 149990\n", "near the end\n"))
    assert (result.parsed["add_lines"], result.parsed["remove_lines"]) == (2, 2)
    assert time.process_time() - began < 3


@pytest.mark.parametrize("name", ["a/../../b", "/abs", "~/x", "", ".", "a/..", "x\\y", "nul", "a/COM1.txt", "a/b."])
async def test_names_that_no_file_may_get(context: ToolContext, name: str) -> None:
    for call in (write(context, name, "x"), create(context, name, "x")):
        with pytest.raises(ToolRetry):
            await call
    assert not list(context.workspace.iterdir())
    assert sorted(path.name for path in context.workspace.parent.iterdir()) == ["secret.txt", "work"]


@pytest.mark.parametrize("name", ["\u202egpj.exe", "a\nb", "x" * 241, "日" * 81, " a", "a ", "lpt9"])
async def test_odd_names_are_told_why(context: ToolContext, name: str) -> None:
    with pytest.raises(ToolRetry, match="cannot be the name of a file: "):
        await write(context, name, "x")
    assert (await write(context, "日" * 80, "x")).success
    assert (await write(context, "console.log", "x")).success
