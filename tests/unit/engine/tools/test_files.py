from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ToolFailed, ToolRetry
from engine.messages import Principal, RunId
from engine.tools import project_scan, read_file
from engine.tools.base import ToolContext, ToolResult
from engine.tools.output import bound_output
from engine.tools.project_scan import ProjectScan
from engine.tools.read_file import ReadFile
from engine.tools.send_note import SendNote
from engine.tools.workspace import safe_name, workspace_for


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return ToolContext(RunId("r"), Principal(id="u"), workspace, "r:p")


async def read(context: ToolContext, path: str, **more: int) -> ToolResult:
    return await ReadFile().run({"file_path": path, **more}, context)


async def test_reads_a_range_of_lines(context: ToolContext) -> None:
    (context.workspace / "a.txt").write_text("\n".join(f"line {n}" for n in range(1, 101)))
    whole = await read(context, "a.txt")
    assert whole.parsed == {"file_path": "a.txt", "start_line": 1, "end_line": 100, "total_lines": 100, "cut": False}
    some = await read(context, "./a.txt", start_line=5, end_line=6)
    assert some.text == "line 5\nline 6"
    tail = await read(context, "a.txt", start_line=99, end_line=500)
    assert tail.text == "line 99\nline 100"
    for wrong in ({"start_line": 101}, {"start_line": 9, "end_line": 8}):
        with pytest.raises(ToolRetry):
            await read(context, "a.txt", **wrong)


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "x/../../secret.txt", "/etc/passwd", "~/x", "link.txt", "dir/secret.txt", "a\0b", "..", "loop"],
)
async def test_nothing_outside_is_read(context: ToolContext, path: str) -> None:
    (context.workspace / "link.txt").symlink_to("../secret.txt")
    (context.workspace / "dir").symlink_to("..")
    (context.workspace / "loop").symlink_to("loop")
    with pytest.raises((ToolRetry, ToolFailed)) as caught:
        await read(context, path)
    assert "secret\n" not in str(caught.value)


async def test_a_link_that_stays_inside_may_be_read(context: ToolContext) -> None:
    (context.workspace / "a.txt").write_text("hi")
    (context.workspace / "b.txt").symlink_to("a.txt")
    assert (await read(context, "b.txt")).text == "hi"


async def test_what_is_no_file_is_refused_without_hanging(context: ToolContext) -> None:
    os.mkfifo(context.workspace / "pipe")
    (context.workspace / "folder").mkdir()
    for path in ("pipe", "folder", "gone.txt", "."):
        with pytest.raises((ToolRetry, ToolFailed)):
            await read(context, path)


