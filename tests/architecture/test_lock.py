"""The lock: everything pinned and hashed, nothing that says where to fetch it, no release we must not use."""

from __future__ import annotations

import re

from tests.architecture.tree import ROOT, project

LOCK = (ROOT / "requirements.lock").read_text("utf-8")
LINE = re.compile(r"(?P<name>[a-z0-9][a-z0-9._-]*)(?:\[[a-z0-9,_-]+\])?==(?P<version>[0-9][\w.+!-]*)(?: ; .+)?")


def _entries() -> dict[str, tuple[str, list[str]]]:
    """Give name -> (version, hashes) of every entry; fail on anything that is no entry."""
    joined = re.sub(r"\\\n\s*", " ", LOCK)
    found: dict[str, tuple[str, list[str]]] = {}
    for line in joined.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        head, *hashes = line.split(" --hash=")
        match = LINE.fullmatch(head.strip())
        assert match, f"not a pinned requirement: {head!r}"
        found[match["name"]] = (match["version"], [each.strip() for each in hashes])
    return found


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def test_everything_is_pinned_and_hashed() -> None:
    entries = _entries()
    assert len(entries) > 50
    for name, (_, hashes) in entries.items():
        assert hashes, f"{name} has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), name


def test_no_word_about_where_to_fetch() -> None:
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host|(?m:^-)| @ ", LOCK)


def test_all_requirements_are_locked() -> None:
    declared = project()["project"]
    wanted = [*declared["dependencies"], *declared["optional-dependencies"]["test"]]
    names = {re.split(r"[\[<>=~! ]", each)[0].lower().replace("_", "-") for each in wanted}
    assert names - {name.replace("_", "-") for name in _entries()} == set()


def test_no_compromised_litellm() -> None:
    """1.82.7, 1.82.8 and a reported 1.107.0 were compromised: no range may admit them."""
    (litellm,) = (each for each in project()["project"]["dependencies"] if each.startswith("litellm"))
    floor = re.fullmatch(r"litellm>=([\d.]+)(,<.*)?", litellm)
    assert floor and _version(floor[1]) >= (1, 110)
    assert _version(_entries()["litellm"][0]) >= (1, 110)


def test_the_queue_library_stays_below_its_next_minor() -> None:
    (dbos,) = (each for each in project()["project"]["dependencies"] if each.startswith("dbos"))
    assert dbos == "dbos>=3.4,<3.5"
