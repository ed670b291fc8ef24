"""Slack as a person knows it: a direct chat, where answers are streamed in the thread of their question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from channels.simulators.slack.simulator import SlackSimulator
from tests.journeys.towns.street import Street
from tests.journeys.towns.town import Look

CHAT, LIN = "D0LIN", "U0LIN"
_WRITES = {"path": r"/api/chat\."}
_TOO_MANY = {"status": 429, "error": "ratelimited", "headers": {"Retry-After": "1"}}
_MOMENT_S = 0.3
"""What a finger needs: a card may show its end a little before its run has ended."""


class Slack:
    """See `Town`."""

    def __init__(self, **options: Any) -> None:
        self.sim = SlackSimulator(**options)
        self.street = Street(
            self.sim,
            places={"group": "C0TEAM", "direct": CHAT},
            people={"lin": LIN, "chen": "U0CHEN"},
            said=self._said,
            shows=r"/api/chat\.(update|appendStream)$",
            dials="/api/apps.connections.open",
            word=lambda message: f"'ts': '{message.partition('/')[2]}'",
        )

    async def start(self) -> None:
        await self.sim.start()

    async def stop(self) -> None:
        await self.sim.stop()

    def settings(self) -> Mapping[str, str]:
        account = {"bot_token": self.sim.bot_token, "app_token": self.sim.app_token, "base_url": self.sim.api_url}
        return {f"channels.slack.main.{key}": value for key, value in account.items()}

    def is_connected(self) -> bool:
        return self.sim.sockets.count(self.sim.app_id) > 0

    async def ask(self, words: str) -> str:
        return self.sim.send(CHAT, LIN, words).message_id

    async def ask_with_file(self, words: str, name: str, content: bytes) -> str:
        return self.sim.upload(CHAT, LIN, name, content, text=words).message_id

    def send_file(self, name: str, content: bytes) -> None:
        self.sim.upload(CHAT, LIN, name, content)

    def rung(self) -> list[str]:
        return [name for message in self._ours() for name in self.sim.rung(str(message["id"]))]

    def look(self, question: str) -> Look | None:
        found = self._answers(question)
        if not found:
            return None
        # While a stream runs the platform shows a stop of its own.
        own = ("stop",) if found[-1]["streaming"] else ()
        buttons = tuple(do for message in found for do, _ in _buttons(message))
        return Look("\n".join(str(message["shown"]) for message in found), own + buttons, len(found))

    async def press(self, question: str, do: str, *, by: str = "lin") -> str:
        await asyncio.sleep(_MOMENT_S)
        last = self._answers(question)[-1]
        if last["streaming"] and do == "stop":
            self.sim.stop_session(CHAT, question.partition("/")[2], LIN)
            return ""
        action_id = next(name for each, name in _buttons(last) if each == do)
        await self.sim.click(str(last["id"]), self.street.people[by], action_id)
        return ""

    def files(self) -> Mapping[str, bytes]:
        return {
            str(file["name"]): self.sim.world.contents[str(file["id"])]
            for message in self.sim.state()["messages"]
            if message["sender"]["type"] == "bot"
            for file in message["files"]
        }

    def refuse_writes(self, times: int) -> None:
        self.sim.faults.add({"match": _WRITES, "action": _TOO_MANY, "times": times})

    def lose_next_answer(self) -> None:
        self.sim.faults.add({"match": _WRITES, "action": {"lost_answer": True}})

    def break_next_write(self) -> None:
        self.sim.faults.add({"match": _WRITES, "action": {"drop": True}})

    def deliver_again(self, question: str) -> None:
        self.sim.redeliver(question)

    def end_streams(self) -> None:
        self.sim.advance(self.sim.options.stream_life_s + 1)

    async def cut_connections(self) -> None:
        await self.sim.drop(how="abort")

    def _said(self, chat: str) -> list[str]:
        return [str(each["shown"]) for each in self._ours() if each["chat_id"] == chat]

    def _answers(self, question: str) -> list[dict[str, Any]]:
        thread = question.partition("/")[2]
        return [each for each in self._ours() if each["thread_ts"] == thread]

    def _ours(self) -> list[dict[str, Any]]:
        our_id = self.sim.world.apps[self.sim.app_id].user_id
        messages = [each for each in self.sim.state()["messages"] if each["sender"]["id"] == our_id]
        return [each for each in messages if not each["deleted"] and not each["ephemeral_to"]]


def _buttons(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Give what each button does, and its name on the platform."""
    rows = [block for block in message["blocks"] if block["type"] == "actions"]
    return [(json.loads(each["value"])["do"], each["action_id"]) for row in rows for each in row["elements"]]
