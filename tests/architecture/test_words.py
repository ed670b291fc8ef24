"""What may not stand in the code: platform names in core, work left open, paths of somebody's machine."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

import gateway
from tests.architecture.tree import PACKAGES, ROOT, check, files, name, project

PLATFORMS = re.compile(
    r"[Ff]eishu|FEISHU|\b[Ll]ark\b|lark_|[Ss]lack|[Dd]ing[Tt]alk|[Ww]e[Cc]om|[Tt]elegram"
)  # SLACK is spare time
CORE = (
    "gateway/",
    "engine/",
    "channels/cards/",
    "channels/pacing/",
    "channels/testing/",
    "channels/base.py",
    "channels/capabilities.py",
    "channels/clock.py",
    "channels/connection.py",
    "channels/errors.py",
    "channels/events.py",
)
KNOWS_PLATFORMS = ("gateway/settings/", "gateway/cli/demo.py", "gateway/app/simulated.py")
TEXT = (".py", ".md", ".toml", ".html", ".js", ".css", ".sh")


def _code_words(file: Path) -> str:
    """Give names and strings of the code, without comments and docstrings: examples there may name a platform."""
    words: list[str] = []
    starts_line = True
    for token in tokenize.generate_tokens(io.StringIO(file.read_text("utf-8")).readline):
        is_docstring = token.type == tokenize.STRING and starts_line
        if token.type in (tokenize.NAME, tokenize.STRING) and not is_docstring:
            words.append(token.string)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            starts_line = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    return "\n".join(words)


def test_core_code_names_no_channel() -> None:
    """Core asks `Capabilities`; only the registry, the settings and the demo know which platforms there are."""
    broken = {
        name(file): f"names {match[0]!r}"
        for file in files("gateway", "engine", "channels")
        if name(file).startswith(CORE) and not name(file).startswith(KNOWS_PLATFORMS)
        if (match := PLATFORMS.search(_code_words(file)))
    }
    check("channel_names", broken)


def test_nothing_is_left_open() -> None:
    open_work = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    own = "tests/architecture/test_words.py"
    broken = {
        name(file): f"says {match[0]}"
        for file in files(ends=TEXT)
        if name(file) != own and (match := open_work.search(file.read_text("utf-8")))
    }
    check("open_work", broken)


def test_no_path_of_a_machine_and_no_registry() -> None:
    places = re.compile(r"/(?:root|home/\w+|Users/\w+|work)/|https?://[\w.-]*(?:pypi|pythonhosted|index)[\w.-]*")
    roots = [
        ROOT / file for file in ("README.md", "AGENTS.md", "CHANGELOG.md", "Makefile", "pyproject.toml", ".ci/run")
    ]
    own = "tests/architecture/test_words.py"
    broken = {
        name(file): f"names {match[0]!r}"
        for file in [*files(ends=TEXT), *roots]
        if name(file) != own and (match := places.search(file.read_text("utf-8")))
    }
    check("machine_paths", broken)


def test_every_module_says_what_it_is_for() -> None:
    """A docstring first, then `from __future__ import annotations`; an empty `__init__.py` needs neither."""
    broken: dict[str, str] = {}
    for file in files(*PACKAGES):
        text = file.read_text("utf-8")
        if text.strip() and not re.match(r'r?"""[^"]', text):
            broken[name(file)] = "no docstring"
    check("module_docstrings", broken)


def test_the_version_is_the_same_everywhere() -> None:
    assert gateway.__version__ == project()["project"]["version"]


@pytest.mark.parametrize("heading", re.findall(r"(?m)^### (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8")))
def test_the_changelog_uses_fixed_verbs(heading: str) -> None:
    assert heading in ("Added", "Changed", "Fixed")


def test_the_changelog_begins_with_what_is_to_come() -> None:
    versions = re.findall(r"(?m)^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert versions[0] == "Unreleased"


def test_agents_page_is_one_page() -> None:
    lines = (ROOT / "AGENTS.md").read_text("utf-8").splitlines()
    assert len(lines) <= 90
    for path in re.findall(r"`((?:gateway|channels|engine|config|tests)/[\w/.-]*)`", "\n".join(lines)):
        assert (ROOT / path).exists(), f"AGENTS.md names {path}, which is not there"
