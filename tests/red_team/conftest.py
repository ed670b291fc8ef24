"""A data folder for attacks on the whole product."""

from __future__ import annotations

from tests.journeys.conftest import home, migrated

__all__ = ["home", "migrated"]
