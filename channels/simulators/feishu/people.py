"""What people do in the simulated chats: write, press, recall, react."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from channels.simulators.feed import Feed
from channels.simulators.feishu import elements, events
from channels.simulators.feishu.cards import Card, Cards
from channels.simulators.feishu.deliveries import Ack, Deliveries
from channels.simulators.feishu.gate import Gate
from channels.simulators.feishu.messages import Messages, attach
from channels.simulators.feishu.rules import CardWrong
from channels.simulators.feishu.world import App, Chat, ChatType, Message, Person, Reaction, World, new_id
from channels.simulators.jsons import Json, as_object, as_objects, dumps

STALE = 404
NOT_CONFIGURED = 200340
NOT_ANSWERED = 200341
NOT_OK = 200671
BAD_BODY = 200672
BAD_CARD = 200673
"""Codes the client shows after a press. Source: open.feishu.cn "Handle card callbacks", read 2026-02."""


class Refused(ValueError):
    """A person cannot do this: nobody or nothing has this id."""


@dataclass(frozen=True)
class Sent:
    """A written message and the event it caused (the first bot's; empty when no bot was told)."""

    message_id: str
    event_id: str


class People:
    """Acts as the members of the tenant."""

    def __init__(self, gate: Gate, world: World, cards: Cards, deliveries: Deliveries, messages: Messages) -> None:
        self._gate = gate
        self._world = world
        self._cards = cards
        self._deliveries = deliveries
        self._messages = messages
        self._event_ids: dict[tuple[str, str], str] = {}
        self.feed: Feed | None = None

    def write(self, body: Json) -> Sent:
        """Write a message: `chat_id`, `as` and `text`, or `msg_type` + `content` + `mentions`; see the control API.

        Raises:
            Refused: no such chat, person, message or thread.
        """
        chat, message = self._compose(body)
        self._world.messages[message.message_id] = message
        self._tell(message.message_id)
        return Sent(message.message_id, self._announce(chat, message))

    def found(self, name: str, members: list[str], chat_type: ChatType, *, announce: bool = False) -> Chat:
        """Make a chat with every bot in it; people nobody knew are added to the tenant.

        Raises:
            Refused: unknown type, no members, or more than one person in a direct chat.
        """
        if chat_type not in ("p2p", "group", "topic") or not members or (chat_type == "p2p" and len(members) != 1):
            raise Refused("a chat needs a type and members; a direct chat has one")
        for open_id in members:
            self._world.people.setdefault(open_id, Person(open_id, open_id.removeprefix("ou_").title()))
        chat = Chat(new_id("oc"), name, chat_type, list(members), list(self._world.apps))
        self._world.chats[chat.chat_id] = chat
        for app_id in chat.bots if announce and chat_type != "p2p" else []:
            event = events.bot_added_event(chat, members[0])
            self._deliveries.send(self._world.apps[app_id], events.BOT_ADDED, event)
        return chat

    def redeliver(self, message_id: str, *, new_event_id: bool = True) -> str:
        """Deliver a message's event once more; gives the event_id used."""
        message = self._message(message_id)
        return self._announce(self._world.chats[message.chat_id], message, None if new_event_id else message_id)

    def recall(self, message_id: str) -> None:
        """Take a message back."""
        self._messages.recall(self._message(message_id), "message_owner")

    def react(self, message_id: str, open_id: str, emoji_type: str) -> None:
        """Put an emoji on a message."""
        message = self._message(message_id)
        reaction = Reaction(new_id("re"), emoji_type, open_id, "user")
        message.reactions.append(reaction)
        self._tell(message_id)
        body = events.reaction_event(message, reaction, self._gate.clock.now_ms())
        for app_id in self._world.chats[message.chat_id].bots:
            self._deliveries.send(self._world.apps[app_id], events.REACTED, body)

    async def click(self, body: Json) -> Json:
        """Press a button and wait for the bot's answer: `{"code", "toast"}`; code 404 when there is no such button."""
        message = self._message(str(body.get("message_id")))
        card = self._cards.by_id.get(message.card_id or "")
        button = None if card is None or message.recalled else _find_button(card.tree, body)
        if card is None or button is None:
            return {"code": STALE, "toast": None}
        action = _action(button, body)
        event = events.click_event(message, str(body["as"]), action, new_id("c"))
        app = self._world.apps[message.sender_id]
        card.clicks_waiting += 1
        try:
            ack = await self._deliveries.ask(app, events.CLICKED, event)
        finally:
            card.clicks_waiting -= 1
        code, toast = self._answer(card, ack)
        if toast is not None and self.feed is not None:
            self.feed.toast(str(body["as"]), str(toast.get("type", "info")), str(toast.get("content", "")))
        return {"code": code, "toast": toast}

    def _answer(self, card: Card, ack: Ack | None) -> tuple[int, Json | None]:
        if ack is None:
            return NOT_ANSWERED, None
        if ack.code != 200:
            return NOT_OK, None
        if not ack.is_readable:
            return BAD_BODY, None
        answer = ack.data or {}
        new = as_object(answer.get("card"))
        if new is not None and not elements.is_streaming(card.tree):
            tree = as_object(new.get("data"))
            if new.get("type") != "raw" or tree is None or not self._is_right(tree):
                return BAD_CARD, None
            self._cards.show(card, tree, "click")
        return 0, as_object(answer.get("toast"))

    def _is_right(self, tree: Json) -> bool:
        try:
            if tree.get("schema") == "2.0":
                self._messages.rules.check(tree)
        except CardWrong:
            return False
        return True

    def _compose(self, body: Json) -> tuple[Chat, Message]:
        chat, sender = self._world.chats.get(str(body.get("chat_id"))), str(body.get("as"))
        if chat is None or sender not in chat.members:
            raise Refused("no such chat, or the person is not in it")
        msg_type, content, mentions = self._content(body, chat)
        at_ms = int(body.get("create_time_ms") or self._gate.clock.now_ms())
        message = Message(new_id("om"), chat.chat_id, "user", sender, msg_type, content, at_ms, at_ms)
        message.mentions = mentions
        message.bundles = self._bundled(body)
        self._place(message, chat, body)
        return chat, message

    def _bundled(self, body: Json) -> list[str]:
        """Give the messages that a merged forward holds; the bot may see them wherever they are from."""
        return [self._message(str(each)).message_id for each in cast("list[object]", body.get("forwards") or [])]

    def _place(self, message: Message, chat: Chat, body: Json) -> None:
        thread_id = body.get("thread_id")
        if body.get("reply_to"):
            attach(message, self._message(str(body["reply_to"])), in_thread=chat.type == "topic")
        elif thread_id:
            root = next((m for m in self._world.messages.values() if m.thread_id == thread_id), None)
            if root is None:
                raise Refused(f"no such thread {thread_id!r}")
            attach(message, root, in_thread=True)
        elif chat.type == "topic":
            message.thread_id = new_id("omt")

    def _content(self, body: Json, chat: Chat) -> tuple[str, str, list[Json]]:
        if "forwards" in body:
            return "merge_forward", "Merged and Forwarded Message", []
        if "content" in body:
            content = body["content"] if isinstance(body["content"], str) else dumps(body["content"])
            return str(body.get("msg_type", "text")), content, as_objects(body.get("mentions"))
        text, mentions = str(body.get("text", "")), cast("list[Json]", [])
        for open_id, name in self._mentionable(chat):
            if f"@{name}" in text:
                key = f"@_user_{len(mentions) + 1}"
                text = text.replace(f"@{name}", key)
                mentions.append(events.mention(key, open_id, name))
        return "text", dumps({"text": text}), mentions

    def _mentionable(self, chat: Chat) -> list[tuple[str, str]]:
        bots = [(self._world.apps[app_id].open_id, self._world.apps[app_id].name) for app_id in chat.bots]
        people = [(open_id, self._world.people[open_id].name) for open_id in chat.members]
        return sorted(bots + people, key=lambda each: -len(each[1]))

    def _announce(self, chat: Chat, message: Message, event_key: str | None = None) -> str:
        event_ids: list[str] = []
        for app_id in chat.bots:
            app = self._world.apps[app_id]
            if self._hears(app, chat, message):
                event_id = self._event_ids.get((app_id, message.message_id)) if event_key else None
                event = events.message_event(message, chat)
                event_ids.append(self._deliveries.send(app, events.MESSAGE, event, event_id))
                self._event_ids.setdefault((app_id, message.message_id), event_ids[-1])
        return event_ids[0] if event_ids else ""

    def _hears(self, app: App, chat: Chat, message: Message) -> bool:
        if chat.type == "p2p" or self._gate.options.group_messages == "all":
            return True
        mentioned = {str(each["id"]["open_id"]) for each in message.mentions}
        return app.open_id in mentioned or "@_all" in message.content

    def _message(self, message_id: str) -> Message:
        message = self._world.messages.get(message_id)
        if message is None:
            raise Refused(f"no such message {message_id!r}")
        return message

    def _tell(self, message_id: str) -> None:
        if self.feed is not None:
            self.feed.message(message_id)


def _find_button(tree: Json, body: Json) -> Json | None:
    wanted, name = body.get("value"), body.get("name")
    for element in elements.walk(tree):
        if element.get("tag") != "button" or element.get("disabled") is True:
            continue
        values = [each.get("value") for each in as_objects(element.get("behaviors")) if each.get("type") == "callback"]
        values += [element["value"]] if "value" in element else []
        is_named = name is not None and element.get("name") == name and not wanted
        if (wanted is not None and wanted in values) or is_named:
            return element
    return None


def _action(button: Json, body: Json) -> Json:
    action: Json = {"tag": "button", "timezone": "Asia/Shanghai"}
    if body.get("value") is not None:
        action["value"] = body["value"]
    if button.get("name"):
        action["name"] = button["name"]
    if body.get("form_value") is not None:
        action["form_value"] = body["form_value"]
    return action
