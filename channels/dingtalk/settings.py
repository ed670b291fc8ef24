"""What an operator writes to connect one DingTalk app."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

AccountId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
Address = Annotated[str, StringConstraints(pattern=r"^https?://[^/?#]+$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]{0,50}$")]
Edition = Literal["standard", "professional", "pack"]


class DingtalkSettings(BaseModel):
    """One entry of `[[channels.dingtalk]]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: AccountId
    """Name of the account, the second part of a conversation's address."""
    client_id: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    client_secret: SecretStr
    robot_code: str = ""
    """Empty: the client id, as for every robot of an internal app."""
    card_template_id: str = ""
    """Empty: no live card; answers come as one message at the end."""
    api_base: Address = "https://api.dingtalk.com"
    oapi_base: Address = "https://oapi.dingtalk.com"
    """Where files are uploaded to."""
    edition: Edition = "standard"
    """What the organisation pays for; decides the calls a second and a month."""
    refresh_ms: int = Field(default=500, ge=100)
    """Shortest pause between two updates of one card."""
    previews_per_answer: int | None = Field(default=None, ge=0)
    """Updates one growing answer may use; `None`: by the edition."""
    previews_per_month: int | None = Field(default=None, ge=0)
    """Updates all growing answers of a month may use together; `None`: by the edition."""

    # Names in the card template. An empty one: the template has no such thing.
    content_variable: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]{1,50}$")] = "content"
    title_variable: Name = "title"
    status_variable: Name = "status"
    footer_variable: Name = "footer"
    payload_variable: Name = "value"
    """What the buttons of a card carry, as one text; each button gives it back under the same name."""
    notice_variable: Name = "notice"
    show_prefix: Name = "show_"
    """With the name of a button behind: the variable that shows it when it is "true"."""
    label_prefix: Name = "label_"
    """With the name of a button behind: the variable with its label."""
    button_stop: Name = "btn_stop"
    button_approve: Name = "btn_approve"
    button_approve_conversation: Name = "btn_approve_conversation"
    button_approve_always: Name = "btn_approve_always"
    button_deny: Name = "btn_deny"
    button_retry: Name = "btn_retry"
    button_satisfied: Name = "btn_satisfied"
    button_revise: Name = "btn_revise"
    button_abandon: Name = "btn_abandon"
    button_backlog_all: Name = "btn_backlog_all"
    button_backlog_last: Name = "btn_backlog_last"
    button_backlog_ignore: Name = "btn_backlog_ignore"
    button_option_1: Name = "btn_option_1"
    button_option_2: Name = "btn_option_2"
    button_option_3: Name = "btn_option_3"
    button_option_4: Name = "btn_option_4"
    button_option_5: Name = "btn_option_5"
    button_option_6: Name = "btn_option_6"

    enabled: bool = True
    request_timeout_s: float = Field(default=10.0, gt=0)
    """For one call, connecting included."""
    connect_timeout_s: float = Field(default=10.0, gt=0)
    """For one attempt to find and open the long connection (each of the two requests)."""
    ping_every_s: float = Field(default=10.0, gt=0)
    """Pause between signs of life on the long connection."""
    silence_s: float = Field(default=20.0, gt=0)
    """A connection that answered nothing for this long is given up."""
    quiet_s: float = Field(default=75.0, gt=0)
    """A connection on which the platform itself said nothing for this long is replaced, while it still listens."""

    @property
    def robot(self) -> str:
        """Give the code that every robot call names."""
        return self.robot_code or self.client_id
