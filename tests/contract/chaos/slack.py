"""Slack as a quarter of the city."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.contract.chaos.quarter import Quarter, Shown, Where, Wires
from tests.journeys.towns.slack import Slack as Town


class Slack(Quarter):
    """A thread of a channel, where answers are edited, and a direct chat, where they are streamed."""

    name = "slack"
    redelivered_s = (61.0, 301.0)
    wires = Wires(
        writes=r"/api/chat\.",
        messages="^(message|app_mention)$",
        too_many={"status": 429, "error": "ratelimited", "headers": {"Retry-After": "1"}},
        down={"status": 503, "error": "service_unavailable"},
    )

    def __init__(self) -> None:
        super().__init__(Town())
        self._root: str | None = None

    def ask(self, words: str, *, where: Where, by: str) -> str:
        more = {} if where == "direct" or self._root is None else {"thread_ts": self._root}
        message = str(self.town.street.say(words, where=where, by=by, **more))
        if where == "group" and self._root is None:
            self._root = message.partition("/")[2]
        return message

    def shown(self) -> list[Shown]:
        me = self.sim.world.apps[self.sim.app_id].user_id
        ours = [each for each in self.sim.state()["messages"] if each["sender"]["id"] == me]
        return [
            Shown(
                self.name,
                each["id"],
                str(each["shown"]) or str(each["text"]),
                tuple(do for do, _ in _buttons(each)) + (("stop",) if each["streaming"] else ()),
                bool(each["streaming"]),
                bool(each["deleted"]),
            )
            for each in ours
            if not each["ephemeral_to"]
        ]

    async def press(self, shown: Shown, do: str, *, by: str) -> None:
        for each, action_id in _buttons(self.sim.message(shown.id)):
            if each == do:
                await self.sim.click(shown.id, self.town.street.people[by], action_id)
                return

    def states(self, shown: Shown) -> list[str]:
        return [str(state["text"]) for state in self.sim.history(shown.id)]

    def unacked(self) -> int:
        return len(self.sim.deliveries.pending)

    def was_lost(self, message: str) -> bool:
        name = f"'ts': '{message.partition('/')[2]}'"
        return self.gave_up(lambda delivery: name in str(delivery.payload.get("event")))


def _buttons(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Give what each button does, and its name on the platform."""
    rows = [block for block in message["blocks"] if block["type"] == "actions"]
    return [(json.loads(each["value"])["do"], each["action_id"]) for row in rows for each in row["elements"]]
