"""Messages of ours that somebody took away: writes to their cards still succeed, but nobody sees them any more."""

from __future__ import annotations

from channels.kept import Kept

_KEPT = 5000


class Recalls:
    """Remembers the newest; an event reaches one process only, so this is what we happen to know."""

    def __init__(self) -> None:
        self._gone: Kept[str, None] = Kept(_KEPT)

    def note(self, message_id: str) -> None:
        """Take note that a message is gone."""
        self._gone[message_id] = None

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._gone
