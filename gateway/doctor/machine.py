"""This machine: Python, installed packages, proxies in the environment."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Sequence
from functools import partial
from importlib import metadata
from urllib.request import getproxies_environment

from channels.base import Finding
from gateway import __version__
from gateway.doctor.examination import Detail, Detailed, Examination
from gateway.doctor.sandbox import sandbox
from gateway.doctor.subject import Subject

_OLDEST = (3, 11)
_PRODUCT = "niuma"
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?(?P<limits>[^;]*)(?P<marker>;.*)?")
_LIMIT = re.compile(r"(==|>=|<=|<|>)\s*([\d.]+)")


def machine_examinations(subject: Subject) -> Sequence[Examination]:
    """Give the examinations of the machine."""
    shell = "sandboxed" if subject.settings is None else subject.settings.agent.shell
    return (
        Examination("python", python),
        Examination("packages", packages),
        Examination("proxies", proxies),
        Examination("sandbox", partial(sandbox, shell=shell)),
    )


async def python() -> Finding:
    """Look at the interpreter's version."""
    facts = {"python": platform.python_version(), "niuma": __version__, "system": platform.platform(terse=True)}
    if sys.version_info < _OLDEST:
        return Finding("fail", "python_old", facts, "python_old")
    return Finding("ok", "python_right", facts)


async def packages() -> Detailed:
    """Compare what is installed with what this version asks for."""
    try:
        asked = metadata.requires(_PRODUCT) or []
    except metadata.PackageNotFoundError:
        return Detailed(Finding("skipped", "packages_unknown"))
    details, wrong = list[Detail](), list[str]()
    for line in asked:
        match = _REQUIREMENT.fullmatch(line)
        if match is None or "extra" in (match["marker"] or ""):
            continue
        found = _installed(match["name"])
        details.append(Detail(match["name"], found or "-", match["limits"].strip(), usual=True))
        if not found or not fits(found, match["limits"]):
            wrong.append(f"{match['name']} {found or '-'} ({match['limits'].strip()})")
    if wrong:
        return Detailed(Finding("fail", "packages_wrong", {"packages": ", ".join(wrong)}, "packages_wrong"), details)
    return Detailed(Finding("ok", "packages_right", {"count": len(details)}), details)


def fits(version: str, limits: str) -> bool:
    """Tell whether a version keeps limits like `">=3.4,<3.5"`; only the release numbers count."""
    ours = _numbers(version)
    for sign, bound in _LIMIT.findall(limits):
        theirs = _numbers(bound)
        width = max(len(ours), len(theirs))
        left, right = _padded(ours, width), _padded(theirs, width)
        kept = {"==": left == right, ">=": left >= right, "<=": left <= right, "<": left < right, ">": left > right}
        if not kept[sign]:
            return False
    return True


async def proxies() -> Finding:
    """Name the proxies in the environment; one that our http client cannot use stands in the way of everything."""
    found = {scheme: address for scheme, address in getproxies_environment().items() if scheme != "no"}
    if not found:
        return Finding("ok", "proxies_none")
    facts = {
        "proxies": ", ".join(f"{scheme}: {_without_user(address)}" for scheme, address in sorted(found.items())),
        "no_proxy": getproxies_environment().get("no", "-"),
    }
    used = [found.get(scheme, "") for scheme in ("http", "https")]
    if any(address and not address.startswith(("http://", "https://")) for address in used):
        return Finding("fail", "proxies_unusable", facts, "proxies_unusable")
    return Finding("ok", "proxies_set", facts)


def _without_user(address: str) -> str:
    scheme, mark, rest = address.rpartition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}"


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    release = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in release[0].split(".")) if release else ()


def _padded(numbers: tuple[int, ...], width: int) -> tuple[int, ...]:
    return numbers + (0,) * (width - len(numbers))
