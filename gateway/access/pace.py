"""How much somebody may ask in a minute. Counted in this process: a restart begins anew, replicas count apart."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final

from channels.clock import Clock

WINDOW_S: Final = 60.0


class Pace:
    """At most `limit` takes of one key in any minute; 0: as many as anybody likes."""

    def __init__(self, limit: int, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._taken: OrderedDict[str, deque[float]] = OrderedDict()
        self._told: dict[str, float] = {}

    def is_free(self, key: str) -> bool:
        """Tell whether there is room for one more now."""
        if not self._limit:
            return True
        since_s = self._clock.steady_s() - WINDOW_S
        return sum(at > since_s for at in self._taken.get(key, ())) < self._limit

    def take(self, key: str) -> None:
        """Count one."""
        if not self._limit:
            return
        now_s = self._clock.steady_s()
        self._taken.setdefault(key, deque(maxlen=self._limit)).append(now_s)
        self._taken.move_to_end(key)
        # The first was used longest ago: whoever is silent costs nothing.
        while next(iter(self._taken.values()))[-1] <= now_s - WINDOW_S:
            self._taken.popitem(last=False)

    def give_back(self, key: str) -> None:
        """Count one less: the last that was taken of this key was none."""
        if taken := self._taken.get(key):
            taken.pop()
            if not taken:
                del self._taken[key]

    @property
    def keys(self) -> frozenset[str]:
        """Give who is remembered: at most those of the last minute."""
        return frozenset(self._taken)

    def may_tell(self, key: str) -> bool:
        """Tell whether to say that there is no room: once for what came too fast, then again after a minute."""
        now_s = self._clock.steady_s()
        self._told = {each: at for each, at in self._told.items() if at > now_s - WINDOW_S}
        if key in self._told:
            return False
        self._told[key] = now_s
        return True
