"""DingTalk as a person knows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from channels.simulators.dingtalk.simulator import DingTalkSimulator
from tests.contract.dingtalk_adapter import CHEN, DIRECT, GROUP, LIN, TEMPLATE, example_template
from tests.journeys.towns.street import Street
from tests.journeys.towns.town import Look

_WRITES = {"path": "/v1.0/(card|robot/(oTo|group))|/robot/sendBySession"}
_TOO_MANY = {"status": 403, "code": "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"}
_ENDED = {"status": 500, "code": "unknownError"}


class Dingtalk:
    """See `Town`. Nothing here answers a message: what the bot says after a question is its answer.

    An empty `template` is a bot without cards; `options` are the simulator's.
    """

    def __init__(self, *, account: str = "main", template: str = TEMPLATE, **options: Any) -> None:
        self._account, self._template = account, template
        self.sim = DingTalkSimulator(api_per_second=60, monthly_calls=1_000_000, monthly_messages=1_000_000, **options)
        self.sim.add_template(TEMPLATE, **example_template())
        self.street = Street(
            self.sim,
            places={"group": GROUP, "direct": DIRECT},
            people={"lin": LIN, "chen": CHEN},
            said=self._said,
            shows=r"/v1\.0/card/(streaming|instances)$",
            dials="/v1.0/gateway/connections/open",
        )

    async def start(self) -> None:
        await self.sim.start()

    async def stop(self) -> None:
        await self.sim.stop()

    def settings(self) -> Mapping[str, str]:
        account = {
            "client_id": self.sim.app_id,
            "client_secret": self.sim.app_secret,
            "card_template_id": self._template,
            "api_base": self.sim.url,
            "oapi_base": self.sim.url,
            "edition": "pack",
        }
        return {f"channels.dingtalk.{self._account}.{key}": value for key, value in account.items()}

    def is_connected(self) -> bool:
        return self.sim.sockets.count(self.sim.app_id) > 0

    async def ask(self, words: str) -> str:
        return self.sim.send(DIRECT, LIN, words).message_id

    async def ask_with_file(self, words: str, name: str, content: bytes) -> str:
        self.send_file(name, content)
        return await self.ask(words)

    def send_file(self, name: str, content: bytes) -> None:
        self.sim.send(DIRECT, LIN, "", msg_type="file", file=self.sim.upload(name, content))

    def rung(self) -> list[str]:
        """Give the markdown that holds a tag of the client's, and whom a message mentioned."""
        states = [state.params for card in self.sim.cards.by_id.values() for state in card.history]
        ours = [each for each in self.sim.state()["messages"] if each["sender"]["type"] == "bot"]
        texts = [each.get("content", "") for each in states] + [str(each.get("markdown", "")) for each in ours]
        tags = [text for text in texts if re.search("<(a atId|font)", text)]
        return tags + [who for each in ours for who in each["at_users"]]

    def look(self, question: str) -> Look | None:
        found = self._answers(question)
        if not found:
            return None
        texts = [self._read(each) for each in found]
        return Look("\n\n".join(texts), tuple(name for name, _ in self._buttons(found[-1])), len(found))

    async def press(self, question: str, do: str, *, by: str = "lin") -> str:
        last = self._answers(question)[-1]
        button = dict(self._buttons(last))[do]
        person = self.street.people[by]
        await self.sim.click(last["id"], person, button)
        return str(self.sim.cards.by_id[last["card"]["out_track_id"]].private.get(person, {}).get("notice", ""))

    def files(self) -> Mapping[str, bytes]:
        return {
            file["name"]: self.sim.world.files[file["id"]].data
            for each in self.sim.state()["messages"]
            if each["sender"]["type"] == "bot"
            for file in each["files"]
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
        """They have no end of their own here; this is how a card answers that takes no stream."""
        self.sim.faults.add({"match": {"path": "/card/streaming"}, "action": _ENDED, "times": -1})

    async def cut_connections(self) -> None:
        await self.sim.drop(how="abort")

    def _buttons(self, message: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Give what each visible button does, and its id."""
        card = message["card"]
        shown = self.sim.view.buttons(self.sim.cards.by_id[card["out_track_id"]], LIN) if card else []
        return [(each["params"]["action"], each["id"]) for each in shown if each["visible"]]

    def _said(self, chat: str) -> list[str]:
        messages = [each for each in self.sim.state()["messages"] if each["chat_id"] == chat and not each["recalled"]]
        return [self._read(each) for each in messages if each["sender"]["type"] == "bot"]

    def _read(self, message: Mapping[str, Any]) -> str:
        """Give what Lin sees: a joiner between letters is not seen."""
        return str(self.sim.message(message["id"], LIN)["text"]).replace("\u200b", "")

    def _answers(self, question: str) -> list[dict[str, Any]]:
        chat = self.sim.message(question)["chat_id"]
        messages = [each for each in self.sim.state()["messages"] if each["chat_id"] == chat]
        after = messages[[each["id"] for each in messages].index(question) + 1 :]
        # A pressed link is a message of whoever pressed it, and no new question.
        mine = takewhile(lambda each: each["sender"]["type"] == "bot" or self._read(each).startswith("/"), after)
        return [each for each in mine if each["sender"]["type"] == "bot" and not each["recalled"]]
