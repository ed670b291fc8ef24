"""What happens to everything a platform tells us: access, route, store; then the adapter acks."""

from gateway.inbound.enclosures import ChannelEnclosures
from gateway.inbound.reception import Reception

__all__ = ["ChannelEnclosures", "Reception"]
