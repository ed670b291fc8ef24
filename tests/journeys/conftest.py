"""What journeys share: a database that is already up to date, and the rule that a journey is one."""

from __future__ import annotations

import ast
import inspect
import shutil
import textwrap
from pathlib import Path
from types import FunctionType

import pytest
from dbos import DBOS

from engine.storage.database import FILE_NAME, Database
from gateway.migrations import migrate

LEAST = 3
ACTS = frozenset({"say", "press", "recall", "react", "kill", "terminate", "drop", "advance", "goto", "click", "fill"})
"""What a person (or fate) does in a journey, as calls; every `assert` and `expect` counts too."""
OPENING = "tests.journeys.page_opening"
"""Opening a page is an act, and that the browser complained about nothing an assertion."""


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a database file without contents, so that not every journey spends its time on the schema."""
    home = tmp_path_factory.mktemp("migrated")
    database = Database("sqlite", home)
    migrate(database)
    database.close()
    DBOS.migrate(f"sqlite:///{home / FILE_NAME}")
    return home / FILE_NAME


@pytest.fixture
def home(migrated: Path, tmp_path: Path) -> Path:
    """Give a data folder of its own."""
    shutil.copy(migrated, tmp_path / FILE_NAME)
    return tmp_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse empty journeys: each needs three actions of a person or assertions on what a person sees.

    Raises:
        pytest.UsageError: a journey has fewer.
    """
    here = Path(__file__).parent
    empty = [item.nodeid for item in items if item.path.is_relative_to(here) and _is_empty(item)]
    if empty:
        raise pytest.UsageError(f"journeys with fewer than {LEAST} actions or assertions: {', '.join(empty)}")


def _is_empty(item: pytest.Item) -> bool:
    function = getattr(item, "function", None)
    return isinstance(function, FunctionType) and _weight(function, set()) < LEAST


def _weight(function: FunctionType, seen: set[str]) -> int:
    """Count actions and assertions of a test and of what it calls in its own module or to open a page."""
    if function.__qualname__ in seen:
        return 0
    seen.add(function.__qualname__)
    weight = 0
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Assert):
            weight += 1
        elif isinstance(node, ast.Call):
            weight += _call_weight(node, function, seen)
    return weight


def _call_weight(call: ast.Call, function: FunctionType, seen: set[str]) -> int:
    if isinstance(call.func, ast.Attribute):
        return int(call.func.attr in ACTS or call.func.attr.startswith("to_"))
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    inner = function.__globals__.get(name)
    if isinstance(inner, FunctionType) and inner.__module__ in (function.__module__, OPENING):
        return _weight(inner, seen)
    return 0
