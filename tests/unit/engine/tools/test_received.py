"""Files that people send: a name is data, never a path."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.errors import ToolRetry
from engine.tools.received import put_received, safe_file_name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("plan.pdf", "plan.pdf"),
        ("../../config.yaml", "config.yaml"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("/etc/passwd", "passwd"),
        ("季度 报告.xlsx", "季度 报告.xlsx"),
        (".bashrc", "bashrc"),
        ("..", "file"),
        ("", "file"),
        ("a\nb\x00c\u202egnp.exe", "abcgnp.exe"),
        ("x" * 300 + ".tar", "x" * 116 + ".tar"),
        ("报" * 100 + ".txt", "报" * 38 + ".txt"),
        ("trailing. . ", "trailing"),
    ],
)
def test_f31_a_file_name_is_not_a_path(name: str, safe: str) -> None:
    assert safe_file_name(name) == safe
    assert "/" not in safe and len(safe.encode()) <= 120


def test_f31_whatever_it_is_called_a_file_lies_in_its_own_folder(tmp_path: Path) -> None:
    outside = tmp_path / "config.yaml"
    outside.write_text("ours")
    workspace = tmp_path / "ws"
    workspace.mkdir()
    assert put_received(workspace, "../../config.yaml", b"theirs") == "received/config.yaml"
    assert outside.read_text() == "ours"
    assert (workspace / "received/config.yaml").read_bytes() == b"theirs"


def test_another_file_of_the_same_name_gets_a_number_and_the_same_file_none(tmp_path: Path) -> None:
    assert put_received(tmp_path, "a.txt", b"1") == "received/a.txt"
    assert put_received(tmp_path, "a.txt", b"2") == "received/a-2.txt"
    assert put_received(tmp_path, "a.txt", b"1") == "received/a.txt"
    assert put_received(tmp_path, "plain", b"1") == "received/plain"
    assert put_received(tmp_path, "plain", b"2") == "received/plain-2"


def test_files_of_one_name_that_come_at_once_do_not_overwrite_each_other(tmp_path: Path) -> None:
    contents = [str(n).encode() for n in range(40)]

    def put(content: bytes) -> str:
        return put_received(tmp_path, "image.png", content)

    with ThreadPoolExecutor(8) as threads:
        places = list(threads.map(put, contents))
    assert [(tmp_path / place).read_bytes() for place in places] == contents


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    workspace, elsewhere = tmp_path / "ws", tmp_path / "elsewhere"
    workspace.mkdir()
    elsewhere.mkdir()
    (workspace / "received").symlink_to(elsewhere)
    with pytest.raises(ToolRetry):
        put_received(workspace, "a.txt", b"1")
    assert not list(elsewhere.iterdir())
