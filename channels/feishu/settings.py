"""What an operator writes to connect one Feishu or Lark app."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

AccountId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]


class FeishuSettings(BaseModel):
    """One entry of `[[channels.feishu]]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: AccountId
    """Name of the account, the second part of a conversation's address."""
    app_id: str = Field(min_length=1)
    app_secret: SecretStr
    domain: str = Field(default="https://open.feishu.cn", pattern=r"^https?://[^/?#]+$")
    """Scheme and host; `https://open.larksuite.com` for Lark."""
    app_limit: Literal["exempt", "counted", "auto"] = "auto"
    """Whether streaming writes count against the app's 50/s and 1000/min; `auto` finds out by the first refusal."""
    enabled: bool = True
    request_timeout_s: float = Field(default=10.0, gt=0)
    """For one REST call, connecting included."""
    connect_timeout_s: float = Field(default=10.0, gt=0)
    """For one attempt to find and open the long connection (each of the two requests)."""
    ping_every_s: float = Field(default=10.0, gt=0)
    """Pause between signs of life on the long connection, whatever the platform asks for at most."""
    silence_s: float = Field(default=20.0, gt=0)
    """A connection that answered nothing for this long is given up."""
