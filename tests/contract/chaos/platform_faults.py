"""What happens on the way between the platforms and the gateways, on all three of them at once."""

from __future__ import annotations

from channels.simulators.faults import Rule
from tests.contract.chaos.fault import Fault, Repeated, Ruled

_FEW = 4


class SocketsDropped(Repeated):
    """The long connections are reset, again and again."""

    name = "sockets_dropped"
    pause_s = (1.5, 3.0)

    async def strike(self) -> bool:
        return await self.dice.choice(self.city.quarters).drop("abort") > 0


class SocketsFrozen(Fault):
    """The long connections stay open and nothing comes through; in the end the platform notices, too."""

    name = "sockets_frozen"

    async def begin(self) -> None:
        for quarter in self.city.quarters:
            self.strikes += await quarter.drop("freeze")

    async def end(self) -> None:
        for quarter in self.city.quarters:
            quarter.bury_frozen()


class Doubled(Repeated):
    """The platform pushes what people wrote once more, under new ids, also long after."""

    name = "doubled"
    pause_s = (0.2, 0.6)

    async def strike(self) -> bool:
        for quarter in self.city.quarters:
            asked = [each.message for each in self.crowd.asked if each.platform == quarter.name]
            for message in self.dice.sample(asked, min(2, len(asked))):
                quarter.deliver_again(message)
        return bool(self.crowd.asked)


class AcksLost(Ruled):
    """The gateways' acknowledgements do not arrive; the platform pushes again later."""

    name = "acks_lost"

    def rules(self) -> list[Rule]:
        return [
            quarter.fault({"event": quarter.wires.messages}, {"lost_ack": True}, times=_FEW)
            for quarter in self.city.quarters
        ]


class AnswersLost(Ruled):
    """A request takes effect, and the connection breaks in the place of its answer; each by the dice."""

    name = "answers_lost"

    def rules(self) -> list[Rule]:
        return [
            quarter.fault({"path": quarter.wires.writes}, {"lost_answer": True}, skip=self.dice.randrange(6))
            for quarter in self.city.quarters
            for _ in range(_FEW)
        ]


class Throttled(Ruled):
    """Writes are refused as too many, with the time after which they are welcome."""

    name = "throttled"

    def rules(self) -> list[Rule]:
        return [
            quarter.fault({"path": quarter.wires.writes}, quarter.wires.too_many, times=2 * _FEW)
            for quarter in self.city.quarters
        ]


class PlatformDown(Ruled):
    """Every request is answered with 503, those for a token or a connection too."""

    name = "platform_down"

    def rules(self) -> list[Rule]:
        return [quarter.fault({"path": "^(?!/_sim)"}, quarter.wires.down, times=-1) for quarter in self.city.quarters]
