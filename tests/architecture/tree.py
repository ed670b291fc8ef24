"""The files and folders we wrote, as the tests here see them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TOP = ("gateway", "channels", "engine", "skills", "config", "tests")
PACKAGES = ("gateway", "channels", "engine")
_LEFT_OUT = frozenset({"__pycache__", "_bundled"})


def folders(*tops: str) -> Iterator[Path]:
    """Give every folder below and including `tops`."""
    for top in tops or TOP:
        for folder in [ROOT / top, *sorted((ROOT / top).rglob("*"))]:
            if folder.is_dir() and not _LEFT_OUT & set(folder.parts):
                yield folder


def files(*tops: str, ends: tuple[str, ...] = (".py",)) -> Iterator[Path]:
    """Give every file of these kinds below `tops`."""
    for folder in folders(*tops):
        yield from sorted(file for file in folder.iterdir() if file.is_file() and file.suffix in ends)


def name(path: Path) -> str:
    """Give the path as it is written in `allowed.toml`."""
    return path.relative_to(ROOT).as_posix()


@cache
def allowed() -> dict[str, dict[str, str]]:
    """Give the exceptions, by rule and path, each with its reason."""
    text = (ROOT / "tests" / "architecture" / "allowed.toml").read_text("utf-8")
    found: dict[str, dict[str, str]] = tomllib.loads(text)
    return found


def check(rule: str, broken: dict[str, str]) -> None:
    """Fail when something breaks `rule` without being an exception, or when an exception is no longer needed.

    `broken` maps paths to what is wrong with them.
    """
    exceptions = allowed().get(rule, {})
    new = {path: what for path, what in broken.items() if path not in exceptions}
    assert not new, f"{rule}: " + "; ".join(f"{path}: {what}" for path, what in sorted(new.items()))
    mended = sorted(exceptions.keys() - broken.keys())
    assert not mended, f"{rule}: no longer needed in allowed.toml: {mended}"


def project() -> dict[str, Any]:
    """Give `pyproject.toml`."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
