"""Running programs without walls, for an operator who says so: an empty environment and no more."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import ToolFailed
from engine.tools.sandbox.order import Order

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
_MARK = "NIUMA_CALL"
"""A variable that all processes of a call inherit, by which those that left its session are found."""
_KILLED_WITHIN_S = 5.0
_LOOK_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Unconfined:
    """Runs programs as the gateway's user, who can read and change whatever that user can."""

    def start(self, order: Order) -> MarkedTree:
        """See `Confinement.start`."""
        mark = f"{_MARK}={secrets.token_hex(16)}"
        home = str(order.workspace.resolve())
        variables = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": home, **order.granted, _MARK: mark.partition("=")[2]}
        try:
            process = subprocess.Popen(
                order.words,
                env=variables,
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ToolFailed(f"the program cannot be started: {error}") from error
        return MarkedTree(process, mark.encode("ascii"))


@dataclass(slots=True)
class MarkedTree:
    """A program and what it started, known by a mark in their environment."""

    process: subprocess.Popen[bytes]
    mark: bytes
    _found: Sequence[str] = ()
    _looked_at_s: float = 0.0

    def members(self) -> Sequence[str]:
        """See `Tree.members`; nothing where there is no /proc. All of the machine is looked at, so not each time."""
        if time.monotonic() - self._looked_at_s >= _LOOK_EVERY_S:
            self._found, self._looked_at_s = self._find(), time.monotonic()
        return self._found

    def _find(self) -> Sequence[str]:
        try:
            return [f"/proc/{name}" for name in os.listdir("/proc") if name.isdigit() and self._is_mine(name)]
        except FileNotFoundError:
            return ()

    def kill(self) -> None:
        """See `Tree.kill`; a process that cleans its environment and leaves the session is not found."""
        until_s = time.monotonic() + _KILLED_WITHIN_S
        _signal_group(self.process.pid)
        while living := [member for member in self._find() if _is_living(member)]:
            for member in living:
                _signal(int(member.rpartition("/")[2]))
            if time.monotonic() > until_s:
                raise ToolFailed("the processes of the call cannot be ended")
            time.sleep(0.01)
        self.process.wait(_KILLED_WITHIN_S)

    def _is_mine(self, name: str) -> bool:
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                return self.mark in file.read().split(b"\0")
        except OSError:
            return False  # over, or another user's


def _is_living(member: str) -> bool:
    try:
        with open(f"{member}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _signal_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # it is over; macOS says so by refusing


def _signal(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
