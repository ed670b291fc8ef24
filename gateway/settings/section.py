"""What all sections of a settings file share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]


class Section(BaseModel):
    """Base of all settings: frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")
