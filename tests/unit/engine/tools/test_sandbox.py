"""The sandbox: what it shows, what it limits, and that nothing of a call is left."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import ToolFailed
from engine.tools.sandbox import Bubblewrap, Limits, Order, Unconfined, find_confinement, run, try_sandbox
from engine.tools.sandbox.control_group import join
from engine.tools.sandbox.devices import OWN, device_arguments
from engine.tools.sandbox.folders import mount_points, workspace_arguments
from engine.tools.sandbox.gathered import plain
from tests.sandbox import Shell, begun, living, working_sandbox

ROOT = Path(__file__).parents[4]
GATEWAY = """
import asyncio, sys; from pathlib import Path; from tests.sandbox import Shell, working_sandbox
async def main(): await Shell(await working_sandbox(), Path(sys.argv[1]))(f"setsid sleep {sys.argv[2]} & wait")
asyncio.run(main())
"""
HOLDS = "(head -c 60000000 /dev/zero; sleep 20) | (tail -c 60000000; sleep 1)"
"""Holds 60 MB: less than the limit, which only several of them exceed."""
KERNEL = Path("/proc/sys/kernel")


@pytest.fixture
async def shell(tmp_path: Path) -> Shell:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    return Shell(await working_sandbox(), workspace)


async def test_output_exit_code_and_files_of_the_workspace(shell: Shell) -> None:
    (shell.workspace / "in.txt").write_text("given\n")
    done = await shell("cat in.txt; echo wrong >&2; echo made > out.txt; pwd; exit 3")
    assert (done.ended, done.exit_code) == ("exited", 3)
    assert (done.stdout, done.stderr) == (b"given\n/workspace\n", b"wrong\n")
    assert (shell.workspace / "out.txt").read_text() == "made\n"
    assert shell.told == ["given", "wrong", "/workspace"] or sorted(shell.told) == ["/workspace", "given", "wrong"]
    assert 0 < done.duration_ms < 15_000
    assert (await shell("kill -9 $$")).exit_code == 137
    assert (await shell("echo plain", shell="/bin/sh")).stdout == b"plain\n"


async def test_nothing_but_system_folders_and_the_workspace_is_there(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("marker")
    tries = f"cat {tmp_path}/secret /etc/shadow /var/log; ls /home /root /var /run /opt /srv /mnt; ls -A /"
    done = await shell(tries)
    assert b"marker" not in done.stdout
    assert done.stderr.count(b"No such file") == 10
    shown = set(done.stdout.decode().split())
    assert {"usr", "etc", "workspace", "tmp", "proc", "dev"} <= shown
    assert shown <= {
        "bin",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "nix",
        "proc",
        "sbin",
        "tmp",
        "usr",
        "workspace",
    }
    writes = "for f in /usr/x /etc/x /x /dev/x /proc/x; do echo x > $f; done; echo tmp > /tmp/x && echo x > /dev/null"
    done = await shell(writes)
    assert (done.exit_code, done.stderr.count(b"\n")) == (0, 5)


async def test_the_machine_cannot_be_changed_through_proc_and_dev(shell: Shell) -> None:
    # As root the kernel's own files belong to the user in the sandbox: the same value is written, in case it works.
    name = (KERNEL / "printk_ratelimit").read_text().strip()
    done = await shell(f"echo {name} > /proc/sys/kernel/printk_ratelimit; test -w /proc/sysrq-trigger && echo open")
    assert re.search(b"denied|Read-only", done.stderr)
    assert b"open" not in done.stdout
    before = [os.stat(f"/dev/{each}").st_ctime_ns for each in ("null", "zero", "tty")]
    await shell("chmod 666 /dev/null /dev/zero /dev/tty")
    assert [os.stat(f"/dev/{each}").st_ctime_ns for each in ("null", "zero", "tty")] == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices")
async def test_devices_of_its_own_are_mended_by_the_next_call(shell: Shell) -> None:
    await shell("true")
    (OWN / "null").chmod(0)  # as a command could, to those of the sandbox
    assert (await shell("echo x > /dev/null")).exit_code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs devices of its own")
def test_what_is_no_device_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "null").write_text("")
    with pytest.raises(ToolFailed, match="devices of its own"):
        list(device_arguments(tmp_path))
    assert not stat.S_ISCHR((tmp_path / "null").stat().st_mode)


async def test_no_new_rights_no_network_no_other_processes(shell: Shell) -> None:
    done = await shell("id -u; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; ls -d /proc/[0-9]* | wc -l")
    uid, effective, bound, no_new, processes = done.stdout.decode().split("\n")[:5]
    assert uid == "1000"
    assert int(effective.split()[1], 16) == 0
    assert int(bound.split()[1], 16) == 0
    assert no_new.split()[1] == "1"
    assert int(processes) < 6
    assert (await shell("exec 3<>/dev/tcp/127.0.0.1/5432")).exit_code != 0
    assert (await shell("cat /proc/net/dev | grep -vc -e lo: -e '|'")).stdout == b"0\n"
    other = os.getpid()
    assert (await shell(f"kill -0 {other}")).exit_code != 0


async def test_private_folders_in_the_workspace_are_empty_there(shell: Shell) -> None:
    private = shell.workspace / "data" / ".niuma"
    private.mkdir(parents=True)
    (private / "token").write_text("marker")
    shell.private = (private,)
    (shell.workspace / "link").symlink_to("data/.niuma")
    done = await shell(
        "cat data/.niuma/token link/token; ls -A data/.niuma; mv data elsewhere; cat elsewhere/.niuma/token"
    )
    assert b"marker" not in done.stdout
    assert (await shell("echo x > data/.niuma/x; cat */.niuma/token */*/token")).exit_code != 0
    assert [each.name for each in private.iterdir()] == ["token"]
    shell.private = (shell.workspace,)
    with pytest.raises(ToolFailed):
        await shell("echo ran > ran")
    assert not (shell.workspace / "ran").exists()


def test_private_folders_are_covered_wherever_a_mount_shows_them(tmp_path: Path) -> None:
    private, workspace = tmp_path / "data" / ".niuma", tmp_path / "ws"
    private.mkdir(parents=True)
    workspace.mkdir()
    for name, shown in (("itself", private), ("above", tmp_path / "data"), ("whole", Path("/")), ("other", workspace)):
        (workspace / name).symlink_to(shown)  # stands for a mount
    words = list(workspace_arguments(workspace, [private], lambda root: [root / name for name in os.listdir(root)]))
    covered = {words[place + 1] for place, word in enumerate(words) if word == "--tmpfs"}
    below_root = private.relative_to("/")
    assert {"/workspace/itself", "/workspace/above/.niuma", f"/workspace/whole/{below_root}"} <= covered
    assert Path("/proc") in mount_points(Path("/"))


@pytest.mark.parametrize("is_early", [True, False], ids=["while it starts", "while it runs"])
async def test_nothing_outlives_a_gateway_that_is_killed(shell: Shell, is_early: bool) -> None:
    mark = f"4{os.getpid() % 10_000:04}.25"
    gateway = await asyncio.create_subprocess_exec(sys.executable, "-c", GATEWAY, shell.workspace, mark, cwd=ROOT)
    try:
        await _until(lambda: living(f"sleep {mark}") if is_early else begun(f"sleep {mark}"))
    finally:
        gateway.kill()
        await gateway.wait()
    await _until(lambda: not living(mark))


async def test_a_workspace_made_for_tools_lies_in_a_private_folder(shell: Shell, tmp_path: Path) -> None:
    shell.workspace = tmp_path / "workspaces" / "chat"
    shell.workspace.mkdir(parents=True)
    shell.private = (tmp_path,)
    assert (await shell("echo ok > made; cat made")).stdout == b"ok\n"


@pytest.mark.parametrize(
    ("line", "limits", "ended"),
    [
        ("sleep 300 | cat", {"time_s": 0.5}, "time"),
        ("yes", {"output_bytes": 100_000}, "output"),
        ("yes >&2", {"output_bytes": 100_000}, "output"),
        ("for i in $(seq 40); do sleep 9 & done; wait", {"processes": 20, "time_s": 3.0}, "processes"),
        (f"for i in 1 2 3; do {HOLDS} & done; wait", {"memory_bytes": 100_000_000, "time_s": 8.0}, "memory"),
        ("trap '' TERM INT HUP; exec >&- 2>&-; while :; do sleep 1; done", {"time_s": 0.5}, "time"),
    ],
)
async def test_limits_hold_for_all_processes_together(
    shell: Shell, line: str, limits: dict[str, float], ended: str
) -> None:
    done = await shell(line, **limits)
    # Where the kernel counts processes it refuses them, and the shell says so; else the watch ends all of them.
    assert done.ended == ended or (ended == "processes" and b"fork" in done.stderr)
    assert len(done.stdout) + len(done.stderr) <= limits.get("output_bytes", 10**6)
    assert done.duration_ms < 12_000


async def test_the_watch_alone_ends_too_many_processes(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.tools.sandbox.bubblewrap.join", lambda _init, _most: None)
    monkeypatch.setattr("engine.tools.sandbox.bubblewrap._counts_by_namespace", lambda: False)
    assert (await shell("for i in $(seq 40); do sleep 9 & done; wait", processes=20)).ended == "processes"


async def test_no_group_of_a_call_is_left(shell: Shell, tmp_path: Path) -> None:
    await shell("true")
    assert not list(Path("/sys/fs/cgroup").glob(f"**/niuma-{os.getpid()}-*"))
    assert join(os.getpid(), 5, (tmp_path / "none",)) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs and may make a control group")
def test_a_group_holds_the_process_and_its_limit_and_those_of_dead_gateways_go(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").touch()
    left, living_one = tmp_path / "niuma-99999999-1", tmp_path / f"niuma-{os.getpid()}-1"
    left.mkdir()
    living_one.mkdir()
    group = join(123, 5, (tmp_path,))
    assert group is not None
    assert ((group / "pids.max").read_text(), (group / "cgroup.procs").read_text()) == ("5", "123")
    assert living_one.exists() and not left.exists()


async def test_shared_memory_files_and_the_temporary_folder_are_limited(shell: Shell) -> None:
    few = {"memory_bytes": 150_000_000, "file_bytes": 1_000_000, "temporary_bytes": 2_000_000}
    done = await shell("head -c 3000000 /dev/zero > /workspace/big; wc -c < /workspace/big", **few)
    assert done.stdout == b"1000000\n"
    done = await shell("for i in 1 2 3 4; do head -c 900000 /dev/zero > /tmp/$i; done; cat /tmp/* | wc -c", **few)
    assert b"No space left" in done.stderr
    assert int(done.stdout) < 2_100_000
    assert (await shell("ulimit -n; ulimit -c", open_files=99)).stdout == b"99\n0\n"


async def test_nothing_is_left_when_the_command_ends(shell: Shell) -> None:
    mark = f"9{os.getpid() % 10_000:04}.25"
    done = await shell(
        f"sleep {mark} & disown; (setsid sleep {mark} >/dev/null 2>&1 &); setsid -f sleep {mark}; echo done"
    )
    assert (done.exit_code, done.stdout) == (0, b"done\n")
    assert not living(mark)
    assert done.duration_ms < 5_000


async def test_a_cancelled_call_is_over_before_it_says_so(shell: Shell) -> None:
    mark = f"8{os.getpid() % 10_000:04}.25"
    call = asyncio.ensure_future(shell(f"echo begun; sleep {mark} | cat"))
    await _until(lambda: begun(f"sleep {mark}"))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not living(mark)


async def test_a_sandbox_that_does_not_start_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    broken.chmod(0o700)
    order = Order(("/bin/sh", "-c", "true"), tmp_path)
    with pytest.raises(ToolFailed, match="No permissions to create new namespace"):
        await run(Bubblewrap(str(broken)), order, tell=lambda _line: None)
    with pytest.raises(ToolFailed, match="cannot be started"):
        await run(Bubblewrap(str(tmp_path / "none")), order, tell=lambda _line: None)
    trial = await try_sandbox(str(broken))
    assert (trial.code, trial.reason, trial.sandbox) == (
        "sandbox_broken",
        "bwrap: No permissions to create new namespace",
        None,
    )
    assert (await try_sandbox(str(tmp_path / "none"))).code == "sandbox_missing"
    assert await find_confinement("off") is None
    assert isinstance(await find_confinement("unconfined"), Unconfined)


async def test_without_walls_the_environment_is_empty_and_the_tree_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIUMA_TOKEN", "marker")
    shell, mark = Shell(Unconfined(), tmp_path), f"7{os.getpid() % 10_000:04}.25"
    done = await shell(f"env; pwd; sleep {mark} & disown; (setsid sleep {mark} >/dev/null 2>&1 &)")
    assert b"marker" not in done.stdout
    assert str(tmp_path).encode() in done.stdout
    assert not living(mark)
    assert (await shell(f"setsid -w sleep {mark}", time_s=0.3)).ended == "time"
    assert not living(mark)


def test_output_is_shown_as_a_terminal_would_leave_it() -> None:
    assert plain(b"\x1b[31mred\x1b[0m 10%\r 50%\r100%\nnext\r\n\x07\x1b]0;title\x07end\xff") == "100%\nnext\nend\ufffd"


def test_limits_are_what_is_documented() -> None:
    assert (Limits().memory_bytes, Limits().processes) == (2**30, 128)


async def _until(condition: Callable[[], object]) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")
