"""What one person writes in one conversation is taken in one by one, in the order in which it came."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from channels.events import InboundMessage


class OneByOne:
    """Gives a lock for each person in a conversation; deliveries overlap, and one with a picture takes longer."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    def turn(self, message: InboundMessage) -> asyncio.Lock:
        """Give the lock of the message's writer; it lets in who asked first, and is forgotten when nobody holds it."""
        return self._locks.setdefault((str(message.conversation), message.sender.id), asyncio.Lock())
