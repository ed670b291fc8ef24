"""Who may import whom: the contracts in `pyproject.toml`, and one importer for each SDK."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import PACKAGES, ROOT, check, files, name

SDKS = {
    "lark_oapi": ("channels/feishu/",),
    "slack_bolt": ("channels/slack/",),
    "slack_sdk": ("channels/slack/",),
    "dingtalk_stream": ("channels/dingtalk/",),
    "litellm": ("engine/models/",),
    "dbos": ("engine/runs/dbos/",),
    "mcp": ("engine/mcp/",),
    "alembic": ("gateway/migrations/",),
    "prometheus_client": ("gateway/metrics",),
    "apscheduler": ("engine/scheduler/",),
}


@pytest.mark.timeout(180)
def test_contracts_hold() -> None:
    code = "from importlinter.cli import lint_imports_command as check; check()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("sdk", SDKS)
def test_an_sdk_has_one_importer(sdk: str) -> None:
    broken = {
        name(file): f"imports {sdk}"
        for file in files(*PACKAGES)
        if sdk in set(_imported(file)) and not name(file).startswith(SDKS[sdk])
    }
    check("sdk_importers", broken)


def test_nothing_imports_by_relative_path() -> None:
    broken = {
        name(file): "relative import"
        for file in files(*PACKAGES)
        if any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(_tree(file)))
    }
    check("relative_imports", broken)


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def _imported(file: Path) -> Iterator[str]:
    """Give the top-level names imported anywhere in a file, also inside functions and for types only."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            yield from (str(arg.value).split(".")[0] for arg in node.args if isinstance(arg, ast.Constant))
