"""Whom the doctor sees: a data folder, with its settings or with what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from channels.clock import Clock
from gateway.clock import SystemClock
from gateway.doctor.disk import Disk
from gateway.errors import ConfigInvalid
from gateway.settings import Settings


@dataclass(frozen=True, slots=True)
class Subject:
    """Nothing in it is opened or created."""

    home: Path
    settings: Settings | None = None
    problem: ConfigInvalid | None = None
    """Why there are no settings."""
    offline: bool = False
    """Ask nobody outside this machine."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    clock: Clock = field(default_factory=SystemClock)
    disk: Disk = field(default_factory=Disk)
