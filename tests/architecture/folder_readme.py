"""What a package's README must name: `python -m tests.architecture.folder_readme channels/pacing` prints the rows."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import ROOT


def parts(folder: Path) -> Iterator[Path]:
    """Give the modules and the sub-packages that hold something."""
    for each in sorted(folder.iterdir()):
        is_module = each.suffix == ".py" and not each.stem.startswith("__")
        is_package = each.is_dir() and len(list(each.glob("*.py"))) > 1
        if is_module or is_package:
            yield each


def left_out(folder: Path) -> list[str]:
    """Give the parts that the folder's README does not name; none where there is no README."""
    readme = folder / "README.md"
    if not readme.is_file():
        return []
    text = readme.read_text("utf-8")
    return [each.name for each in parts(folder) if not re.search(rf"`[^`\n]*\b{each.stem}\b[^`\n]*`", text)]


def rows(folder: Path) -> str:
    """Give a table of the parts, each with the first line of its docstring."""
    lines = ["| file | owns |", "|---|---|"]
    for each in parts(folder):
        source = (each / "__init__.py" if each.is_dir() else each).read_text("utf-8")
        first = (ast.get_docstring(ast.parse(source)) or "").split("\n")[0].rstrip(".")
        shown = f"{each.name}/" if each.is_dir() else each.name
        lines.append(f"| `{shown}` | {_lowered(first)} |")
    return "\n".join(lines)


def _lowered(sentence: str) -> str:
    """Begin small, unless the first word is a name."""
    word = sentence.partition(" ")[0].rstrip(":,")
    is_plain = word[1:].islower() or len(word) == 1
    return sentence[:1].lower() + sentence[1:] if is_plain and word not in ("Feishu", "Lark") else sentence


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        sys.stdout.write(f"{rows(ROOT / argument)}\n")
