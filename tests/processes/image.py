"""What the Dockerfile builds, built by hand in an empty root, and entered as a container engine enters it.

There is no engine where these tests run: a mount namespace, a read-only root, a user without rights and no capability
are what one would give. The system's folders are this machine's; the packages are those that `.ci/locked runtime` names
and no other; niuma itself is its wheel. In a changed root the kernel gives nobody a user namespace, as a container's
filter does. tini is left out: the gateway gets its signals itself.
"""

from __future__ import annotations

import compileall
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest

from tests.processes.dockerfile import ROOT, environment

USER = 10001
_SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "etc")
_PACKAGES = Path("packages")
_VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
_SITE = Path("opt/niuma/lib") / _VERSION / "site-packages"
_ENTER = """
set -eu
root=$1; data=$2; packages=$3; python=$4; path=$PATH; shift 4
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount --bind "$root" "$root"
for folder in usr bin sbin lib lib32 lib64 etc; do
  if [ -d "/$folder" ] && [ ! -L "/$folder" ]; then mount --bind "/$folder" "$root/$folder"; fi
done
case $python in /usr|/usr/*) ;; *) mount --bind "$python" "$root$python";; esac
mount --bind "$packages" "$root/packages"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
for place in $(findmnt -rno TARGET | grep "^$root" | grep -v "^$root/\\(dev\\|proc\\)"); do
  mount -o remount,ro,bind "$place"
done
mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev,noexec tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
exec chroot "$root" /usr/bin/env PATH="$path" "$@"
"""
"""Mounts, and then only what is entered: same process, same network, nothing of this machine's /home, /root or /tmp."""
_WITHOUT_RIGHTS = (
    "/usr/bin/setpriv",
    f"--reuid={USER}",
    f"--regid={USER}",
    "--clear-groups",
    "--bounding-set=-all",
    "--inh-caps=-all",
    "--no-new-privs",
)


class Image:
    """An empty root with the product in it; `data` is its volume."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root = root
        self.data = data

    def command(self, *words: str, root: bool = False) -> list[str]:
        """Give the command that runs `words` in the image, read-only and without rights; `root`: with them."""
        words = (*(() if root else _WITHOUT_RIGHTS), *words)
        places = (str(self.root), str(self.data), sysconfig.get_path("purelib"), sys.base_prefix)
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", _ENTER, "sh", *places, *words]

    def variables(self, **more: str) -> dict[str, str]:
        """Give the environment of what runs in the image."""
        return environment() | more

    def run(self, *words: str, root: bool = False, **more: str) -> subprocess.CompletedProcess[str]:
        """Run `words` in the image to their end."""
        return _run(self.command(*words, root=root), self.variables(**more))

    def install(self, wheel: Path) -> None:
        """Lay out niuma's wheel as pip does: it is pure, and has one script."""
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(self.root / _SITE)
            compileall.compile_dir(self.root / _SITE, quiet=2, stripdir=str(self.root))
            [points] = [name for name in packed.namelist() if name.endswith(".dist-info/entry_points.txt")]
            [(name, module, call)] = re.findall(r"(?m)^(\w+) = ([\w.]+):(\w+)$", packed.read(points).decode())
        script = self.root / "opt/niuma/bin" / name
        script.write_text(f"#!/opt/niuma/bin/python\nimport sys\nfrom {module} import {call}\nsys.exit({call}())\n")
        script.chmod(0o755)


def build(folder: Path) -> Image:
    """Build it in `folder`; skips the test, and says so, where that needs rights that we have not."""
    _need_rights()
    root, data = folder / "root", folder / "data"
    python = Path(sys.base_prefix)
    for each in (*_SYSTEM, "tmp", "data", "dev", "proc", _PACKAGES, _SITE, "opt/niuma/bin", python.relative_to("/")):
        (root / each).mkdir(parents=True, exist_ok=True)
    for each in _SYSTEM:
        if (Path("/") / each).is_symlink():
            (root / each).rmdir()
            (root / each).symlink_to(os.readlink(Path("/") / each))
    _reach(root)
    data.mkdir(mode=0o700)
    (data / "workspaces").mkdir(mode=0o700)
    for each in (data, data / "workspaces"):
        os.chown(each, USER, USER)
    interpreter = python / "bin" / _VERSION
    for name in ("python", "python3"):
        (root / "opt/niuma/bin" / name).symlink_to(interpreter)
    (root / "opt/niuma/pyvenv.cfg").write_text(f"home = {python / 'bin'}\ninclude-system-site-packages = false\n")
    _link_packages(root / _SITE)
    image = Image(root, data)
    image.install(_wheel(folder))
    return image


def runtime_packages() -> set[str]:
    """Give the names of what the image gets besides niuma."""
    listed = _run([sys.executable, str(ROOT / ".ci" / "locked"), "runtime"], os.environ)
    assert listed.returncode == 0, listed.stderr
    return set(re.findall(r"(?m)^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==", listed.stdout))


def _need_rights() -> None:
    lacking = [name for name in ("unshare", "chroot", "setpriv", "findmnt", "mount") if shutil.which(name) is None]
    if lacking:
        pytest.skip(f"THE IMAGE WAS NOT TRIED: there is no {', '.join(lacking)}")
    tried = _run(["unshare", "--mount", "--propagation", "private", "mount", "-t", "tmpfs", "x", "/mnt"], os.environ)
    if os.geteuid() != 0 or tried.returncode != 0:
        pytest.skip(f"THE IMAGE WAS NOT TRIED: mounting needs root ({tried.stderr.strip()})")


def _reach(root: Path) -> None:
    """Let the user without rights come in, whatever rights new folders get here."""
    for each in (root, *root.rglob("*")):
        if each.is_dir() and not each.is_symlink():
            each.chmod(0o755)


def _link_packages(site: Path) -> None:
    """Let the image see these packages of the test's environment and no other."""
    for name in runtime_packages():
        try:
            record = metadata.distribution(name).read_text("RECORD") or ""
        except metadata.PackageNotFoundError:
            continue  # for another platform: its line in the lock has a marker
        for top in {re.split("[/,]", line, maxsplit=1)[0] for line in record.splitlines()} - {"..", "__pycache__", ""}:
            if not (site / top).is_symlink():
                (site / top).symlink_to(Path("/") / _PACKAGES / top)


def _wheel(folder: Path) -> Path:
    done = _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "wheels")], os.environ)
    assert done.returncode == 0, done.stderr
    [wheel] = (folder / "wheels").iterdir()
    return wheel


def _run(command: list[str], variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=dict(variables), cwd=ROOT, capture_output=True, text=True, timeout=60)
