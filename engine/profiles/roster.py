"""All agents: the files that ship with the product, and those of the operator over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.errors import ProfileInvalid
from engine.profiles.profile import MAIN, Name, Profile
from engine.profiles.reading import read_profile, read_values

BUILT_IN = Profile(id=MAIN, name=Name(en="niuma", zh="牛马"), description="Answers, and works with tools.")
_Stamp = tuple[tuple[str, int, int], ...]


class Roster:
    """The agents, by id. Changed files count from the next run on; a file that makes no sense is left out and told.

    Example:
        Roster([config / "agents", home / "agents"]).domains
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = tuple(folders)
        self._stamp: _Stamp | None = None
        self._profiles: dict[str, Profile] = {}
        self.problems: dict[Path, str] = {}
        """What is wrong with files that were left out."""
        self.version = 0
        """Rises when something has changed."""

    def refresh(self) -> int:
        """Read what has changed and give the version. Some file facts are looked at, so not on the event loop."""
        files = [file for folder in self._folders for file in _files(folder)]
        stamp = tuple(fact for file in files if (fact := _fact(file)) is not None)
        if stamp != self._stamp:
            self._profiles, self.problems = _read(files)
            self._stamp, self.version = stamp, self.version + 1
        return self.version

    def get(self, name: str) -> Profile | None:
        """Give one agent."""
        return self._profiles.get(name)

    @property
    def all(self) -> tuple[Profile, ...]:
        """Give every agent, the main one first, also those that are switched off."""
        return tuple(sorted(self._profiles.values(), key=lambda each: (each.id != MAIN, each.id)))

    @property
    def main(self) -> Profile:
        """Give the agent that people talk to."""
        return self._profiles.get(MAIN, BUILT_IN)

    @property
    def domains(self) -> tuple[Profile, ...]:
        """Give those that requests may be sent to."""
        return tuple(each for each in self.all if each.is_domain)


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.suffix == ".toml")
    except OSError:
        return []  # there need be no folder of the operator's own


def _fact(file: Path) -> tuple[str, int, int] | None:
    try:
        facts = file.stat()
    except OSError:
        return None  # gone since the folder was listed
    return (str(file), facts.st_mtime_ns, facts.st_size)


def _read(files: Sequence[Path]) -> tuple[dict[str, Profile], dict[Path, str]]:
    """Give the agents and the problems; a later file of the same name changes what it names."""
    found: dict[str, Profile] = {}
    values: dict[str, dict[str, Any]] = {}
    problems: dict[Path, str] = {}
    for file in files:
        try:
            found[file.stem] = read_profile(file, values.get(file.stem))
            values[file.stem] = {**values.get(file.stem, {}), **read_values(file)}
        except ProfileInvalid as error:
            problems[file] = str(error)
    return found, problems
