"""What is examined, and what was found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from channels.base import Finding

LIMIT_S = 8.0
"""How long one examination may take. All run at once: the whole takes 15 s at most, also where a model library is
imported first."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One line below a finding: a name, its value, and which kind of source that comes from, and which one."""

    name: str
    value: Any
    origin: str = ""
    source: str = ""
    usual: bool = False
    """Nothing a reader asked for: shown only on demand."""


@dataclass(frozen=True, slots=True)
class Detailed:
    """A finding with lines below it."""

    finding: Finding
    details: Sequence[Detail] = ()


Examine = Callable[[], Awaitable[Finding | Detailed]]


@dataclass(frozen=True, slots=True)
class Examination:
    """One thing to look at. `about` is whose it is where there are several (`"feishu:main"`, a model's name)."""

    name: str
    examine: Examine
    about: str = ""
    limit_s: float = LIMIT_S
    repairs: Mapping[str, Callable[[], None]] = field(default_factory=dict[str, Callable[[], None]])
    """By a finding's code: what `--fix` may do about it. Blocks; nothing in it can lose anybody's data."""


@dataclass(frozen=True, slots=True)
class Examined:
    """An examination and what it found."""

    name: str
    about: str
    finding: Finding
    details: Sequence[Detail] = ()
    elapsed_ms: int = 0
    fixed: bool = False
    """It was not well, `--fix` mended it, and this is what was found afterwards."""
