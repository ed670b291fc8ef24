"""Everything about the platform that a test may choose: limits, times, and modes where the vendor is silent."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal


@dataclass
class Options:
    """Limits are the vendor's figures for the standard edition; modes decide what its pages leave open.

    Source: open.dingtalk.com pages on throttling, cards, robots and Stream mode, read 2026-08, and users' reports.
    """

    api_per_second: int = 20
    """Calls of one app to one API in a second; paid plans have 40 or 60."""
    monthly_calls: int = 5000
    """Calls of the whole organisation in a month (standard edition); a throttled call is not counted."""
    monthly_messages: int = 3000
    """Messages pushed to robots in a month; beyond it a notice comes in their place."""
    withheld_scopes: list[str] = field(default_factory=list[str])
    """Permissions the app was not granted."""
    streaming_without_scope: Literal["403", "unknownError"] = "403"
    api_delay_s: float = 0.0
    """Every REST call takes at least this long."""
    ip_calls: int = 10_000
    ip_window_s: float = 20.0
    ip_block_s: float = 300.0
    ip_block_body: Literal["json", "html"] = "json"
    ip_block_status: int = 403

    token_life_s: int = 7200
    token_error_status: Literal[400, 401] = 400

    ticket_life_s: int = 90
    bad_ticket_status: int = 401
    ping_every_s: float = 30.0
    keepalive_every_s: float = 25.0
    greets: bool = True
    """Send SYSTEM CONNECTED and REGISTERED after the handshake."""
    close_after_s: float = 10.0
    """From the `disconnect` frame to the end of the TCP connection."""
    rotate_every_s: float | None = None
    """Age at which a connection gets its `disconnect` frame; None: only when a test orders it."""
    max_connections: int | None = None

    redeliver_after_s: float = 60.0
    robot_redeliveries: int = 2
    """How often an unacknowledged robot message comes again; the vendor says never, users say it does."""
    card_redeliveries: int = 0
    """How often an unacknowledged press comes again (unknown)."""
    event_redeliveries: int = 3
    lost_with_socket: bool = True
    """A robot message on a connection that ended before the ack is lost, not sent again."""
    offline_notice: bool = True
    """Tell the writer when the robot has no connection; the message is lost either way."""
    click_within_s: float = 2.0
    action_suffix: str = ""
    """Added to the id of a pressed button, as the platform does with numbers at times."""
    ack_any_socket: bool = False
    """Whether an acknowledgement counts that came on another connection than its push."""
    event_status_needed: bool = True
    """Whether code 200 alone takes an event; the vendor's own client sends no status."""
    sparse_clicks: bool = False
    """Leave out of a press everything but the documented fields."""

    quote_body: Literal["full", "ids"] = "full"
    """What a quoting message tells of the quoted one: all of it, or its id alone."""
    with_union_id: bool = False
    over_quota_msgtype: str = "text"

    webhook_life_s: int = 5400
    webhook_bytes: int = 20_000
    webhook_per_minute: int | None = None
    """Custom robots have 20 in a minute; whether a message's own webhook shares it is unknown."""
    group_bytes: int = 15_000
    recall_within_s: int = 86_400
    dtmd_mentions_robot: bool = True
    """Text sent by a dtmd:// link in a group reaches the robot (unknown)."""

    stream_content_bytes: int = 65_536
    blank_above_chars: int = 3000
    """A card whose streamed text is longer shows nothing, while every call succeeds."""
    empty_content: Literal["refuse", "accept"] = "refuse"
    after_finish: Literal["refuse", "ignore", "accept"] = "refuse"
    clients_miss_last_frame: bool = False
    """Clients that were away keep the text before the last frame until an update call names the card."""
    refuse_non_strings: bool = True
    """Whether card parameters that are no strings are refused (unknown)."""
    param_value_bytes: int | None = None
    """Documented as 1 KB, not enforced in practice."""

    download_code_life_s: int = 7200
    download_url_life_s: int = 600

    def change(self, values: dict[str, Any]) -> None:
        """Set several by name.

        Raises:
            KeyError: no option has this name.
        """
        known = {each.name for each in fields(self)}
        for name in values:
            if name not in known:
                raise KeyError(name)
        for name, value in values.items():
            setattr(self, name, value)
