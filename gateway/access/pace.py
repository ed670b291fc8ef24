"""How much somebody may ask in a minute. Counted in this process: a restart begins anew, replicas count apart.

What several replicas must agree on is how much may be open at once (`engine.runs.admission`). A count of all that a
person asked within a minute would need an index over every run that has ended, for a bound that is coarse anyway.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final

from channels.clock import Clock
from gateway.access.told import Told

WINDOW_S: Final = 60.0


class Pace:
    """At most `limit` takes of one key in any minute; 0: as many as anybody likes."""

    def __init__(self, limit: int, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._taken: OrderedDict[str, deque[float]] = OrderedDict()
        self._told = Told(clock, WINDOW_S)

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
        """Count the last one no more: it was a repeat, or could not be stored and comes again."""
        taken = self._taken.get(key)
        if taken:
            taken.pop()
        if taken is not None and not taken:
            del self._taken[key]

    @property
    def keys(self) -> frozenset[str]:
        """Give who is remembered: at most those of the last minute."""
        return frozenset(self._taken)

    def may_tell(self, key: str) -> bool:
        """Tell whether to say that there is no room: once for what came too fast, then again after a minute."""
        return self._told.may_tell(key)
