"""Feishu as a person knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from channels.simulators.feishu.simulator import FeishuSimulator
from tests.journeys.seen import Seen, read
from tests.journeys.towns.street import Street
from tests.journeys.towns.town import Look
from tests.processes.feishu import buttons_of

CHAT, LIN = "oc_dm_lin", "ou_lin"
_WRITES = {"method": "POST|PUT|PATCH", "path": "/(cardkit/v1/cards|im/v1/messages)"}
_TOO_MANY = {"status": 429, "code": 99991400, "headers": {"x-ogw-ratelimit-reset": "1"}}
_STREAM_LIFE_S = 600


class Feishu:
    """See `Town`."""

    def __init__(self, **options: Any) -> None:
        self.sim = FeishuSimulator(**options)
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
        self.send_file(name, content)
        return await self.ask(words)

    def send_file(self, name: str, content: bytes) -> None:
        key = self.sim.files.keep("file_v3", name, content)
        self.sim.send(CHAT, LIN, "", msg_type="file", content={"file_key": key, "file_name": name})

    def rung(self) -> list[str]:
        """Give the texts that hold a tag which mentions somebody; titles and summaries are plain text."""
        trees = [state.tree for card in self.sim.cards.by_id.values() for state in card.history]
        plain = [str(each["content"]) for each in self._ours() if each["msg_type"] == "text"]
        texts = plain + [text for tree in trees for text in _markdown(tree)]
        return [text for text in texts if "<at" in text.lower()]

    def look(self, question: str) -> Look | None:
        found = self._answers(question)
        if not found:
            return None
        seen = Seen(found)
        return Look(read(seen.text), tuple(seen.buttons), len(found))

    async def press(self, question: str, do: str, *, by: str = "lin") -> str:
        last = self._answers(question)[-1]
        value = next(each for each in buttons_of(last["card"]) if each.get("do") == do)
        answer = await self.sim.click(last["message_id"], self.street.people[by], value)
        assert answer["code"] == 0, answer
        return str((answer["toast"] or {}).get("content", ""))

    def files(self) -> Mapping[str, bytes]:
        return {
            str(each["content"].get("file_name")): self.sim.files.content(str(each["content"]["file_key"]))
            for each in self.sim.state()["messages"]
            if each["sender"]["type"] == "bot" and each["msg_type"] == "file"
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
        self.sim.advance(_STREAM_LIFE_S + 1)

    async def cut_connections(self) -> None:
        await self.sim.drop(how="abort")

    def _said(self, chat: str) -> list[str]:
        return [read(Seen([each]).text) for each in self._ours() if each["chat_id"] == chat]

    def _answers(self, question: str) -> list[dict[str, Any]]:
        return [each for each in self._ours() if question in (each["parent_id"], each["root_id"])]

    def _ours(self) -> list[dict[str, Any]]:
        messages = [each for each in self.sim.state()["messages"] if each["sender"]["type"] == "bot"]
        return [each for each in messages if not each["recalled"]]


def _markdown(node: Any) -> list[str]:
    """Give the texts of a card in which tags mean something."""
    if isinstance(node, list):
        return [text for each in node for text in _markdown(each)]
    if not isinstance(node, dict):
        return []
    own = [str(node.get("content"))] if node.get("tag") in ("markdown", "lark_md") else []
    return own + [text for each in node.values() for text in _markdown(each)]
