"""Walls of the kernel around a program: bubblewrap, with namespaces of its own for everything."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from engine.errors import ToolFailed
from engine.tools.sandbox.control_group import join, leave
from engine.tools.sandbox.devices import device_arguments
from engine.tools.sandbox.folders import WORKSPACE, process_arguments, system_arguments, workspace_arguments
from engine.tools.sandbox.order import Limits, Order

PROGRAM = "bwrap"
PATH = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
_USER = "1000"
_FIRST = ("/bin/sh", "-c", 'printf r; read -r go || exit 125; exec </dev/null; "$@"; exit $?', "sh")
"""The first process of the sandbox: when it ends, the kernel ends all others before anybody is told.

It waits for a word: once it runs, bubblewrap has seen to it that it dies with us, and while we live it gets the word.
"""
_SEEN_FROM = "root"
"""In /proc/N: the file system as process N sees it. Source: proc(5), read 2026-12-01."""
_NICE = 10
_KILLED_WITHIN_S = 10.0
_STARTED_WITHIN_S = 10.0
_LAST_WORDS_S = 0.5


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Runs programs in a sandbox of their own. `knows` are the options that this bubblewrap has."""

    program: str = PROGRAM
    knows: Collection[str] = ()

    def start(self, order: Order) -> WalledTree:
        """See `Confinement.start`. The program begins when its limits are set and it would die with us."""
        reading, writing = os.pipe()
        with FileIO(reading, "rb") as told, FileIO(writing, "wb") as tell:
            words = [self.program, *self._walls(order), "--info-fd", str(writing), "--", *_FIRST, *order.words]
            process = _started(words, writing, order)
            try:
                tell.close()
                tree = _begun(process, reading, order.limits)
            except BaseException:
                _give_up(process)
                raise
            told.close()
            return tree

    def trial(self) -> list[str]:
        """Give a command line that does nothing, behind the same walls but without a workspace."""
        return [self.program, *self._bare(Limits(), network=False), "--", "/bin/sh", "-c", "exit 0"]

    def _walls(self, order: Order) -> Iterator[str]:
        yield from self._bare(order.limits, network=order.network)
        yield from workspace_arguments(order.workspace, order.private)
        yield from ("--chdir", WORKSPACE, "--as-pid-1")

    def _bare(self, limits: Limits, *, network: bool) -> Iterator[str]:
        yield from ("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--hostname", "sandbox")
        yield from ("--uid", _USER, "--gid", _USER, "--cap-drop", "ALL")
        yield from ("--share-net",) if network else ()
        yield from ("--disable-userns",) if "--disable-userns" in self.knows else ()
        yield from system_arguments(network)
        yield from process_arguments()
        yield from (*device_arguments(), *self._memory(limits, "/dev/shm"), *self._memory(limits, "/tmp"))
        yield from ("--dir", WORKSPACE, "--remount-ro", "/dev", "--remount-ro", "/")

    def _memory(self, limits: Limits, folder: str) -> tuple[str, ...]:
        size = ("--size", str(limits.temporary_bytes)) if "--size" in self.knows else ()
        return (*size, "--tmpfs", folder)


@dataclass(slots=True)
class WalledTree:
    """A program in its sandbox; `init` is the sandbox's first process as the machine counts."""

    process: subprocess.Popen[bytes]
    init: int
    handle: int
    group: Path | None = None

    def members(self) -> Sequence[str]:
        """See `Tree.members`: what the sandbox's own /proc shows; while it is built, its root is still ours."""
        folder = f"/proc/{self.init}/{_SEEN_FROM}/proc"
        try:
            if os.stat(folder).st_dev == os.stat("/proc").st_dev:
                return ()
            return [f"{folder}/{name}" for name in os.listdir(folder) if name.isdigit()]
        except (FileNotFoundError, ProcessLookupError):
            return ()  # not there yet, or over

    def kill(self) -> None:
        """See `Tree.kill`: the kernel ends a namespace with its first process, and that one only after all others."""
        try:
            with suppress(ProcessLookupError):  # over, and reaped
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            _wait_for(self.handle, self.process)
        finally:
            os.close(self.handle)
            if self.group is not None:
                leave(self.group)


def _wait_for(handle: int, process: subprocess.Popen[bytes]) -> None:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    try:
        if poll.poll(_KILLED_WITHIN_S * 1000):
            process.wait(_KILLED_WITHIN_S)
            return
    except subprocess.TimeoutExpired:
        pass  # told below
    process.kill()
    with suppress(subprocess.TimeoutExpired):  # told below
        process.wait(_KILLED_WITHIN_S)
    raise ToolFailed("the processes of the call cannot be ended")


def _started(words: list[str], handed: int, order: Order) -> subprocess.Popen[bytes]:
    variables = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": WORKSPACE, **order.granted}
    try:
        return subprocess.Popen(
            words,
            env=variables,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(handed,),
        )
    except (OSError, ValueError) as error:
        raise ToolFailed(f"the sandbox cannot be started: {error}") from error


def _begun(process: subprocess.Popen[bytes], told: int, limits: Limits) -> WalledTree:
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise ToolFailed("the sandbox has no pipes")
    init = _first_of(told, process)
    handle = os.pidfd_open(init)
    try:
        _piece(stdout.fileno(), process, most_bytes=1)
        _bind(init, limits)
        group = join(init, limits.processes)
        with stdin:
            stdin.write(b"go\n")
    except BaseException:
        os.close(handle)
        raise
    return WalledTree(process, init, handle, group)


def _first_of(told: int, process: subprocess.Popen[bytes]) -> int:
    """Give the sandbox's first process, which bubblewrap tells as soon as there is one."""
    said = b""
    while b"}" not in said:
        said += _piece(told, process, most_bytes=4096)
    return int(json.loads(said)["child-pid"])


def _piece(pipe: int, process: subprocess.Popen[bytes], *, most_bytes: int) -> bytes:
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    piece = os.read(pipe, most_bytes) if poll.poll(_STARTED_WITHIN_S * 1000) else b""
    if not piece:
        raise ToolFailed(f"the sandbox does not start: {_last_words(process)}")
    return piece


def _last_words(process: subprocess.Popen[bytes]) -> str:
    with suppress(subprocess.TimeoutExpired):  # ended by itself in all but the strangest cases, and says why
        process.wait(_LAST_WORDS_S)
    process.kill()
    _, said = process.communicate(timeout=_KILLED_WITHIN_S)
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {process.returncode}"


def _bind(init: int, limits: Limits) -> None:
    """Set the limits of each process, while the first one waits. The sum of all is watched."""
    os.setpriority(os.PRIO_PROCESS, init, max(_NICE, os.getpriority(os.PRIO_PROCESS, init)))
    each = {
        resource.RLIMIT_DATA: limits.memory_bytes,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
    }
    if _counts_by_namespace():
        each[resource.RLIMIT_NPROC] = limits.processes
    for kind, most in each.items():
        hard = resource.prlimit(init, kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(init, kind, (most, most))


def _counts_by_namespace() -> bool:
    """Tell whether the kernel counts a user's processes for each user namespace; before, ours would count as well.

    Source: Linux 5.14, kernel/ucount.c; read 2026-12-01. Root's processes are never counted: the watch does.
    """
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= (5, 14)


def _give_up(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(_KILLED_WITHIN_S)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):  # what was not written is of no use any more
                pipe.close()
