"""The texts in `prompts/`."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files


@lru_cache
def prompt(name: str) -> str:
    """Give the text of a prompt file."""
    return (files("engine.agent") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()
