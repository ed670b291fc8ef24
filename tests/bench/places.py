"""The platforms a measurement can be made on; their chats are those of `tests.bench.tenant`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any
from urllib.parse import quote

from channels.simulators.slack.simulator import APP_TOKEN, BOT_TOKEN
from tests.bench import tenant
from tests.bench.place import Json, Place, Shown
from tests.processes.feishu import is_finished

ENDED = frozenset({"retry", "satisfied"})
"""What a person is offered when an answer has ended."""


class Feishu(Place):
    """Groups of a tenant."""

    name = "feishu"

    def account(self) -> Mapping[str, str]:
        return {"app_id": "cli_demo", "app_secret": "secret_demo", "domain": self.url}

    async def ask(self, text: str, *, chat: int) -> str:
        sent = await self.post("send", {"chat_id": tenant.chat_id(chat), "as": tenant.PERSON, "text": f"@niuma {text}"})
        return str(sent["message_id"])

    async def shown(self) -> list[Shown]:
        return [
            Shown(each["parent_id"], each["card_state"]["card_id"], is_finished(each))
            for each in (await self.state())["messages"]
            if each["sender"]["type"] == "bot" and not each["recalled"] and each["card_state"]
        ]

    async def states(self, shown: Shown) -> list[Json]:
        return await self.get(f"cards/{shown.history}/history")

    def up_s(self, question: str, timeline: list[Json], states: list[Json]) -> float:
        """A card can be seen once its message is there; it was made before that."""
        reply = f"/open-apis/im/v1/messages/{question}/reply"
        sent = [each for each in timeline if each["kind"] == "rest" and each["path"].startswith(reply)]
        return next((each["mono_s"] + each["took_ms"] / 1000 for each in sent if each["code"] == 0), float("inf"))


class Slack(Place):
    """Channels of a workspace, where cards are edited."""

    name = "slack"

    def account(self) -> Mapping[str, str]:
        return {"bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "base_url": f"{self.url}/api/"}

    async def ask(self, text: str, *, chat: int) -> str:
        body = {"chat_id": tenant.channel_id(chat), "as": tenant.member_id(chat), "text": f"@niuma {text}"}
        return str((await self.post("send", body))["message_id"])

    async def shown(self) -> list[Shown]:
        return [
            Shown(f"{each['chat_id']}/{each['thread_ts']}", each["id"], not each["streaming"] and _has_ended(each))
            for each in (await self.state())["messages"]
            if each["sender"]["type"] == "bot" and not each["deleted"] and not each["ephemeral_to"]
        ]

    async def states(self, shown: Shown) -> list[Json]:
        return await self.get(f"history?message={quote(shown.history)}")

    def frame_word(self, question: str) -> str:
        return question.partition("/")[2]


class SlackDirect(Slack):
    """Direct chats of a workspace, one for each person, where answers are streamed."""

    async def ask(self, text: str, *, chat: int) -> str:
        body = {"chat_id": tenant.direct_id(chat), "as": tenant.member_id(chat), "text": text}
        return str((await self.post("send", body))["message_id"])


class Dingtalk(Place):
    """Groups of an organisation with the pack (60 calls a second), where cards are updated."""

    name = "dingtalk"

    def account(self) -> Mapping[str, str]:
        app = {"client_id": "dingdemo", "client_secret": "secret_demo", "card_template_id": tenant.TEMPLATE}
        return {**app, "api_base": self.url, "oapi_base": self.url, "edition": "pack"}

    async def ask(self, text: str, *, chat: int) -> str:
        body = {"chat_id": tenant.group_id(chat), "as": tenant.STAFF, "text": f"@niuma {text}"}
        return str((await self.post("send", body))["message_id"])

    async def shown(self) -> list[Shown]:
        """Nothing here answers a message: what follows a question in its group is its answer."""
        messages, found = (await self.state())["messages"], list[Shown]()
        for question in (each for each in messages if each["sender"]["type"] == "user"):
            chat = [each for each in messages if each["chat_id"] == question["chat_id"]]
            after = chat[chat.index(question) + 1 :]
            answers = [each for each in takewhile(lambda each: each["sender"]["type"] == "bot", after) if each["card"]]
            found += [Shown(question["id"], each["card"]["out_track_id"], _is_over(each["card"])) for each in answers]
        return found

    async def states(self, shown: Shown) -> list[Json]:
        states = await self.get(f"cards/{quote(shown.history)}/history")
        return [
            {"mono_s": each["mono_s"], "kind": each["how"], "text": each["params"].get("content", ""), **_life(each)}
            for each in states
        ]


def _has_ended(message: Json) -> bool:
    rows = [block["elements"] for block in message["blocks"] if block["type"] == "actions"]
    names = [str(button["value"]) for row in rows for button in row]
    return any(f'"{do}"' in name for name in names for do in ENDED) and not any('"stop"' in name for name in names)


def _is_over(card: Json) -> bool:
    buttons = card["personal_buttons"].get(tenant.STAFF, card["buttons"])
    names = {str(each["params"].get("action")) for each in buttons if each["visible"]}
    return bool(names & ENDED) and "stop" not in names


def _life(state: Json) -> dict[str, Any]:
    return {"streaming": state["flow_status"] in (tenant.PROCESSING, tenant.INPUTING)}
