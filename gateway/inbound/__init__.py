"""What happens to everything a platform tells us: access, route, store; then the adapter acks."""

from gateway.inbound.direct_chats import DirectChats
from gateway.inbound.door import Door
from gateway.inbound.enclosures import ChannelEnclosures
from gateway.inbound.reception import Reception

__all__ = ["ChannelEnclosures", "DirectChats", "Door", "Reception"]
