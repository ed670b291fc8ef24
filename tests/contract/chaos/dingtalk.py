"""DingTalk as a quarter of the city."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.contract.chaos.quarter import Quarter, Shown, Wires
from tests.journeys.towns.dingtalk import Dingtalk as Town


class Dingtalk(Quarter):
    """A group and a direct chat. Who is not connected, or breaks off before he acknowledges, is told nothing again."""

    name = "dingtalk"
    redelivered_s = (61.0,)
    wires = Wires(
        writes="/v1.0/(card|robot/(oTo|group))|/robot/sendBySession",
        messages="^robot$",
        too_many={"status": 403, "code": "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"},
        down={"status": 503, "code": "ServiceUnavailable"},
    )

    def __init__(self) -> None:
        super().__init__(Town())

    def shown(self) -> list[Shown]:
        ours = [each for each in self.sim.state()["messages"] if each["sender"]["type"] == "bot"]
        return [
            Shown(
                self.name,
                each["id"],
                str(each["text"]).replace("\u200b", ""),
                tuple(name for name, _ in self._buttons(each)),
                False,
                bool(each["recalled"]),
            )
            for each in ours
        ]

    async def press(self, shown: Shown, do: str, *, by: str) -> None:
        buttons = dict(self._buttons(self.sim.message(shown.id)))
        if do in buttons:
            await self.sim.click(shown.id, self.town.street.people[by], buttons[do])

    def states(self, shown: Shown) -> list[str]:
        card = self.sim.message(shown.id)["card"]
        if not card:
            return []
        return [str(state["params"].get("content", "")) for state in self.sim.card_history(card["out_track_id"])]

    def unacked(self) -> int:
        waiting = [each for each in self.sim.deliveries.all if each.name == "robot" and not each.acked]
        return sum(not self._is_over(each) for each in waiting)

    def was_lost(self, message: str) -> bool:
        pushes = [each for each in self.sim.deliveries.all if each.name == "robot" and each.data["msgId"] == message]
        return bool(pushes) and not any(each.acked for each in pushes)

    def _is_over(self, delivery: Any) -> bool:
        """Tell whether the platform has given a message up: nobody took it, its connection ended, or often enough."""
        ended = delivery.connection is None or delivery.connection.ended
        return ended or delivery.attempts > self.sim.options.robot_redeliveries

    def _buttons(self, message: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Give what each button does that anybody here can see, and its id."""
        card = message["card"]
        if not card:
            return []
        found: dict[str, str] = {}
        for person in self.town.street.people.values():
            shown = self.sim.view.buttons(self.sim.cards.by_id[card["out_track_id"]], person)
            found |= {each["params"]["action"]: each["id"] for each in shown if each["visible"]}
        return list(found.items())
