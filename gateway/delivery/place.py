"""Where a run is shown."""

from __future__ import annotations

from dataclasses import dataclass

from channels.base import Channel
from channels.events import ConversationRef


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation and the channel that reaches it."""

    channel: Channel
    conversation: ConversationRef
