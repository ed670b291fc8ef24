"""The table of all settings in the README: `python -m tests.architecture.settings_table --write`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

from gateway.settings.schema import Leaf, node_at
from tests.architecture.defaults import Key, keys
from tests.architecture.tree import ROOT

README = ROOT / "README.md"
BEGIN, END = "<!-- settings:begin -->", "<!-- settings:end -->"


def table() -> str:
    """Give the table as markdown."""
    lines = ["| key | default | what it is |", "|---|---|---|"]
    lines += [
        f"| `{'.'.join(key.path)}` | {default(key)} | {key.comment.replace('|', '/')} |"
        for key in described()
        if not is_refused(key)
    ]
    return "\n".join(lines)


def described() -> Iterator[Key]:
    """Give each key once, the line with a comment before one without."""
    best: dict[tuple[str, ...], Key] = {}
    for key in keys():
        if key.path not in best or not best[key.path].comment:
            best[key.path] = key
    yield from best.values()


def is_refused(key: Key) -> bool:
    """Tell whether the setting belongs to a part that is not built yet, so that using it is an error."""
    return key.path[0] == "schedules"


def default(key: Key) -> str:
    """Give what counts when nobody sets it."""
    if not key.is_example:
        return f"`{json.dumps(key.value, ensure_ascii=False)}`"
    leaf = node_at(tuple("x" if part == "<id>" else part for part in key.path), source="")
    value = leaf.default if isinstance(leaf, Leaf) else None
    return "" if value in (None, "") else f"`{json.dumps(value)}`"


def written() -> str:
    """Give the README with the table of now."""
    text = README.read_text("utf-8")
    assert BEGIN in text and END in text, "README.md has no place for the settings"
    return re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{table()}\n{END}", text, flags=re.DOTALL)


if __name__ == "__main__":
    if "--write" in sys.argv:
        README.write_text(written(), encoding="utf-8")
    else:
        sys.stdout.write(table() + "\n")
