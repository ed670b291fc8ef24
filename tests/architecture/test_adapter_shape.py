"""Every adapter looks alike: who knows one finds their way in all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

NAMES = ("feishu", "slack", "dingtalk", "web", "terminal")
FILES = ("adapter", "client", "inbound", "cards", "stream", "errors", "settings")
ADAPTERS = [ROOT / "channels" / each for each in NAMES if (ROOT / "channels" / each / "adapter.py").is_file()]


def _classes(file: Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.ClassDef)}


def test_there_is_an_adapter() -> None:
    assert ADAPTERS


@pytest.mark.parametrize("folder", ADAPTERS, ids=lambda folder: folder.name)
def test_it_has_the_files(folder: Path) -> None:
    assert [each for each in FILES if not (folder / f"{each}.py").is_file()] == []


@pytest.mark.parametrize("folder", ADAPTERS, ids=lambda folder: folder.name)
def test_it_has_the_classes(folder: Path) -> None:
    assert "Adapter" in _classes(folder / "adapter.py")
    assert f"{folder.name.capitalize()}Settings" in _classes(folder / "settings.py")
