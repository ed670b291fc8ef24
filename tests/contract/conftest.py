"""What contract tests work on: a fresh place for every test, once on each database; `niuma` in it or beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from dbos import DBOS

from engine.storage.database import FILE_NAME, Database
from gateway.cli.main import main
from gateway.migrations import migrate
from tests.contract.cli import ROOT, Done, Niuma
from tests.processes.postgres import administer, empty_database, sibling


@dataclass(frozen=True)
class Place:
    """A data folder and a database of its own."""

    name: str
    url: str
    home: Path


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template")
    database = Database("sqlite", home)
    migrate(database)
    database.close()
    DBOS.migrate(f"sqlite:///{home / FILE_NAME}")
    return home / FILE_NAME


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name = f"nm_template_{uuid.uuid4().hex[:12]}"
    with administer() as admin:
        admin.execute(f"CREATE DATABASE {name}")
        url = sibling(name)
        database = Database(url, tmp_path_factory.mktemp("template"))
        migrate(database)
        database.close()
        DBOS.migrate(url)
        yield name
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / FILE_NAME)
        yield Place("sqlite", "sqlite", tmp_path)
        return
    template = request.getfixturevalue("postgres_template")
    with empty_database(template) as database:
        yield Place("postgres", database.url, tmp_path)


@pytest.fixture
def niuma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Niuma:
    """Call a command in this process, in an empty workspace and with an environment of its own."""
    for name in os.environ:
        if name.startswith(("NIUMA_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NIUMA_HOME", str(tmp_path / "data"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def call(*words: str, **env: str) -> Done:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            try:
                code = main(words)
            except SystemExit as leaving:
                code = int(leaving.code or 0)
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Niuma:
    """Call a command in a process of its own, for those that start an engine."""
    work = tmp_path / "work"
    work.mkdir()

    def call(*words: str, stdin: str = "", **env: str) -> Done:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NIUMA_", "OPENAI_"))}
        clean |= {"NIUMA_HOME": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)} | env
        command = [sys.executable, "-m", "gateway.cli", *words]
        done = subprocess.run(command, cwd=work, env=clean, input=stdin, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    return call
