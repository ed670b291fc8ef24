"""What happens between the gateways and their server. The server itself is never touched."""

from __future__ import annotations

from typing import ClassVar

from tests.contract.chaos.city import Profile
from tests.contract.chaos.fault import Fault
from tests.processes.proxy import Proxy

_ON_SERVERS: frozenset[Profile] = frozenset({"postgres3"})


class _OnTheWire(Fault):
    profiles: ClassVar[frozenset[Profile]] = _ON_SERVERS
    may_end_processes = True

    @property
    def proxy(self) -> Proxy:
        """The wire of this case."""
        assert self.city.proxy is not None
        return self.city.proxy


class DatabaseAway(_OnTheWire):
    """Every connection is cut, and none can be made."""

    name = "database_away"

    async def begin(self) -> None:
        self.strikes = self.proxy.wires
        self.proxy.close()

    async def end(self) -> None:
        self.proxy.open()


class DatabaseSilent(_OnTheWire):
    """Nothing comes through for longer than a lease, and nobody is told; then all that was sent arrives."""

    name = "database_silent"

    async def begin(self) -> None:
        self.strikes = self.proxy.wires
        self.proxy.silence()

    async def end(self) -> None:
        self.proxy.speak()


class DatabaseCut(_OnTheWire):
    """Every connection is cut at once, like by a server that was started again; a new one can be made."""

    name = "database_cut"

    async def begin(self) -> None:
        self.strikes = self.proxy.wires
        self.proxy.cut()

    async def end(self) -> None:
        self.proxy.cut()
