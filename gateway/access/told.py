"""Who was told something a moment ago, so that they are not told with each message."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from channels.clock import Clock

_REMEMBERED: Final = 10_000


class Told:
    """Remembers, for `window_s`, who was told; of a crowd the last ten thousand."""

    def __init__(self, clock: Clock, window_s: float) -> None:
        self._clock = clock
        self._window_s = window_s
        self._told: OrderedDict[str, float] = OrderedDict()

    def may_tell(self, key: str) -> bool:
        """Tell whether to say it now; true once, then again when the window is over."""
        now_s = self._clock.steady_s()
        while self._told and next(iter(self._told.values())) <= now_s - self._window_s:
            self._told.popitem(last=False)
        if key in self._told:
            return False
        self._told[key] = now_s
        while len(self._told) > _REMEMBERED:
            self._told.popitem(last=False)
        return True

    def __len__(self) -> int:
        return len(self._told)
