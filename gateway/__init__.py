"""The gateway: composes channels and engine."""

from __future__ import annotations

__version__ = "0.1.0"
"""The same as in `pyproject.toml`; kept here because reading package metadata takes longer than the command."""
