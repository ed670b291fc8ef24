"""Whether a failure is the platform's absence, for which no answer is to blame."""

from __future__ import annotations

from channels.base import Channel
from channels.errors import ChannelError, ConnectionLost, NotConnected, NotDispatched


def is_away(error: ChannelError | None, channel: Channel) -> bool:
    """Tell whether the platform could not be reached: nothing arrived, or the whole channel is down."""
    return isinstance(error, NotConnected | ConnectionLost | NotDispatched) or not channel.health().ok
