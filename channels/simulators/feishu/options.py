"""Everything about the platform that a test may choose: limits, times, and modes where the vendor is silent."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal


@dataclass
class Options:
    """Limits are the vendor's figures; modes decide what its pages leave open.

    Source: open.feishu.cn pages on rate limits, im-v1, cardkit-v1 and long connections, read 2026-02.
    """

    api_per_second: int = 50
    api_per_minute: int = 1000
    card_per_second: int = 10
    chat_per_second: int = 5
    patch_per_second: int = 5
    streaming_exempt: bool = True
    """Calls on a card in streaming mode do not count against the app's limit."""

    repeat_uuid: Literal["same", "new_code"] = "same"
    """A message uuid seen within the hour: the first message again, or `repeat_uuid_code`."""
    repeat_uuid_code: int = 230049
    repeat_card_uuid: Literal["ok", "200770"] = "200770"
    entity_sent_twice: Literal["refuse", "allow"] = "refuse"
    failed_call_uses_sequence: bool = False
    reopen_restarts_streaming: bool = False
    """Whether `streaming_mode: true` on a card that streams already starts its 10 minutes anew."""
    group_messages: Literal["at", "all"] = "at"
    """The app's scope in groups: only messages that mention it, or all."""
    replay_on_connect: bool = False
    """Push unacknowledged events at once to a new connection instead of waiting for their time."""

    bot_status: int = 2
    """`activate_status` of every bot: 2 is switched on."""
    withheld_scopes: list[str] = field(default_factory=list[str])
    """Permissions the app was not granted; a call that needs one of several is refused when all are withheld."""

    token_life_s: int = 7200
    streaming_life_s: int = 600
    card_life_s: int = 14 * 86400
    ack_within_s: float = 3.0
    max_connections: int = 50
    max_edits: int = 20
    part_bytes: int | None = None
    """Split event payloads into parts of this many bytes; None sends them whole."""
    api_delay_s: float = 0.0
    """Every REST call takes at least this long."""

    reconnect_count: int = -1
    reconnect_interval_s: int = 120
    reconnect_nonce_s: int = 30
    ping_interval_s: int = 120

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
