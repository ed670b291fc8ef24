"""The stream of changes that the page and tests listen to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from channels.simulators.jsons import Json


class Feed:
    """Tells listeners what changed; a slow listener gets only the newest state of a message."""

    def __init__(self) -> None:
        self._listeners: set[_Listener] = set()
        self.render: Callable[[str], Json] = lambda message_id: {"message_id": message_id}

    def message(self, message_id: str) -> None:
        """A message is new or different."""
        self._put(f"message:{message_id}", lambda: {"kind": "message", "message": self.render(message_id)})

    def toast(self, open_id: str, tone: str, text: str) -> None:
        """A person sees a short note."""
        self._put(None, lambda: {"kind": "toast", "open_id": open_id, "tone": tone, "text": text})

    def connection(self, app_id: str, connections: int) -> None:
        """An app has another number of connections."""
        self._put(f"app:{app_id}", lambda: {"kind": "connection", "app_id": app_id, "connections": connections})

    def change(self, kind: str, key: str, make: Callable[[], Json]) -> None:
        """Anything else is different: `key` names it among its kind, `make` gives its newest state."""
        self._put(f"{kind}:{key}", lambda: {"kind": kind, **make()})

    async def listen(self) -> AsyncGenerator[Json, None]:
        """Give every change from now on."""
        listener = _Listener()
        self._listeners.add(listener)
        try:
            while True:
                yield await listener.next()
        finally:
            self._listeners.discard(listener)

    def _put(self, key: str | None, make: Callable[[], Json]) -> None:
        for listener in self._listeners:
            listener.put(key, make)


class _Listener:
    def __init__(self) -> None:
        self._waiting: dict[object, Callable[[], Json]] = {}
        self._wake = asyncio.Event()

    def put(self, key: str | None, make: Callable[[], Json]) -> None:
        self._waiting[key or object()] = make
        self._wake.set()

    async def next(self) -> Json:
        while not self._waiting:
            self._wake.clear()
            await self._wake.wait()
        return self._waiting.pop(next(iter(self._waiting)))()
