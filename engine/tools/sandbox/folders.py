"""What a sandbox shows: system folders to read, the workspace, and nothing that belongs to the gateway."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from engine.errors import ToolFailed
from engine.tools.workspace import Hidden

WORKSPACE = "/workspace"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
SETTINGS = (
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
)
"""Of /etc only what programs need; the rest may hold passwords that the gateway's user can read."""
_ESCAPED = re.compile(r"\\([0-7]{3})")
FOR_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf")


def system_arguments(network: bool) -> Iterator[str]:
    """Give bubblewrap's arguments for what the machine shows of itself, to read only."""
    for folder in SYSTEM:
        if os.path.islink(folder):
            yield from ("--symlink", os.readlink(folder), folder)
        elif os.path.isdir(folder):
            yield from ("--ro-bind", folder, folder)
    for name in (*SETTINGS, *(FOR_NETWORK if network else ())):
        if os.path.exists(name):
            yield from ("--ro-bind", os.path.realpath(name), name)


def process_arguments() -> Iterator[str]:
    """Give the arguments for a /proc in which nothing but the sandbox's own processes can be changed.

    Where the service runs as root, the files of the kernel belong to the user in the sandbox too, who could write them
    without any capability: /proc/sys changes the machine, not the sandbox.
    """
    yield from ("--proc", "/proc")
    for entry in sorted(os.scandir("/proc"), key=lambda each: each.name):
        if entry.name.isdigit() or entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_mode & 0o222:
            yield from ("--ro-bind", entry.path, entry.path)


def mount_points(inside: Path) -> list[Path]:
    """Give the folders in `inside` on which something is mounted."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        named = [line.split(" ")[4] for line in file]
    points = [Path(_ESCAPED.sub(lambda found: chr(int(found[1], 8)), name)) for name in named]
    return [point for point in points if inside in point.parents]


def workspace_arguments(
    workspace: Path, private: Iterable[Path], mounted: Callable[[Path], Iterable[Path]] = mount_points
) -> Iterator[str]:
    """Give the arguments for the workspace, with an empty folder over each private one that would be seen.

    Raises:
        ToolFailed: the workspace itself is private, or is not there.
    """
    root, private = workspace.resolve(), tuple(private)
    hidden = Hidden(root, private)
    if not root.is_dir() or any(folder in hidden for folder in (root, *root.parents)):
        raise ToolFailed("this workspace cannot be given to programs")
    yield from ("--bind", str(root), WORKSPACE)
    points = list(mounted(root))
    for folder in sorted({each.resolve() for each in private}):
        for seen in {folder, *_seen_by(points, folder)}:
            yield from _covered(seen, root, WORKSPACE)
        for system in SYSTEM:
            yield from _covered(folder, Path(system), system)


def _seen_by(points: Iterable[Path], folder: Path) -> Iterator[Path]:
    """Give where else a private folder is seen: what is mounted in a workspace may hold it, or be it."""
    ends = [Path(), *(folder.relative_to(above) for above in folder.parents)]
    for point in points:
        for seen in (point / end for end in ends):
            if seen.is_dir() and folder.is_dir() and seen.samefile(folder):
                yield seen


def _covered(folder: Path, shown: Path, seen_at: str) -> Iterator[str]:
    """Give the arguments that cover `folder` where `shown`, seen at `seen_at`, holds it.

    What is mounted cannot be renamed: so each folder on the way is, else the next call would not find what to cover.
    """
    if shown not in folder.parents or shown.is_symlink() or not folder.is_dir():
        return
    for above in reversed(folder.relative_to(shown).parents[:-1]):
        yield from ("--bind" if seen_at == WORKSPACE else "--ro-bind", str(shown / above), f"{seen_at}/{above}")
    covered = f"{seen_at}/{folder.relative_to(shown)}"
    yield from ("--tmpfs", covered, "--remount-ro", covered)
