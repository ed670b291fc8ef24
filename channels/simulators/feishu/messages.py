"""The message calls: send, reply, read, change, recall.

Source: open.feishu.cn pages of im-v1 message, read 2026-02.
"""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from channels.simulators.feed import Feed
from channels.simulators.feishu import events
from channels.simulators.feishu.cards import Card, Cards
from channels.simulators.feishu.deliveries import Deliveries
from channels.simulators.feishu.elements import config
from channels.simulators.feishu.errors import ApiError, card_refused
from channels.simulators.feishu.gate import Call, Gate
from channels.simulators.feishu.rules import CardRules, CardWrong
from channels.simulators.feishu.world import App, Chat, Message, World, new_id
from channels.simulators.jsons import Json, as_object, dumps, parse_object

TEXT_BYTES = 150 * 1024
CARD_BYTES = 30 * 1024
UUID_LIFE_S = 3600
CARD_UPDATE_S = 14 * 86400
EDITABLE = ("text", "post")
TYPES = ("text", "post", "image", "file", "audio", "media", "sticker", "interactive", "share_chat", "share_user")


class Messages:
    """Answers `/open-apis/im/v1/messages`."""

    def __init__(self, gate: Gate, world: World, cards: Cards, deliveries: Deliveries, feed: Feed) -> None:
        self._gate = gate
        self._world = world
        self._cards = cards
        self._deliveries = deliveries
        self._feed = feed
        self._uuids: dict[tuple[str, str], tuple[str, float]] = {}
        self.rules = CardRules(lambda key: key in world.files)

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        root, api = "/open-apis/im/v1/messages", self._gate.api
        one = root + "/{message_id}"
        return [
            web.post(root, api(self._send)),
            web.get(root, api(self._list)),
            web.post(f"{one}/reply", api(self._reply)),
            web.get(one, api(self._get)),
            web.patch(one, api(self._patch)),
            web.put(one, api(self._edit)),
            web.delete(one, api(self._recall)),
        ]

    def find(self, call: Call) -> Message:
        """Give the message a call names, in a chat its bot is in.

        Raises:
            ApiError: 230001 unknown, 230002 bot outside the chat, 230110 gone.
        """
        message = self._world.messages.get(call.part("message_id"))
        if message is None:
            raise ApiError(230001, "open_message_id")
        if call.app.app_id not in self._world.chats[message.chat_id].bots:
            raise ApiError(230002)
        return message

    def _send(self, call: Call) -> Json:
        chat = self._receiver(call.app, call.request.query.get("receive_id_type", ""), call.body.get("receive_id"))
        return self._once(call, lambda: self._post(call, chat, None))

    def _reply(self, call: Call) -> Json:
        parent = self.find(call)
        if parent.recalled:
            raise ApiError(230011)
        return self._once(call, lambda: self._post(call, self._world.chats[parent.chat_id], parent))

    def _receiver(self, app: App, kind: str, receive_id: object) -> Chat:
        if kind == "chat_id":
            chat = self._world.chats.get(str(receive_id))
            if chat is None:
                raise ApiError(230034)
            if app.app_id not in chat.bots:
                raise ApiError(230002)
            return chat
        if kind == "email":
            receive_id, kind = f"ou_{str(receive_id).partition('@')[0]}", "open_id"
        if kind not in ("open_id", "union_id"):
            raise ApiError(99992402, "receive_id_type")
        open_id = str(receive_id).replace("on_", "ou_", 1) if kind == "union_id" else str(receive_id)
        if open_id not in self._world.people:
            raise ApiError(230013)
        return self._world.direct_chat(app.app_id, open_id)

    def _once(self, call: Call, post: Callable[[], Message]) -> Json:
        uuid, now_s = call.body.get("uuid"), self._gate.clock.steady_s()
        if uuid is None or uuid == "":
            return events.rest_message(post(), call.app)
        if not isinstance(uuid, str) or len(uuid) > 50:
            raise ApiError(99992402, "uuid")
        seen = self._uuids.get((call.app.app_id, uuid))
        if seen is not None and now_s - seen[1] < UUID_LIFE_S:
            if self._gate.options.repeat_uuid == "new_code":
                raise ApiError(self._gate.options.repeat_uuid_code, "uuid")
            return events.rest_message(self._world.messages[seen[0]], call.app)
        message = post()
        self._uuids[call.app.app_id, uuid] = (message.message_id, now_s)
        return events.rest_message(message, call.app)

    def _post(self, call: Call, chat: Chat, parent: Message | None) -> Message:
        msg_type, content = self._content(call.body)
        if self._gate.limits.take(("chat", chat.chat_id), (self._gate.options.chat_per_second, 1)) is not None:
            raise ApiError(230020)
        now_ms = self._gate.clock.now_ms()
        card = self._card_of(call.app, content) if msg_type == "interactive" else None
        message = Message(
            new_id("om"), chat.chat_id, "bot", call.app.app_id, msg_type, content, now_ms, now_ms,
            card_id=card.card_id if card else None,
        )  # fmt: skip
        if parent is not None:
            attach(message, parent, in_thread=call.body.get("reply_in_thread") is True or chat.type == "topic")
        elif chat.type == "topic":
            message.thread_id = new_id("omt")
        if card is not None:
            card.message_id = message.message_id
        self._world.messages[message.message_id] = message
        if parent is not None:
            self._feed.message(parent.message_id)
        self._feed.message(message.message_id)
        return message

    def _content(self, body: Json) -> tuple[str, str]:
        msg_type, content = body.get("msg_type"), body.get("content")
        if msg_type not in TYPES:
            raise ApiError(230054)
        if not isinstance(content, str) or parse_object(content) is None:
            raise ApiError(230001, "content is not a string in json format")
        limit = TEXT_BYTES if msg_type == "text" else CARD_BYTES
        if len(content.encode()) > limit:
            raise ApiError(230025)
        if msg_type in ("image", "file"):
            content = self._uploaded(str(msg_type), content)
        return str(msg_type), content

    def _uploaded(self, kind: str, content: str) -> str:
        """Give the content as members and the message API see it: a file with its name."""
        key = str((parse_object(content) or {}).get(f"{kind}_key", ""))
        if key not in self._world.files:
            raise ApiError(230001, f"invalid {kind}_key")
        name, _ = self._world.files[key]
        return content if kind == "image" else dumps({"file_key": key, "file_name": name})

    def _card_of(self, app: App, content: str) -> Card:
        given = parse_object(content) or {}
        if given.get("type") == "card":
            return self._entity(app, str((as_object(given.get("data")) or {}).get("card_id", "")))
        if "card_id" in given:
            raise card_refused(200621, "parse card json err, please check whether the card json is correct")
        if given.get("type") == "template":
            raise card_refused(200380, "template does not exist")
        self._refuse_wrong(given)
        return self._cards.create(app.app_id, given)

    def _entity(self, app: App, card_id: str) -> Card:
        try:
            card = self._cards.get(card_id)
        except ApiError as error:
            raise card_refused(error.code, error.text) from error
        if card.app_id != app.app_id:
            raise card_refused(300311, "card belongs to another app")
        if card.message_id is not None and self._gate.options.entity_sent_twice == "refuse":
            raise card_refused(200800, "card entity has already been sent")
        return card

    def _get(self, call: Call) -> Json:
        message = self.find(call)
        inner = [self._world.messages[each] for each in message.bundles]
        held = [{**self._shown(each, call.app), "upper_message_id": message.message_id} for each in inner]
        return {"items": [self._shown(message, call.app), *held]}

    def _list(self, call: Call) -> Json:
        query = call.request.query
        kind, container = query.get("container_id_type", ""), query.get("container_id", "")
        field = {"chat": "chat_id", "thread": "thread_id"}.get(kind)
        if field is None:
            raise ApiError(230001, "container_id_type")
        found = [m for m in self._world.messages.values() if getattr(m, field) == container]
        if any(call.app.app_id not in self._world.chats[m.chat_id].bots for m in found):
            raise ApiError(230002)
        after_ms = int(query.get("start_time", "0")) * 1000
        found = [m for m in found if m.create_time_ms >= after_ms]
        if query.get("sort_type") == "ByCreateTimeDesc":
            found.reverse()
        at, size = int(query.get("page_token", "0") or 0), min(50, int(query.get("page_size", "20")))
        page = [self._shown(message, call.app) for message in found[at : at + size]]
        return {"items": page, "has_more": at + size < len(found), "page_token": str(at + size)}

    def _shown(self, message: Message, app: App) -> Json:
        body = events.rest_message(message, app)
        if message.msg_type == "interactive":
            body["body"] = {"content": dumps({"title": None, "elements": []})}
        return body

    def _patch(self, call: Call) -> Json:
        message = self._own(call, 230026)
        if message.msg_type != "interactive" or message.card_id is None:
            raise ApiError(230001, "message is no card")
        if self._gate.clock.now_ms() - message.create_time_ms > CARD_UPDATE_S * 1000:
            raise ApiError(230031)
        self._pace_changes(message)
        content = call.body.get("content")
        tree = parse_object(content)
        if tree is None or not isinstance(content, str):
            raise ApiError(230001, "content")
        if len(content.encode()) > CARD_BYTES:
            raise ApiError(230025)
        self._refuse_wrong(tree)
        card = self._cards.by_id[message.card_id]
        if card.clicks_waiting:
            raise card_refused(11310, "card action is lock")
        if not (_is_shared(card.tree) and _is_shared(tree)):
            raise card_refused(300302, "update_multi must be true before and after")
        message.content, message.update_time_ms = content, self._gate.clock.now_ms()
        self._cards.show(card, tree, "patch")
        return {}

    def _edit(self, call: Call) -> Json:
        message = self._own(call, 230071)
        if message.msg_type not in EDITABLE or call.body.get("msg_type") != message.msg_type:
            raise ApiError(230001, "msg_type")
        if message.edits >= self._gate.options.max_edits:
            raise ApiError(230072)
        self._pace_changes(message)
        _, message.content = self._content(call.body)
        message.edits += 1
        message.update_time_ms = self._gate.clock.now_ms()
        self._feed.message(message.message_id)
        return events.rest_message(message, call.app)

    def _recall(self, call: Call) -> Json:
        self.recall(self._own(call, 230026), "message_owner")
        return {}

    def recall(self, message: Message, recall_type: str) -> None:
        """Take a message back and tell the bots of its chat."""
        message.recalled = True
        self._feed.message(message.message_id)
        body = events.recalled_event(message, self._gate.clock.now_ms(), recall_type)
        for app_id in self._world.chats[message.chat_id].bots:
            self._deliveries.send(self._world.apps[app_id], events.RECALLED, body)

    def _own(self, call: Call, code: int) -> Message:
        message = self.find(call)
        if message.sender_id != call.app.app_id:
            raise ApiError(code)
        if message.recalled:
            raise ApiError(230011)
        return message

    def _pace_changes(self, message: Message) -> None:
        window = (self._gate.options.patch_per_second, 1)
        if self._gate.limits.take(("change", message.message_id), window) is not None:
            raise ApiError(230020)

    def _refuse_wrong(self, tree: Json) -> None:
        if tree.get("schema") != "2.0":
            return
        try:
            self.rules.check(tree)
        except CardWrong as error:
            raise error.for_message() from error


def _is_shared(tree: Json) -> bool:
    return config(tree).get("update_multi", tree.get("schema") == "2.0") is True


def attach(message: Message, parent: Message, *, in_thread: bool) -> None:
    """Make a message a reply: root, parent and, in a topic, the thread (started at the root when there is none)."""
    message.parent_id = parent.message_id
    message.root_id = parent.root_id or parent.message_id
    if in_thread and parent.thread_id is None:
        parent.thread_id = new_id("omt")
    message.thread_id = parent.thread_id
