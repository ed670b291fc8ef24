"""Feishu's canned chats."""

from __future__ import annotations

import json
from typing import Any

from tests.journeys.canned_page import NOW_MS, CannedPage, Json

PEOPLE = [{"open_id": "ou_lin", "name": "Lin Wei"}, {"open_id": "ou_chen", "name": "Chen Yu"}]
BOT = {"app_id": "cli_demo", "open_id": "ou_bot", "name": "niuma", "connections": 1}
CHATS = [
    {
        "chat_id": "oc_team",
        "name": "Product team",
        "type": "group",
        "members": ["ou_lin", "ou_chen"],
        "bots": ["cli_demo"],
    },
    {"chat_id": "oc_topics", "name": "Topics", "type": "topic", "members": ["ou_lin", "ou_chen"], "bots": ["cli_demo"]},
    {"chat_id": "oc_lin", "name": "niuma", "type": "p2p", "members": ["ou_lin"], "bots": ["cli_demo"]},
    {"chat_id": "oc_chen", "name": "niuma", "type": "p2p", "members": ["ou_chen"], "bots": ["cli_demo"]},
]


class CannedFeishu(CannedPage):
    """An organisation with two people, a bot, a group, topics and two direct chats."""

    id_name = "message_id"

    def __init__(self) -> None:
        super().__init__("channels.simulators.feishu", {"people": PEOPLE, "bots": [BOT], "chats": CHATS})
        self.answers["click"] = {"code": 0, "toast": {"type": "success", "content": "Thanks!"}}

    @property
    def sent(self) -> list[Json]:
        return self.did("send")

    @property
    def clicks(self) -> list[Json]:
        return self.did("click")

    def add(self, chat_id: str = "oc_team", sender: str = "ou_lin", text: str = "", **more: Any) -> str:
        message_id = f"om_{len(self.messages) + 1}"
        who = next((person["name"] for person in PEOPLE if person["open_id"] == sender), "niuma")
        message: Json = {
            "message_id": message_id,
            "chat_id": chat_id,
            "thread_id": None,
            "root_id": None,
            "parent_id": None,
            "create_time_ms": self.next_ms(),
            "sender": {"type": "bot" if sender == "ou_bot" else "user", "id": sender, "name": who},
            "msg_type": "text",
            "text": text,
            "content": json.dumps({"text": text}),
            "card": None,
            "card_state": None,
            "reactions": [],
            "recalled": False,
            "edited": False,
        }
        return self.put({**message, **more})

    def add_card(self, card: Json, **more: Any) -> str:
        state = card_state(card)
        return self.add(sender="ou_bot", msg_type="interactive", card=card, card_state=state, **more)

    def change(self, message_id: str, **changes: Any) -> None:
        if "card" in changes:
            changes["card_state"] = card_state(changes["card"])
        super().change(message_id, **changes)

    def connection(self, connections: int) -> None:
        self.tell({"kind": "connection", "app_id": "cli_demo", "connections": connections})

    def toast(self, open_id: str, tone: str, text: str) -> None:
        self.tell({"kind": "toast", "open_id": open_id, "tone": tone, "text": text})

    def acted(self, name: str, body: Json) -> Json:
        if name == "recall":
            self.change(body["message_id"], recalled=True)
        if name != "send":
            return {}
        parent = self.messages.get(body.get("reply_to", ""))
        more = {"parent_id": parent["message_id"], "root_id": parent["message_id"]} if parent else {}
        if body.get("thread_id"):
            more["thread_id"] = body["thread_id"]
        return {"message_id": self.add(body["chat_id"], body["as"], body["text"], **more)}


def card_state(card: Json) -> Json:
    config = card.get("config", {})
    summary = config.get("summary", {}).get("content", "")
    streaming = bool(config.get("streaming_mode"))
    return {"card_id": "c1", "streaming": streaming, "sequence": 1, "summary": summary, "updated_at_ms": NOW_MS}
