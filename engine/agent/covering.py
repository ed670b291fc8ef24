"""What a lasting permission for a call would cover: the same command, places, hosts or script, and nothing else."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from pathlib import Path
from typing import Literal

from engine.agent.plan_review import call_hash
from engine.agent.state import Reviewed
from engine.messages import Value
from engine.permissions import Touches
from engine.permissions.command import words_of

log = logging.getLogger(__name__)
MAX_BOUND_BYTES = 5_000_000
"""Larger files that a command names are not read, so that nothing lasting is offered for it."""


_BETWEEN = re.compile(r"[\s;&|<>()`'\"]+")
"""What stands between words of a command, however it is put together."""
INSIDE = "/workspace/"
"""How a command in the sandbox may call its folder."""


class Cover(Value):
    """`key` names it: a call with another key is not covered. `kind` and `what` tell it to people.

    script: `what` as it is now, with any arguments. command: exactly this one, with the files it names as they are now.
    paths: these, whatever is written there. hosts: any address there. call: exactly these arguments.
    """

    key: str
    kind: Literal["script", "command", "paths", "hosts", "call"]
    what: tuple[str, ...] = ()


async def cover_of(item: Reviewed, workspace: Path) -> Cover | None:
    """Give what a lasting permission for this call would cover; `None` when none can be given for it."""
    if item.ruling.each_time:
        return None
    touches = item.tool.touches(item.args)
    if touches.command and not touches.digest:
        words = words_of(touches.command)
        # More than one program with its words: nobody can say what it runs, and in which folder.
        files = None if words is None else await asyncio.to_thread(_files, words, workspace)
        return None if files is None else _cover(item, "command", (touches.command,), files)
    kind, what = _kind(touches)
    return _cover(item, kind, what, (call_hash(item.tool.name, item.args),) if kind == "call" else ())


async def bound_to(item: Reviewed, workspace: Path) -> str | None:
    """Name what this very call would run, by the files that its command names; `None` where that cannot be told."""
    touches = item.tool.touches(item.args)
    if touches.digest or not touches.command:
        return touches.digest
    words = [*_BETWEEN.split(touches.command), *(words_of(touches.command) or ())]
    files = await asyncio.to_thread(_files, words, workspace)
    return None if files is None else hashlib.sha256("\0".join(files).encode("utf-8", "surrogatepass")).hexdigest()


def _kind(touches: Touches) -> tuple[Literal["script", "paths", "hosts", "call"], tuple[str, ...]]:
    if touches.command:
        return "script", (touches.command.partition(" #")[0],)
    if touches.paths:
        return "paths", touches.paths
    return ("hosts", touches.hosts) if touches.hosts else ("call", ())


def _cover(
    item: Reviewed,
    kind: Literal["script", "command", "paths", "hosts", "call"],
    what: tuple[str, ...],
    bound: tuple[str, ...],
) -> Cover:
    parts = [item.tool.name, kind, *item.tool.touches(item.args).subject, "", *bound]
    told = json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return Cover(key=hashlib.sha256(told).hexdigest(), kind=kind, what=what)


def _files(words: list[str], workspace: Path) -> tuple[str, ...] | None:
    try:
        return _named_files(words, workspace)
    except (OSError, RuntimeError, ValueError) as error:
        # A name that is too long, a ring of links, a file without rights: what would run cannot be told.
        log.info("command_not_covered", extra={"reason": type(error).__name__})
        return None


def _named_files(words: list[str], workspace: Path) -> tuple[str, ...] | None:
    """Give what files of the workspace that a command names hold, as hashes; `None` when one is too large to tell."""
    found: set[str] = set()
    root = workspace.resolve()
    for word in words:
        # `--config=x.toml`, `-fx.awk` and `@x` name a file, too.
        for name in {word, word.rpartition("=")[2], word.lstrip("-")[1:] if word.startswith("-") else word.lstrip("@")}:
            path = (root / name.removeprefix(INSIDE)).resolve()
            if not (name and path.is_relative_to(root) and path.is_file()):
                continue
            with path.open("rb") as file:
                content = file.read(MAX_BOUND_BYTES + 1)
            if len(content) > MAX_BOUND_BYTES:
                return None
            found.add(f"{path.relative_to(root)} {hashlib.sha256(content).hexdigest()}")
    return tuple(sorted(found))
