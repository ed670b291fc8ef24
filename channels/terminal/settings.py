"""What the host says about the one window of this process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class TerminalSettings(BaseModel):
    """A person at a terminal. There is no account to configure: the window is this process's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = "local"
    """Name of the account, the second part of a conversation's address."""
    chat: str = Field(min_length=1)
    """Name of the conversation the window begins with."""
    person: str = "operator"
    """Who types, as buttons and access rules know them."""
    person_name: str = ""
    history: Path | None = None
    """File of typed lines, for the owner only; `None` keeps none."""
    files: Path = Path()
    """Where files that are sent to the person are put; the folder they are in, unless told otherwise."""
    words: Mapping[str, str] = Field(default_factory=dict[str, str])
    """What the window itself says, by key, in the person's language."""

    def say(self, key: str, **params: object) -> str:
        """Give the window's own words; a key we have no words for stands for itself."""
        return self.words.get(key, key).format(**params)
