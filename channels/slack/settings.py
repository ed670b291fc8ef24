"""What an operator writes to connect one Slack app."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

AccountId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]


class SlackSettings(BaseModel):
    """One entry of `[[channels.slack]]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: AccountId
    """Name of the account, the second part of a conversation's address."""
    bot_token: SecretStr
    """Token of the bot, `xoxb-`."""
    app_token: SecretStr
    """Token of the app for its socket, `xapp-`, with the permission `connections:write`."""
    base_url: str = Field(default="https://slack.com/api/", pattern=r"^https?://[^?#]+/$")
    """Address of the Web API, with the slash at its end."""
    native_streams: Literal["direct", "off"] = "direct"
    """`direct`: answers in direct chats are typed out, in the thread of the question; `off`: all cards are edited."""
    enabled: bool = True
    request_timeout_s: float = Field(default=10.0, gt=0)
    """For one call, connecting included."""
    connect_timeout_s: float = Field(default=10.0, gt=0)
    """For one attempt to find and open the socket (each of its requests)."""
    ping_every_s: float = Field(default=10.0, gt=0)
    """Pause between signs of life on the socket."""
    silence_s: float = Field(default=20.0, gt=0)
    """A socket that answered nothing for this long is given up."""
