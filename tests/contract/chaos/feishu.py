"""Feishu as a quarter of the city."""

from __future__ import annotations

from collections.abc import Sequence

from tests.contract.chaos.quarter import Quarter, Shown, Wires
from tests.journeys.towns.feishu import Feishu as Town
from tests.processes.feishu import buttons_of

OLDER_SEQUENCE = 300317


class Feishu(Quarter):
    """A group and a direct chat."""

    name = "feishu"
    redelivered_s = (16.0, 301.0)
    wires = Wires(
        writes=r"/(cardkit/v1/cards|im/v1/messages)(/|$)",
        messages=r"^im\.message\.receive_v1$",
        too_many={"status": 429, "code": 99991400, "headers": {"x-ogw-ratelimit-reset": "1"}},
        down={"status": 503, "code": 2200, "msg": "Internal Error"},
    )

    def __init__(self) -> None:
        super().__init__(Town())

    def shown(self) -> list[Shown]:
        ours = [each for each in self.sim.state()["messages"] if each["sender"]["type"] == "bot"]
        return [
            Shown(
                self.name,
                each["message_id"],
                str(each["text"]),
                tuple(str(value.get("do")) for value in buttons_of(each["card"])),
                bool(each["card_state"] and each["card_state"]["streaming"]),
                bool(each["recalled"]),
            )
            for each in ours
        ]

    async def press(self, shown: Shown, do: str, *, by: str) -> None:
        card = self.sim.message(shown.id)["card"]
        for value in buttons_of(card):
            if value.get("do") == do:
                await self.sim.click(shown.id, self.town.street.people[by], value)
                return

    def states(self, shown: Shown) -> list[str]:
        card = self.sim.world.messages[shown.id].card_id
        return [str(state["text"]) for state in self.sim.card_history(card)] if card else []

    def unacked(self) -> int:
        return len(self.sim.deliveries.pending)

    def was_lost(self, message: str) -> bool:
        return self.gave_up(lambda delivery: message in str(delivery.event))

    def stale_writes(self) -> list[str]:
        """Name refused sequences and writes of an older attempt than the newest seen.

        A sequence that was taken before is no fault: its answer was lost, and the refusal of a repeat proves it.
        """
        writes = [e for e in self.sim.timeline.since() if e.kind == "rest" and "sequence" in (e.body or {})]
        return stale([(e.path.split("/")[5], int(e.body["sequence"]), e.code) for e in writes])


def stale(writes: Sequence[tuple[str, int, int | str | None]]) -> list[str]:
    """Give the complaints about writes to cards: card, sequence, code of the platform, in their order."""
    told: list[str] = []
    taken: set[tuple[str, int]] = set()
    highest: dict[str, int] = {}
    for card, sequence, code in writes:
        attempt = sequence // 100_000
        if attempt < highest.get(card, 0):
            told.append(f"{card}: sequence {sequence} of attempt {attempt} after one of {highest[card]}")
        elif code == OLDER_SEQUENCE and (card, sequence) not in taken:
            told.append(f"{card}: sequence {sequence} refused as older")
        if code == 0:
            taken.add((card, sequence))
        highest[card] = max(attempt, highest.get(card, 0))
    return told
