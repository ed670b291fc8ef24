"""The small calls: the bot itself, chats, people, reactions."""

from __future__ import annotations

from aiohttp import web

from channels.simulators.feed import Feed
from channels.simulators.feishu import events
from channels.simulators.feishu.deliveries import Deliveries
from channels.simulators.feishu.errors import ApiError
from channels.simulators.feishu.gate import Call, Gate
from channels.simulators.feishu.messages import Messages
from channels.simulators.feishu.world import Message, Reaction, World, new_id
from channels.simulators.jsons import Json, as_object


class Directory:
    """Answers who and where questions, and reactions."""

    def __init__(self, gate: Gate, world: World, messages: Messages, deliveries: Deliveries, feed: Feed) -> None:
        self._gate = gate
        self._world = world
        self._messages = messages
        self._deliveries = deliveries
        self._feed = feed

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        api, reactions = self._gate.api, "/open-apis/im/v1/messages/{message_id}/reactions"
        return [
            web.get("/open-apis/bot/v3/info", api(self._bot, wrap=False)),
            web.get("/open-apis/im/v1/chats/{chat_id}", api(self._chat)),
            web.get("/open-apis/contact/v3/users/{user_id}", api(self._user)),
            web.get(reactions, api(self._reactions)),
            web.post(reactions, api(self._react)),
            web.delete(reactions + "/{reaction_id}", api(self._unreact)),
        ]

    def _bot(self, call: Call) -> Json:
        return {
            "bot": {
                "activate_status": self._gate.options.bot_status,
                "app_name": call.app.name,
                "open_id": call.app.open_id,
            }
        }

    def _chat(self, call: Call) -> Json:
        chat = self._world.chats.get(call.part("chat_id"))
        if chat is None or call.app.app_id not in chat.bots:
            raise ApiError(232011 if chat else 232006)
        mode = {"p2p": "p2p", "group": "group", "topic": "topic"}[chat.type]
        kind = "p2p" if chat.type == "p2p" else "group"
        facts = {
            "name": chat.name,
            "description": "",
            "chat_mode": mode,
            "chat_type": "private",
            "chat_status": "normal",
        }
        return {**facts, "type": kind, "user_count": str(len(chat.members)), "bot_count": str(len(chat.bots))}

    def _user(self, call: Call) -> Json:
        user_id = call.part("user_id")
        if call.request.query.get("user_id_type", "open_id") == "union_id":
            user_id = user_id.replace("on_", "ou_", 1)
        person = self._world.people.get(user_id)
        if person is None:
            raise ApiError(41050, "no user authority")
        return {"user": {**events.ids_of(person.open_id), "name": person.name, "en_name": person.name}}

    def _react(self, call: Call) -> Json:
        message = self._messages.find(call)
        emoji = (as_object(call.body.get("reaction_type")) or {}).get("emoji_type")
        if not isinstance(emoji, str) or not emoji:
            raise ApiError(231001, "reaction type is invalid")
        if message.recalled:
            raise ApiError(231003, "the message is not found")
        reaction = Reaction(new_id("re"), emoji, call.app.app_id, "app")
        message.reactions.append(reaction)
        self._tell(message, reaction, events.REACTED)
        return self._shown(reaction)

    def _reactions(self, call: Call) -> Json:
        message, wanted = self._messages.find(call), call.request.query.get("reaction_type")
        if message.recalled:
            raise ApiError(231003, "the message is not found")
        found = [self._shown(each) for each in message.reactions if wanted in (None, each.emoji_type)]
        return {"items": found[: int(call.request.query.get("page_size", "20"))], "has_more": False}

    def _unreact(self, call: Call) -> Json:
        message = self._messages.find(call)
        found = [each for each in message.reactions if each.reaction_id == call.part("reaction_id")]
        if not found:
            raise ApiError(231010, "reaction does not exist")
        if found[0].by != call.app.app_id:
            raise ApiError(231007, "not the operator of the reaction")
        message.reactions.remove(found[0])
        self._tell(message, found[0], events.UNREACTED)
        return self._shown(found[0])

    def _shown(self, reaction: Reaction) -> Json:
        operator = {"operator_id": reaction.by, "operator_type": reaction.by_type}
        facts: Json = {"reaction_id": reaction.reaction_id, "operator": operator}
        return {
            **facts,
            "action_time": str(self._gate.clock.now_ms()),
            "reaction_type": {"emoji_type": reaction.emoji_type},
        }

    def _tell(self, message: Message, reaction: Reaction, event_type: str) -> None:
        self._feed.message(message.message_id)
        body = events.reaction_event(message, reaction, self._gate.clock.now_ms())
        for app_id in self._world.chats[message.chat_id].bots:
            self._deliveries.send(self._world.apps[app_id], event_type, body)
