"""A finger that is slower than the card: it presses a button that the card showed a while ago."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from channels.simulators.feishu.events import CLICKED, click_event
from tests.journeys.towns.dingtalk import Dingtalk
from tests.journeys.towns.feishu import Feishu
from tests.journeys.towns.slack import Slack
from tests.processes.feishu import buttons_of

Json = dict[str, Any]
_MOMENT_S, _LOOKS = 0.1, 200


@dataclass(frozen=True)
class Button:
    """A button as it was when somebody saw it, on the message `message_id`; `press` gives the words of the toast."""

    town: Feishu | Slack | Dingtalk
    message_id: str
    value: Mapping[str, Any]

    async def press(self) -> str:
        """Press it, whatever the card shows now."""
        if isinstance(self.town, Feishu):
            return await _feishu(self.town, self)
        return await (_slack(self.town, self) if isinstance(self.town, Slack) else _dingtalk(self.town, self))


def button(town: Any, question: str, do: str) -> Button:
    """Take note of a button of the answer to a question."""
    message = town._answers(question)[-1]
    if isinstance(town, Feishu):
        value = next(each for each in buttons_of(message["card"]) if each.get("do") == do)
        return Button(town, str(message["message_id"]), value)
    if isinstance(town, Slack):
        elements = [each for block in message["blocks"] if block["type"] == "actions" for each in block["elements"]]
        value = next(each for each in elements if json.loads(each["value"])["do"] == do)
        return Button(town, str(message["id"]), dict(value))
    card = town.sim.cards.by_id[message["card"]["out_track_id"]]
    shown = town.sim.view.buttons(card, town.street.people["lin"])
    return Button(town, str(message["id"]), next(each for each in shown if each["params"]["action"] == do))


async def _feishu(town: Feishu, button: Button) -> str:
    message = town.sim.world.messages[button.message_id]
    action = {"tag": "button", "value": dict(button.value), "timezone": "Asia/Shanghai"}
    body = click_event(message, town.street.people["lin"], action, "c-late")
    ack = await town.sim.deliveries.ask(town.sim.world.apps[message.sender_id], CLICKED, body)
    assert ack is not None and ack.code == 200, ack
    return str(((ack.data or {}).get("toast") or {}).get("content", ""))


async def _slack(town: Slack, button: Button) -> str:
    """On Slack a toast is a message that nobody else sees."""
    before = len(_whispers(town))
    told = await town.sim.click(button.message_id, town.street.people["lin"], element=dict(button.value))
    assert told["acked"], told
    for _ in range(_LOOKS):
        if len(found := _whispers(town)) > before:
            return found[-1]
        await asyncio.sleep(_MOMENT_S)
    return ""


async def _dingtalk(town: Dingtalk, button: Button) -> str:
    """On DingTalk the words stand on the card, for this person only."""
    person = town.street.people["lin"]
    told = await town.sim.click(button.message_id, person, button.value["id"], dict(button.value["params"]))
    assert told["ok"], told
    track = town.sim.message(button.message_id)["card"]["out_track_id"]
    return str(town.sim.cards.by_id[track].private.get(person, {}).get("notice", ""))


def _whispers(town: Slack) -> list[str]:
    return [str(each["shown"]) for each in town.sim.state()["messages"] if each["ephemeral_to"]]
