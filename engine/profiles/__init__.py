"""The agents there are: what each is for, what it is told, and what it may use."""

from __future__ import annotations

from engine.profiles.profile import MAIN, Profile
from engine.profiles.reading import read_profile
from engine.profiles.roster import Roster

__all__ = ["MAIN", "Profile", "Roster", "read_profile"]
