"""What a test may choose: limits, times, and modes where sources are silent or disagree."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal


@dataclass
class Options:
    """Limits are the vendor's figures; modes decide what its pages leave open, the harder reading first.

    Source: docs.slack.dev pages on rate limits, Socket Mode, chat.* and blocks, read 2026-08; users' reports by issue.
    """

    tier_1_per_minute: int = 1
    tier_2_per_minute: int = 20
    tier_3_per_minute: int = 50
    tier_4_per_minute: int = 100
    special_per_minute: int = 600
    """Methods of the special tier: "hundreds per minute"."""
    post_burst: int = 5
    """chat.postMessage is "one per second and channel" with short bursts: this many calls in as many seconds."""
    posts_per_minute: int = 400
    """chat.postMessage in the whole workspace; the vendor gives no figure."""
    commercial: bool = False
    """A new app outside the Marketplace: history and replies once a minute, 15 messages."""
    retry_after_s: int | None = None
    """What Retry-After says; None gives the seconds until there is room."""
    limited_as_200: bool = False
    """Some methods answer 200 with `ratelimited` instead of 429."""

    text_measure: Literal["bytes", "characters"] = "bytes"
    post_text_limit: int = 4000
    update_text_limit: int = 4000
    """Longer `text` is `msg_too_long`. The vendor says 4,000 characters, users measured bytes; posts went to 40,000."""
    markdown_limit: int = 12000
    block_json_limit: int = 13200
    text_edit_marks: bool = True
    edit_window_s: float | None = None

    stream_limit_bytes: int = 10600
    """Total weight of a stream: UTF-8 bytes, a task's details and output twice. Measured by users: 10,600 to 11,300."""
    stream_life_s: float = 300.0
    stream_life: Literal["total", "idle"] = "total"
    stream_events: Literal["none", "ends", "all"] = "ends"
    """Which of a stream's changes come back as events: none, its start and end, or every append too."""
    stream_shown_to: Literal["recipient", "all"] = "recipient"
    """Who sees a stream in a channel grow; others see the first chunk until the stop."""
    recipients_in_dm: bool = False
    """Whether direct chats demand the recipient's ids too."""
    streams_refused_in: list[str] = field(default_factory=list[str])
    """Chat types (im, channel, group) where startStream gives `channel_type_not_supported`."""
    text_and_chunks_error: str = "invalid_arguments"
    task_text: Literal["append", "replace"] = "append"
    """What a second `details` or `output` of the same task does."""
    task_field_limit: int | None = None
    """The vendor says 256 characters; live probes took 40,000."""

    agent_app: bool = True
    status_life_s: float = 120.0
    session_life_s: float = 3600.0
    response_url_uses: int = 5
    response_url_life_s: float = 1800.0
    trigger_life_s: float = 3.0
    messages_tab: bool = True
    """Without it people cannot write to the bot directly, and nobody is told."""
    files_redirect_to: str = ""
    """Downloads are sent on to this address (302) instead of answered."""
    file_share_delay_s: float = 0.0
    """How long after completeUploadExternal the message with the file appears."""

    withheld_scopes: list[str] = field(default_factory=list[str])
    withheld_events: list[str] = field(default_factory=list[str])
    """Event types the app did not subscribe to, as in its manifest: `message.channels`, `app_mention`, ..."""

    events_per_hour: int = 30_000
    mention_first: bool = True
    """Whether `app_mention` comes before or after the `message` of the same post, and how far apart they are."""
    mention_gap_s: float = 0.0

    ack_within_s: float = 3.0
    max_connections: int = 10
    ticket_life_s: float = 60.0
    single_use_tickets: bool = True
    refused_handshake_status: int = 404
    ack_on_any_socket: bool = True
    """Whether an acknowledgement counts that comes on another connection than its envelope went to."""
    replay_on_connect: bool = True
    """Push events that nobody acknowledged to a new connection, `replay_delay_s` after its hello."""
    replay_delay_s: float = 0.0
    warning_s: float = 10.0
    """How long after `warning` the connection is cut."""
    half_open_s: float = 30.0
    """How long the platform takes to notice a half-open connection; until then it may get envelopes."""
    refresh_after_s: float | None = None
    """Every connection is asked to refresh after this time; `debug_reconnects=true` takes `debug_refresh_s`."""
    debug_refresh_s: float = 30.0
    socket_mode: bool = True
    api_delay_s: float = 0.0
    """Every call takes at least this long."""

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
