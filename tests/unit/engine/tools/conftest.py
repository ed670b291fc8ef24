from __future__ import annotations

from pathlib import Path

import pytest

from engine.messages import Principal, RunId
from engine.tools.base import ToolContext


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    """A workspace with something secret beside it."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return ToolContext(RunId("r"), Principal(id="u"), workspace, "r:p")
