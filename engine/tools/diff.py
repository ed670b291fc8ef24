"""What changed between two texts, by lines: counts, ranges, and a unified diff bounded in size."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.tools.cut import clean, cut

MAX_DIFF_CHARS = 6_000
MAX_LINE_CHARS = 400
MAX_RANGES = 50
CONTEXT_LINES = 3
_CAREFUL_LINES = 2_000
"""Blocks of more lines are told as replaced as a whole: comparing them line by line takes seconds."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `old_start` to `old_end` became `new_start` to `new_end`; counted from 0, ends excluded."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Diff:
    """The lines before and after, and the blocks in which they differ, in order."""

    old: Sequence[str]
    new: Sequence[str]
    blocks: tuple[Block, ...]

    @property
    def added(self) -> int:
        """Give how many lines are new."""
        return sum(block.new_end - block.new_start for block in self.blocks)

    @property
    def removed(self) -> int:
        """Give how many lines are gone."""
        return sum(block.old_end - block.old_start for block in self.blocks)

    def ranges(self) -> list[dict[str, int]]:
        """Give the first and last line, from 1, of each block as the file is now; what only went away has none."""
        known = [block for block in self.blocks if block.new_end > block.new_start]
        return [{"start_line": block.new_start + 1, "end_line": block.new_end} for block in known[:MAX_RANGES]]

    def parsed(self) -> dict[str, Any]:
        """Give what programs read of it."""
        return {
            "add_lines": self.added,
            "remove_lines": self.removed,
            "lines": self.ranges(),
            "total_lines": len(self.new),
        }

    def unified(self, limit: int = MAX_DIFF_CHARS) -> str:
        """Give hunks as `diff -u` does, whole lines up to `limit` characters, and say how many are left out."""
        lines = [cut(clean(line), MAX_LINE_CHARS) for line in self._hunks()]
        used = 0
        for place, line in enumerate(lines):
            used += len(line) + 1
            if used > limit:
                return "\n".join([*lines[:place], f"[{len(lines) - place} more lines of this diff are left out]"])
        return "\n".join(lines)

    def _hunks(self) -> Iterator[str]:
        for group in _grouped(self.blocks):
            first, last = group[0], group[-1]
            lead = min(CONTEXT_LINES, first.old_start)
            trail = min(CONTEXT_LINES, len(self.old) - last.old_end)
            old = _range(first.old_start - lead, last.old_end + trail)
            new = _range(first.new_start - lead, last.new_end + trail)
            yield f"@@ -{old} +{new} @@"
            at = first.old_start - lead
            for block in group:
                yield from (f" {line}" for line in self.old[at : block.old_start])
                yield from (f"-{line}" for line in self.old[block.old_start : block.old_end])
                yield from (f"+{line}" for line in self.new[block.new_start : block.new_end])
                at = block.old_end
            yield from (f" {line}" for line in self.old[at : at + trail])


def diff_of(old: Sequence[str], new: Sequence[str], around: Sequence[Block] | None = None) -> Diff:
    """Compare two texts; `around` are the blocks known to hold every difference. Without it all of it is looked at."""
    given = [Block(0, len(old), 0, len(new))] if around is None else around
    blocks = [block for known in given for block in _narrowed(old, new, known)]
    return Diff(old, new, tuple(blocks))


def _narrowed(old: Sequence[str], new: Sequence[str], block: Block) -> Iterator[Block]:
    o1, o2, n1, n2 = block.old_start, block.old_end, block.new_start, block.new_end
    while o1 < o2 and n1 < n2 and old[o1] == new[n1]:
        o1, n1 = o1 + 1, n1 + 1
    while o1 < o2 and n1 < n2 and old[o2 - 1] == new[n2 - 1]:
        o2, n2 = o2 - 1, n2 - 1
    if o1 == o2 and n1 == n2:
        return
    if o1 == o2 or n1 == n2 or o2 - o1 + n2 - n1 > 2 * _CAREFUL_LINES:
        yield Block(o1, o2, n1, n2)
        return
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old[o1:o2], new[n1:n2]).get_opcodes():
        if tag != "equal":
            yield Block(o1 + a, o1 + b, n1 + c, n1 + d)


def _grouped(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    group: list[Block] = []
    for block in blocks:
        if group and block.old_start - group[-1].old_end > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}"
