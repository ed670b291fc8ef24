"""Files at a terminal: put once, overwriting nothing, whatever their name says."""

from __future__ import annotations

from pathlib import Path

from channels.events import OutFile
from channels.terminal.files import put_file


def test_the_same_file_is_put_once(tmp_path: Path) -> None:
    report = OutFile("report.csv", "text/csv", b"a,b\n")
    assert put_file(tmp_path, report) == put_file(tmp_path, report) == tmp_path / "report.csv"
    assert [each.name for each in tmp_path.iterdir()] == ["report.csv"]


def test_another_file_of_that_name_overwrites_nothing(tmp_path: Path) -> None:
    put_file(tmp_path, OutFile("report.csv", "text/csv", b"first"))
    assert put_file(tmp_path, OutFile("report.csv", "text/csv", b"second")) == tmp_path / "report-2.csv"
    assert (tmp_path / "report.csv").read_bytes() == b"first"


def test_f31_a_file_name_is_not_a_path(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    for name in ("../../config.yaml", "..\\..\\config.yaml", "/etc/config.yaml"):
        assert put_file(folder, OutFile(name, "text/yaml", b"x")) == folder / "config.yaml"
    assert put_file(folder, OutFile("..", "text/yaml", b"x")) == folder / "file"
    assert [each.name for each in tmp_path.iterdir()] == ["inner"]
