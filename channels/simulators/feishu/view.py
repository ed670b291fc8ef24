"""The simulator's state as the page and tests see it."""

from __future__ import annotations

from channels.simulators.clock import MovableClock
from channels.simulators.feishu import elements
from channels.simulators.feishu.cards import Card, Cards
from channels.simulators.feishu.reading import read_message
from channels.simulators.feishu.sockets import Sockets
from channels.simulators.feishu.world import Chat, Message, World
from channels.simulators.jsons import Json


class View:
    """Makes the JSON of `/_sim/state` and `/_sim/events`."""

    def __init__(self, clock: MovableClock, world: World, cards: Cards, sockets: Sockets) -> None:
        self._clock = clock
        self._world = world
        self._cards = cards
        self._sockets = sockets

    def state(self) -> Json:
        """Give everything."""
        return {
            "now_ms": self._clock.now_ms(),
            "people": [{"open_id": each.open_id, "name": each.name} for each in self._world.people.values()],
            "bots": [
                {
                    "app_id": app.app_id,
                    "open_id": app.open_id,
                    "name": app.name,
                    "connections": self._sockets.count(app.app_id),
                }
                for app in self._world.apps.values()
            ],
            "chats": [_chat(each) for each in self._world.chats.values()],
            "messages": [self.message(message_id) for message_id in self._world.messages],
        }

    def message(self, message_id: str) -> Json:
        """Give one message."""
        message = self._world.messages[message_id]
        card = self._cards.by_id.get(message.card_id or "")
        tree = card.tree if card is not None else None
        return {
            "message_id": message.message_id,
            "chat_id": message.chat_id,
            "thread_id": message.thread_id,
            "root_id": message.root_id,
            "parent_id": message.parent_id,
            "create_time_ms": message.create_time_ms,
            "sender": self._sender(message),
            "msg_type": message.msg_type,
            "text": read_message(message.msg_type, message.content, message.mentions, tree, self._world.name_of),
            "content": message.content,
            "card": tree,
            "card_state": _card_state(card) if card is not None else None,
            "reactions": [
                {"emoji_type": each.emoji_type, "by": each.by, "by_type": each.by_type} for each in message.reactions
            ],
            "recalled": message.recalled,
            "edited": message.edits > 0,
        }

    def _sender(self, message: Message) -> Json:
        app = self._world.apps.get(message.sender_id)
        open_id = app.open_id if app is not None else message.sender_id
        return {"type": message.sender_type, "id": open_id, "name": self._world.name_of(message.sender_id)}


def _chat(chat: Chat) -> Json:
    facts: Json = {"chat_id": chat.chat_id, "name": chat.name, "type": chat.type}
    return {**facts, "members": chat.members, "bots": chat.bots}


def _card_state(card: Card) -> Json:
    return {
        "card_id": card.card_id,
        "streaming": elements.is_streaming(card.tree),
        "sequence": card.sequence,
        "summary": elements.summary(card.tree),
        "updated_at_ms": card.updated_at_ms,
    }
