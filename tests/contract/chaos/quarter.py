"""A platform as one quarter of the city: where people ask, what they read, and what can go wrong on its wires."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from channels.simulators.faults import Rule

LIN, CHEN = "lin", "chen"
Where = Literal["group", "direct"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot as it is now. `gone`: taken back; `buttons`: what they do."""

    platform: str
    id: str
    text: str
    buttons: tuple[str, ...] = ()
    is_live: bool = False
    gone: bool = False

    @property
    def is_over(self) -> bool:
        """Tell whether the answer has ended: it can be judged or asked again, and not be stopped."""
        return not self.is_live and "stop" not in self.buttons and bool({"retry", "satisfied"} & set(self.buttons))


@dataclass(frozen=True, slots=True)
class Wires:
    """What of a platform's traffic is what, as patterns: requests that write to chats, deliveries of messages."""

    writes: str
    messages: str
    too_many: Mapping[str, Any]
    down: Mapping[str, Any]


class Quarter(ABC):
    """One simulated platform. Life: `start`, everything else, `stop`."""

    name = ""
    wires: Wires
    redelivered_s: Sequence[float] = ()
    """Waits before the platform pushes again what was not acknowledged, the last one for all further times."""

    def __init__(self, town: Any) -> None:
        self.town = town
        self.sim = town.sim

    async def start(self) -> None:
        """Let the platform listen."""
        await self.town.start()

    async def stop(self) -> None:
        """Let it end."""
        await self.town.stop()

    def environment(self) -> dict[str, str]:
        """Give the bot's account as variables, quick to notice a silent connection."""
        given = {**self.town.settings(), **{f"channels.{self.name}.main.{key}": v for key, v in self.care().items()}}
        return {"NIUMA_" + key.upper().replace(".", "__"): str(value) for key, value in given.items()}

    def care(self) -> dict[str, str]:
        """Give how the bot watches its connection here."""
        return {"ping_every_s": "1.0", "silence_s": "3.0"}

    def connections(self) -> int:
        """Tell how many connections the bot has."""
        return int(self.sim.sockets.count(self.sim.app_id))

    def ask(self, words: str, *, where: Where, by: str) -> str:
        """Write to the bot; gives the message's id. All that is written in one place is one conversation."""
        return str(self.town.street.say(words, where=where, by=by))

    @abstractmethod
    def shown(self) -> list[Shown]:
        """Give all messages of the bot, those that were taken back too."""

    @abstractmethod
    async def press(self, shown: Shown, do: str, *, by: str) -> None:
        """Press a button of a message; nothing happens when it is gone or nobody hears of it."""

    @abstractmethod
    def states(self, shown: Shown) -> list[str]:
        """Give the texts a message went through, oldest first."""

    @abstractmethod
    def unacked(self) -> int:
        """Count the messages of people that the bot has not acknowledged and the platform will push again."""

    def stale_writes(self) -> list[str]:
        """Name the writes that this platform itself knows to be older than what it shows."""
        return []

    @abstractmethod
    def was_lost(self, message: str) -> bool:
        """Tell whether the platform gave a message up that the bot never acknowledged."""

    def gave_up(self, is_of: Callable[[Any], bool]) -> bool:
        """Tell whether of certain deliveries none was ever acknowledged and none will come again."""
        deliveries = self.sim.deliveries
        ended = [each for each in deliveries.ended if is_of(each)]
        return bool(ended) and not any(each.acked for each in ended) and not any(map(is_of, deliveries.pending))

    def deliver_again(self, message: str) -> None:
        """Push a message once more."""
        self.town.deliver_again(message)

    async def drop(self, how: str) -> int:
        """End (`abort`) or silence (`freeze`) the bot's connections; tells how many."""
        return int(await self.sim.drop(self.sim.app_id, how))

    def bury_frozen(self) -> None:
        """Let the platform notice which connections are dead; until then it may choose one for what it pushes."""
        self.sim.sockets.cut_frozen(self.sim.app_id)

    def fault(self, match: Mapping[str, str], action: Mapping[str, Any], *, times: int = 1, skip: int = 0) -> Rule:
        """Let something go wrong; gives the rule, which ends when its `times` become 0."""
        rule = {"match": dict(match), "action": dict(action), "times": times, "skip": skip}
        return self.sim.faults.add(rule)[0]
