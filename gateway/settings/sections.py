"""The sections of a settings file that belong to the gateway; the engine's own are in `engine.settings`.

`[access]` has a file of its own. Every field's unit and reason stand in `config/default.toml`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr

from gateway.settings.section import Id, Section


class ServerSection(Section):
    """Where the api listens. `token` empty: none was given."""

    host: str = "127.0.0.1"
    port: int = Field(default=8787, ge=0, le=65535)
    token: SecretStr = SecretStr("")
    allow_root: bool = False


class CardSection(Section):
    """How live cards look."""

    refresh_ms: int = Field(default=200, ge=50, le=60_000)
    thinking: Literal["off", "folded"] = "off"
    call_after_s: float = Field(default=60.0, ge=0)


class ScheduleSection(Section):
    """A report; read, not run yet."""

    id: Id
    name: str = ""
    cron: str | None = None
    every: str | None = None
    at: str | None = None
    timezone: str = "UTC"
    prompt: str
    to: tuple[str, ...]
