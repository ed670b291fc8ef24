"""How people may answer questions for approval: for how long, by rank, and how many may wait."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.permissions.request import Rank

Lifetime = Literal["conversation", "always"]
"""How long a permission holds beyond the one call: until the conversation starts over, or until it is revoked."""
LIFETIMES: tuple[Lifetime, ...] = ("conversation", "always")


class Approvals(BaseModel):
    """The table `[approvals]` of `permissions.toml`. Of several tables the stricter part of each holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    conversation: tuple[Rank, ...] = ("owner", "admin", "member")
    always: tuple[Rank, ...] = ("owner", "admin")
    open_per_conversation: int = Field(default=10, ge=1)
    open_in_all: int = Field(default=200, ge=1)

    def ranks(self, lifetime: Lifetime) -> tuple[Rank, ...]:
        """Give who may allow something for so long."""
        return self.conversation if lifetime == "conversation" else self.always

    def narrowed(self, other: Approvals) -> Approvals:
        """Give what both allow."""
        return Approvals(
            conversation=tuple(rank for rank in self.conversation if rank in other.conversation),
            always=tuple(rank for rank in self.always if rank in other.always),
            open_per_conversation=min(self.open_per_conversation, other.open_per_conversation),
            open_in_all=min(self.open_in_all, other.open_in_all),
        )
