"""What happens to everything a platform tells us: access, route, store; then the adapter acks."""

from gateway.inbound.enclosures import ChannelEnclosures
from gateway.inbound.inbound import Inbox

__all__ = ["ChannelEnclosures", "Inbox"]
