"""What people do in the simulated chats: write, press, follow links, recall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast
from urllib.parse import parse_qs, urlsplit

from channels.simulators.dingtalk import callbacks
from channels.simulators.dingtalk.deliveries import Deliveries, Delivery
from channels.simulators.dingtalk.files import Files
from channels.simulators.dingtalk.gate import Gate
from channels.simulators.dingtalk.webhooks import Webhooks
from channels.simulators.dingtalk.world import App, Chat, ChatType, Message, Person, World, new_id
from channels.simulators.feed import Feed
from channels.simulators.jsons import Json, as_object, as_objects

IN_GROUPS = ("text", "picture", "richText")
KINDS = (*IN_GROUPS, "audio", "video", "file", "unknownMsgType")
DTMD = "dtmd://dingtalkclient/sendMessage"


class Refused(ValueError):
    """A person cannot do this: nobody or nothing has this id."""


@dataclass(frozen=True)
class Sent:
    """A written message, and to how many robots it was pushed."""

    message_id: str
    robots: int


class People:
    """Acts as the members of the organisation."""

    def __init__(self, gate: Gate, world: World, deliveries: Deliveries, webhooks: Webhooks, files: Files) -> None:
        self._gate = gate
        self._world = world
        self._deliveries = deliveries
        self._webhooks = webhooks
        self._files = files
        self.tell: Callable[[str], None] = lambda message_id: None
        self._sent: dict[tuple[str, str], Json] = {}
        self.notices: list[Json] = []
        """What the client told people: the robot was offline."""

    def listen_for_losses(self, feed: Feed) -> None:
        """Tell the writer of a message that was lost because no connection took it."""

        def lost(delivery: Delivery) -> None:
            if self._gate.options.offline_notice:
                person_id, text = self._sender(delivery.data), f"{delivery.app.name} 不在线，消息未送达"
                self.notices.append({"person": person_id, "app_id": delivery.app.app_id, "text": text})
                feed.toast(person_id, "warning", text)

        self._deliveries.lost = lost

    def write(self, body: Json) -> Sent:
        """Write as a person: `chat_id`, `as` and `text`, or `msg_type` with its parts; see the control API.

        `at` names people and robots to mention beside those whose `@name` stands in the text; `quote` is a message id.

        Raises:
            Refused: no such chat, person, message or file.
        """
        chat, message = self._compose(body)
        self._world.messages[message.message_id] = message
        self.tell(message.message_id)
        apps = [self._world.apps[app_id] for app_id in chat.bots if self._hears(app_id, chat, message)]
        for app in apps:
            self._push(message, app)
        return Sent(message.message_id, len(apps))

    def data_of(self, message: Message, app: App) -> Json:
        """Give the body that a robot gets of a message; over the month's allowance only a notice."""
        chat, person = self._world.chats[message.chat_id], self._world.people[message.sender_id]
        body = callbacks.envelope(app, chat, person, message) | self._webhooks.make(app, chat, message)
        if chat.type == "group":
            body |= callbacks.group_facts(self._world, app, chat, message)
        if self._gate.options.with_union_id:
            body["senderUnionId"] = f"union{person.person_id}"
        if not self._gate.quota.take_message():
            return {**body, "msgtype": self._gate.options.over_quota_msgtype, **callbacks.OVER_QUOTA}
        return body | self._content_for(app, message)

    def _content_for(self, app: App, message: Message) -> Json:
        quoted = self._world.messages.get(message.quotes or "")
        if quoted is not None and self._gate.options.quote_body == "ids":
            return callbacks.body_of(message, app, self._files.offer, None) | callbacks.quote_ids(quoted)
        return callbacks.body_of(message, app, self._files.offer, quoted)

    def redeliver(self, message_id: str) -> None:
        """Push a message once more, with the same msgId under another messageId."""
        message = self.message(message_id)
        chat = self._world.chats[message.chat_id]
        for app_id in chat.bots:
            if self._hears(app_id, chat, message):
                self._push(message, self._world.apps[app_id])

    def _push(self, message: Message, app: App) -> None:
        data = self._sent.setdefault((message.message_id, app.app_id), {})
        if not data:
            data.update(self.data_of(message, app))
        self._deliveries.robot(app, data)

    def follow(self, chat_id: str, person_id: str, url: str) -> Sent:
        """Press a `dtmd://` link: its text is sent as the person.

        Raises:
            Refused: the link is another one.
        """
        parts = urlsplit(url)
        content = parse_qs(parts.query).get("content", [""])[0]
        chat = self._world.chats.get(chat_id)
        if not url.startswith(DTMD) or not content or chat is None:
            raise Refused("a dtmd link that sends a message, and a chat, are needed")
        robots = chat.bots if chat.type == "group" and self._gate.options.dtmd_mentions_robot else []
        return self.write({"chat_id": chat_id, "as": person_id, "text": content, "at": robots})

    def recall(self, message_id: str) -> None:
        """Take a message back; no robot is told."""
        self.message(message_id).recalled = True
        self.tell(message_id)

    def found(self, name: str, members: list[str], chat_type: ChatType, app_id: str | None = None) -> Chat:
        """Make a group with every robot in it, or a single chat with one; people nobody knew are added.

        Raises:
            Refused: unknown type, no members, or more than one person in a single chat.
        """
        if chat_type not in ("single", "group") or not members or (chat_type == "single" and len(members) != 1):
            raise Refused("a chat needs a type and members; a single chat has one")
        for person_id in members:
            self._world.people.setdefault(person_id, Person(person_id, person_id.title()))
        bots = list(self._world.apps) if chat_type == "group" else [app_id or next(iter(self._world.apps))]
        chat = Chat(new_id("cid"), name, chat_type, list(members), bots)
        self._world.chats[chat.chat_id] = chat
        return chat

    def message(self, message_id: str) -> Message:
        """Give a message.

        Raises:
            Refused: there is none of this id.
        """
        message = self._world.messages.get(message_id)
        if message is None:
            raise Refused(f"no such message {message_id!r}")
        return message

    def _compose(self, body: Json) -> tuple[Chat, Message]:
        chat, sender = self._world.chats.get(str(body.get("chat_id"))), str(body.get("as"))
        kind = str(body.get("msg_type", "text"))
        if chat is None or sender not in chat.members:
            raise Refused("no such chat, or the person is not in it")
        at_ms = int(body.get("create_time_ms") or self._gate.clock.now_ms())
        files = self._attached(body)
        message = Message(new_id("msg"), chat.chat_id, "user", sender, kind, self._content(kind, body), at_ms)
        message.files = files
        message.at_users = self._mentioned(chat, message, body)
        if body.get("quote"):
            message.quotes = self.message(str(body["quote"])).message_id
        return chat, message

    def _content(self, kind: str, body: Json) -> Json:
        """Give a message's content; what the platform calls otherwise is named as in its callbacks."""
        given = as_object(body.get("content")) or {}
        if kind == "text":
            return {"text": str(body.get("text", ""))}
        if kind == "richText":
            return {"parts": [dict(part) for part in as_objects(body.get("parts"))], **given}
        if kind == "file" and "fileName" not in given:
            return {"fileName": self._world.files[str(body.get("file"))].name, **given}
        return given

    def _attached(self, body: Json) -> list[str]:
        ids = [str(body["file"])] if body.get("file") else []
        ids += [str(part["file_id"]) for part in as_objects(body.get("parts")) if "file_id" in part]
        if any(each not in self._world.files for each in ids):
            raise Refused("no such file")
        kind = body.get("msg_type", "text")
        if kind in ("picture", "audio", "video", "file") and not ids:
            raise Refused("this type needs a file")
        if kind not in KINDS:
            raise Refused(f"a type of message is one of {KINDS}")
        return ids

    def _mentioned(self, chat: Chat, message: Message, body: Json) -> list[str]:
        given = [str(each) for each in cast("list[object]", body.get("at") or [])]
        parts = as_objects(message.content.get("parts"))
        text = str(message.content.get("text", "")) + " ".join(str(part.get("text", "")) for part in parts)
        named = [each for each in (*chat.bots, *chat.members) if f"@{self._world.name_of(each)}" in text]
        return list(dict.fromkeys([*given, *named]))

    def _hears(self, app_id: str, chat: Chat, message: Message) -> bool:
        """In a group a robot hears only what mentions it, and of that only text and pictures."""
        if chat.type == "single":
            return True
        return app_id in message.at_users and message.msg_type in IN_GROUPS

    def _sender(self, data: Json) -> str:
        message = self._world.messages.get(str(data.get("msgId")))
        return message.sender_id if message is not None else str(data.get("userId", ""))
