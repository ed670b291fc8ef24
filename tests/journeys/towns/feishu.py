"""Feishu as a person knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from channels.simulators.feishu.simulator import FeishuSimulator
from tests.journeys.seen import Seen
from tests.journeys.towns.street import Street
from tests.journeys.towns.town import Look
from tests.processes.feishu import buttons_of

CHAT, LIN = "oc_dm_lin", "ou_lin"


class Feishu:
    """See `Town`."""

    def __init__(self) -> None:
        self.sim = FeishuSimulator()
        self.street = Street(
            self.sim,
            places={"group": "oc_team", "direct": CHAT},
            people={"lin": LIN, "chen": "ou_chen"},
            said=self._said,
            shows="/cardkit/v1/cards/.*/(content|batch_update)$",
            dials="/callback/ws/endpoint",
        )

    async def start(self) -> None:
        await self.sim.start()

    async def stop(self) -> None:
        await self.sim.stop()

    def settings(self) -> Mapping[str, str]:
        account = {"app_id": self.sim.app_id, "app_secret": self.sim.app_secret, "domain": self.sim.url}
        return {f"channels.feishu.main.{key}": value for key, value in account.items()}

    def is_connected(self) -> bool:
        return self.sim.sockets.count(self.sim.app_id) > 0

    async def ask(self, words: str) -> str:
        return self.sim.send(CHAT, LIN, words).message_id

    async def ask_with_file(self, words: str, name: str, content: bytes) -> str:
        key = self.sim.files.keep("file_v3", name, content)
        self.sim.send(CHAT, LIN, "", msg_type="file", content={"file_key": key, "file_name": name})
        return await self.ask(words)

    def look(self, question: str) -> Look | None:
        found = self._answers(question)
        if not found:
            return None
        seen = Seen(found)
        return Look(seen.text, tuple(seen.buttons), len(found))

    async def press(self, question: str, do: str) -> str:
        last = self._answers(question)[-1]
        value = next(each for each in buttons_of(last["card"]) if each.get("do") == do)
        answer = await self.sim.click(last["message_id"], LIN, value)
        assert answer["code"] == 0, answer
        return str((answer["toast"] or {}).get("content", ""))

    def files(self) -> Mapping[str, bytes]:
        return {
            str(each["content"].get("file_name")): self.sim.files.content(str(each["content"]["file_key"]))
            for each in self.sim.state()["messages"]
            if each["sender"]["type"] == "bot" and each["msg_type"] == "file"
        }

    def _said(self, chat: str) -> list[str]:
        return [Seen([each]).text for each in self._ours() if each["chat_id"] == chat]

    def _answers(self, question: str) -> list[dict[str, Any]]:
        return [each for each in self._ours() if question in (each["parent_id"], each["root_id"])]

    def _ours(self) -> list[dict[str, Any]]:
        messages = [each for each in self.sim.state()["messages"] if each["sender"]["type"] == "bot"]
        return [each for each in messages if not each["recalled"]]
