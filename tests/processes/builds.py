"""Other builds of this product beside this one: its tree in another folder, changed or as it once was."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("gateway", "channels", "engine", "config", "skills")
LATER = "0999"
_MIGRATION = f'''"""What a later version adds."""

import sqlalchemy as sa
from alembic import op

revision = "{LATER}"
down_revision = "{{head}}"


def upgrade() -> None:
    op.create_table("nm_later", sa.Column("run", sa.Text(), primary_key=True))
    op.add_column("nm_run", sa.Column("later", sa.Text(), nullable=False, server_default="nothing"))
    op.create_index("nm_run_later", "nm_run", ["later"])
'''
_STEP = """        async def look() -> str:
            return "looked"

        await work.scope.step(f"later/{work.round}", look, result=str)
        turn = await self._ask(work, f"model/{work.round}", tools=True)
"""
EDITS = (
    ("engine/agent/context.py", 'scope.step("context", look,', 'scope.step("beginning", look, was=("context",),'),
    ("engine/agent/loop.py", '        turn = await self._ask(work, f"model/{work.round}", tools=True)\n', _STEP),
    ("engine/events.py", "    n: int = 0\n", '    later: str = ""\n    n: int = 0\n'),
    ("engine/runs/eventlog.py", 'update={"n": n}', 'update={"n": n, "later": "said"}'),
    (
        "engine/settings.py",
        "    keep_days: float",
        "    later_s: float = Field(default=1.0, gt=0)\n    keep_days: float",
    ),
    (
        "config/default.toml",
        "keep_days = 30.0\n",
        "keep_days = 30.0\n# Seconds that a later version waits.\nlater_s = 1.0\n",
    ),
)
"""What a later version may change: a renamed step, a step in the middle, a field of events, a setting."""


def environment_of(tree: Path) -> dict[str, str]:
    """Give the variables under which this interpreter runs that build."""
    return {"PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1"}


def later_build(folder: Path) -> Path:
    """Make what the next version may be, out of this tree; gives where it lies."""
    from gateway.migrations import HEAD

    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, before, after in EDITS:
        file = folder / name
        text = file.read_text(encoding="utf-8")
        assert text.count(before) >= 1, f"{name} has changed: {before!r} is not there"
        file.write_text(text.replace(before, after, 1), encoding="utf-8")
    migrations = folder / "gateway" / "migrations"
    (migrations / "versions" / f"{LATER}_later.py").write_text(_MIGRATION.format(head=HEAD), encoding="utf-8")
    file = migrations / "__init__.py"
    file.write_text(file.read_text(encoding="utf-8").replace(f'HEAD = "{HEAD}"', f'HEAD = "{LATER}"'), encoding="utf-8")
    return folder


def build_of(commit: str, folder: Path) -> Path | None:
    """Give the tree of a commit, laid out in `folder`; `None` where this repository does not have it."""
    packed = subprocess.run(["git", "archive", commit, *PACKAGES], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode != 0:
        return None
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as tree:
        tree.extractall(folder, filter="data")
    return folder
