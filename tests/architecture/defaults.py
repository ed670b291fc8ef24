"""`config/default.toml` as data: every key with its comment, those of example tables included."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.architecture.tree import ROOT

FILE = ROOT / "config" / "default.toml"
Path = tuple[str, ...]
_EXAMPLE = re.compile(r"(?m)^#(?=[^ \n])")
_TABLE = re.compile(r"#?\[\[?([\w.]+)\]\]?")
_KEY = re.compile(r"(?P<example>#?)(?P<key>\w+) = (?P<value>.+)")


@dataclass(frozen=True)
class Key:
    """One line of the file. `path` has `<id>` where a table is named by the reader."""

    path: Path
    value: Any
    comment: str
    is_example: bool


def everything() -> dict[str, Any]:
    """Give the file with all its examples switched on."""
    return tomllib.loads(_EXAMPLE.sub("", FILE.read_text("utf-8")))


def keys() -> Iterator[Key]:
    """Give every key in the order of the file, with the comment above it."""
    table: Path = ()
    comment: list[str] = []
    for line in FILE.read_text("utf-8").splitlines():
        if line.startswith("# "):
            comment.append(line[2:])
            continue
        if found := _TABLE.fullmatch(line):
            table = _general(tuple(found[1].split(".")), is_list="[[" in line)
        elif found := _KEY.fullmatch(line):
            value = tomllib.loads(f"x = {found['value']}")["x"]
            yield Key((*table, found["key"]), value, " ".join(comment), bool(found["example"]))
        comment = []


def _general(path: Path, *, is_list: bool) -> Path:
    if is_list:
        return (*path, "<id>")
    return (*path[:1], "<id>") if path[0] in ("models", "providers", "step_lists") and len(path) == 2 else path