async def test_binary_and_huge_files_are_refused(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    (context.workspace / "a.bin").write_bytes(b"\x7fELF\0\0")
    (context.workspace / "odd").write_bytes(b"\xff\xff\xff")
    (context.workspace / "big").write_text("x" * 100)
    for path in ("a.bin", "odd"):
        with pytest.raises(ToolFailed):
            await read(context, path)
    monkeypatch.setattr(read_file, "MAX_FILE_BYTES", 50)
    with pytest.raises(ToolFailed, match="larger"):
        await read(context, "big")


async def test_chinese_text_in_either_encoding(context: ToolContext) -> None:
    (context.workspace / "utf.txt").write_text("你好", encoding="utf-8-sig")
    (context.workspace / "gb.txt").write_text("你好，世界", encoding="gb18030")
    assert (await read(context, "utf.txt")).text == "你好"
    assert (await read(context, "gb.txt")).text == "你好，世界"


async def test_output_is_bounded_and_says_so(context: ToolContext) -> None:
    (context.workspace / "many.txt").write_text("x\n" * (read_file.MAX_LINES + 10))
    result = await read(context, "many.txt")
    assert result.parsed["cut"]
    assert result.parsed["end_line"] == read_file.MAX_LINES
    assert f"of {read_file.MAX_LINES + 10}" in result.text
    (context.workspace / "wide.txt").write_text("😀" * read_file.MAX_TEXT_CHARS * 2)
    wide = await read(context, "wide.txt")
    assert wide.parsed["cut"]
    assert len(wide.text) < read_file.MAX_TEXT_CHARS + 200


async def test_an_empty_file(context: ToolContext) -> None:
    (context.workspace / "empty").touch()
    assert (await read(context, "empty")).text == "(the file is empty)"


async def test_scan_counts_and_skips(context: ToolContext) -> None:
    root = context.workspace
    for folder in (".git", "node_modules/x", ".venv", "src"):
        (root / folder).mkdir(parents=True)
        (root / folder / "a.py").write_text("1\n2\n3")
    (root / "b.md").write_text("one\n")
    (root / "c").write_bytes(b"\0\n\n")
    (root / "out").symlink_to("/usr")
    result = await ProjectScan().run({}, context)
    assert result.parsed == {
        "total_files": 3,
        "total_lines": 4,
        "by_extension": {"(none)": 1, ".md": 1, ".py": 1},
        "lines_by_extension": {".py": 3, ".md": 1, "(none)": 0},
        "by_directory": [{"directory": "src", "files": 1, "lines": 3}, {"directory": ".", "files": 2, "lines": 1}],
        "largest": [{"file_path": "src/a.py", "lines": 3}, {"file_path": "b.md", "lines": 1}],
        "cut": False,
    }
    assert result.summary == "3 files, 4 lines"
    assert "3  src/a.py" in result.body


@pytest.mark.parametrize("asked", [".py", "py", "*.PY"])
async def test_scan_of_one_kind_counts_nothing_else(context: ToolContext, asked: str) -> None:
    for name in ("a.py", "src/b.py", "src/c.md", "only/d.md"):
        (context.workspace / name).parent.mkdir(exist_ok=True)
        (context.workspace / name).write_text("1\n2\n")
    parsed = (await ProjectScan().run({"extensions": [asked]}, context)).parsed
    assert parsed is not None
    assert (parsed["total_files"], parsed["total_lines"]) == (2, 4)
    assert [each["directory"] for each in parsed["by_directory"]] == [".", "src"]


async def test_scan_of_very_many_folders_names_the_largest_and_says_how_many_there_are(context: ToolContext) -> None:
    for number in range(project_scan.MAX_DIRECTORIES + 5):
        folder = context.workspace / f"d{number:03}"
        folder.mkdir()
        (folder / "a").write_text("1\n" * (number + 1))
    parsed = (await ProjectScan().run({}, context)).parsed
    assert parsed is not None
    assert len(parsed["by_directory"]) == project_scan.MAX_DIRECTORIES
    assert parsed["by_directory"][0]["directory"] == f"d{project_scan.MAX_DIRECTORIES + 4:03}"
    assert parsed["more_directories"] == 5


async def test_scan_names_the_longest_files_and_no_others(context: ToolContext) -> None:
    for number in range(1, 12):
        (context.workspace / f"{number}.txt").write_text("x\n" * number)
    result = await ProjectScan().run({}, context)
    assert [item["lines"] for item in result.parsed["largest"]] == [11, 10, 9, 8, 7]
    assert result.body.splitlines()[-1].split() == ["7", "7.txt"]


async def test_scan_survives_names_that_are_no_text(context: ToolContext) -> None:
    Path(os.fsdecode(os.fsencode(context.workspace) + b"/a.\xff")).write_text("x\n")
    result = await ProjectScan().run({}, context)
    assert result.parsed["total_lines"] == 1
    result.model_dump_json().encode()


async def test_scan_is_bounded(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        (context.workspace / f"{number}.txt").write_text("x\n")
    monkeypatch.setattr(project_scan, "MAX_FILES", 4)
    result = await ProjectScan().run({}, context)
    assert (result.parsed["total_files"], result.parsed["cut"]) == (4, True)


async def test_a_note_is_one_line(context: ToolContext) -> None:
    result = await SendNote().run({"text": "see\nyou", "to": "Ann"}, context)
    await SendNote().run({"text": "二"}, context)
    assert result.parsed == {"line": "Ann: see you"}
    assert (context.workspace / "outbox.txt").read_text() == "Ann: see you\n二\n"
    for wrong in ("", " \n", "x" * 501):
        with pytest.raises(ToolRetry):
            await SendNote().run({"text": wrong}, context)


async def test_a_note_does_not_follow_a_link_out(context: ToolContext) -> None:
    (context.workspace / "outbox.txt").symlink_to("../secret.txt")
    with pytest.raises((ToolRetry, ToolFailed)):
        await SendNote().run({"text": "x"}, context)
    assert (context.workspace.parent / "secret.txt").read_text() == "secret"


def test_a_workspace_per_conversation(tmp_path: Path) -> None:
    one = workspace_for(tmp_path, "feishu:main:t1:oc_1")
    assert one.is_dir()
    assert one == workspace_for(tmp_path, "feishu:main:t1:oc_1")
    assert one.parent == tmp_path / "workspaces"
    names = {safe_name(address) for address in ("a:b", "a/b", "a_b", "../..", "", "日" * 400)}
    assert len(names) == 6
    assert all("/" not in name and not name.startswith(".") and len(name) < 100 for name in names)
    assert workspace_for(tmp_path, "a:b", tmp_path / "own") == tmp_path / "own"


def test_bound_output_leaves_short_things_alone(context: ToolContext) -> None:
    result = ToolResult(success=True, text="short", body="b")
    assert bound_output(result, limit=500, context=context, name="x") == result
    assert list(context.workspace.iterdir()) == []


def test_bound_output_when_the_rest_cannot_be_kept(context: ToolContext) -> None:
    (context.workspace / ".niuma-outputs").write_text("in the way")
    result = bound_output(ToolResult(success=True, text="x" * 900), limit=500, context=context, name="x")
    assert len(result.text) <= 500
    assert "the rest is not kept" in result.text
    assert result.artifacts == ()


@pytest.fixture
def at_home(tmp_path: Path) -> ToolContext:
    """The data folder lies in the workspace, as `~/.niuma` does for somebody who asks from their home folder."""
    data = tmp_path / ".niuma"
    (data / "workspaces" / "chat").mkdir(parents=True)
    (data / "workspaces" / "chat" / "mine.txt").write_text("mine")
    (data / "logs").mkdir()
    (data / "token").write_text("secret")
    (tmp_path / "link").symlink_to(".niuma")
    (tmp_path / "token").symlink_to(".niuma/token")
    (tmp_path / "a.txt").write_text("hi\n")
    return ToolContext(RunId("r"), Principal(id="u"), tmp_path, "r:p", private=(data / "agent", data))


@pytest.mark.parametrize(
    "path", [".niuma/token", "link/token", "token", "./.niuma/../.niuma/token", ".niuma/workspaces/chat/mine.txt"]
)
async def test_the_data_folder_is_not_read(at_home: ToolContext, path: str) -> None:
    with pytest.raises(ToolRetry, match="belongs to the gateway"):
        await read(at_home, path)
    assert (await read(at_home, "a.txt")).text == "hi"


@pytest.mark.parametrize("name", [".niuma", "data"])
async def test_the_data_folder_is_not_counted_whatever_it_is_called(at_home: ToolContext, name: str) -> None:
    (at_home.workspace / ".niuma").rename(at_home.workspace / name)
    for private in (at_home.workspace / name, at_home.workspace / "other"):
        if not private.exists():
            private.symlink_to(name)
        result = await ProjectScan().run({}, replace(at_home, private=(private,)))
        assert result.parsed["total_files"] == 1


@pytest.mark.parametrize("inner", ["", "logs", "agent"])
async def test_nothing_is_seen_from_inside_the_data_folder(at_home: ToolContext, inner: str) -> None:
    workspace = at_home.workspace / ".niuma" / inner
    workspace.mkdir(exist_ok=True)
    (workspace / "niuma.db").touch()
    context = replace(at_home, workspace=workspace)
    assert (await ProjectScan().run({}, context)).parsed["total_files"] == 0
    for call in (read(context, "niuma.db"), SendNote().run({"text": "hi"}, context)):
        with pytest.raises(ToolRetry, match="belongs to the gateway"):
            await call
    long = bound_output(ToolResult(success=True, text="x" * 900), limit=500, context=context, name="x")
    assert "the rest is not kept" in long.text


async def test_a_conversation_sees_its_own_folder_inside_the_data_folder(at_home: ToolContext) -> None:
    context = replace(at_home, workspace=at_home.workspace / ".niuma" / "workspaces" / "chat")
    assert (await read(context, "mine.txt")).text == "mine"
    assert (await ProjectScan().run({}, context)).parsed["total_files"] == 1
