"""The rules of files, read at start and again whenever a file changes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import SettingsInvalid
from engine.permissions.approvals import Approvals
from engine.permissions.book import Book, parse_permissions, parse_roles
from engine.permissions.policy import Policy
from engine.permissions.request import Request
from engine.permissions.roles import Role
from engine.permissions.rule import Rule
from engine.permissions.verdict import Ruling, Verdict, strictest

log = logging.getLogger(__name__)
PERMISSIONS, ROLES = "permissions.toml", "roles.toml"
LOOK_S = 1.0
"""So seldom the files are looked at, however many calls there are."""
SETTLED_S = 0.2
"""A file that was written a moment ago may be half written."""
Stamp = tuple[int, int, int] | None


class LivePolicy:
    """Judges by the rules of several folders together, the stricter wins. What cannot be read changes nothing.

    The first folder ships with the product and must hold both files; in the others each may be missing.
    """

    def __init__(self, folders: Sequence[Path], steady_s: Callable[[], float] = time.monotonic) -> None:
        """Read the files.

        Raises:
            SettingsInvalid: one of them cannot be read, or makes no sense.
        """
        self._files = [folder / name for folder in folders for name in (PERMISSIONS, ROLES)]
        self._needed = frozenset(self._files[:2])
        self._steady_s = steady_s
        self._stamps = self._look()
        self._policy = self._read()
        self._looked_s = steady_s()
        self._problem = ""

    @property
    def problem(self) -> str:
        """Give why changed files are not in force, for people; empty while they are. Looks at the files."""
        self._renew()
        return self._problem

    @property
    def approvals(self) -> Approvals:
        """Give how people may answer."""
        self._renew()
        return self._policy.approvals

    def judge(self, request: Request) -> Ruling:
        """Give what the rules say of a call, as the files are now."""
        self._renew()
        return self._policy.judge(request)

    def _renew(self) -> None:
        """Take changed files in, all of them or none."""
        now_s = self._steady_s()
        if now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        try:
            stamps = self._look()
            if stamps == self._stamps:
                self._problem = ""
                return
            if not _is_settled(stamps):
                return
            if gone := [file for file, stamp in self._stamps.items() if stamp and not stamps[file]]:
                raise SettingsInvalid(
                    f"{gone[0]}: was there and is gone; put it back, or restart without it", code="rules_invalid"
                )
            policy = self._read()
        except SettingsInvalid as error:
            if str(error) != self._problem:
                log.warning("rules_not_taken", extra={"reason": str(error)})
            self._problem = str(error)
            return
        self._policy, self._stamps, self._problem = policy, stamps, ""
        log.info("rules_taken", extra={"files": [str(file) for file, stamp in stamps.items() if stamp]})

    def _look(self) -> dict[Path, Stamp]:
        return {file: _stamp(file) for file in self._files}

    def _read(self) -> Policy:
        books = [parse_permissions(text, str(file)) for file, text in self._texts(PERMISSIONS)]
        tables = [parse_roles(text, str(file)) for file, text in self._texts(ROLES)]
        return together(books, tables)

    def _texts(self, name: str) -> list[tuple[Path, str]]:
        files = [file for file in self._files if file.name == name]
        found = [(file, _text(file, needed=file in self._needed)) for file in files]
        return [(file, text) for file, text in found if text is not None]


def together(books: Sequence[Book], tables: Sequence[dict[str, Role]]) -> Policy:
    """Lay several files over each other: the stricter of what they say holds.

    Raises:
        SettingsInvalid: two rules have one id.
    """
    rules: dict[str, Rule] = {}
    usual: dict[str, Verdict] = {}
    approvals = Approvals() if not books else books[0].approvals
    for book in books:
        for rule in book.rules:
            if rule.id in rules:
                raise SettingsInvalid(
                    f"rules.{rule.id}: another file has a rule of this id; give it another one", code="rules_invalid"
                )
            rules[rule.id] = rule
        for tool, verdict in book.usual.items():
            both = (Ruling(usual.get(tool, "allow"), ""), Ruling(verdict, ""))
            usual[tool] = (strictest(both) or both[0]).verdict
        approvals = approvals.narrowed(book.approvals)
    names = {name: None for table in tables for name in table}
    roles = {name: [table[name] for table in tables if name in table] for name in names}
    return Policy(rules.values(), roles, usual=usual, approvals=approvals)


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except FileNotFoundError:
        if file.is_symlink():
            raise SettingsInvalid(f"{file}: leads to a file that is not there", code="rules_invalid") from None
        return None
    except OSError as error:
        raise SettingsInvalid(f"{file}: cannot be read: {error.strerror}", code="rules_invalid") from error
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _is_settled(stamps: dict[Path, Stamp]) -> bool:
    now_s = time.time()
    return all(stamp is None or abs(now_s - stamp[0] / 1e9) >= SETTLED_S for stamp in stamps.values())


def _text(file: Path, *, needed: bool) -> str | None:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if needed:
            raise SettingsInvalid(f"{file}: is missing; install the product again", code="rules_invalid") from None
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsInvalid(f"{file}: cannot be read: {error}", code="rules_invalid") from error
