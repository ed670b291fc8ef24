"""The simulator's state as the page and tests see it."""

from __future__ import annotations

from channels.simulators.clock import MovableClock
from channels.simulators.dingtalk.cards import Card, Cards
from channels.simulators.dingtalk.options import Options
from channels.simulators.dingtalk.reading import read_message
from channels.simulators.dingtalk.sockets import Sockets
from channels.simulators.dingtalk.world import Chat, World
from channels.simulators.jsons import Json

SHOWN_PARTS = ("title", "markdown", "buttons", "url", "parts", "recognition", "duration")


class View:
    """Makes the JSON of `/_sim/state` and `/_sim/events`."""

    def __init__(self, clock: MovableClock, options: Options, world: World, cards: Cards) -> None:
        self._clock = clock
        self._options = options
        self._world = world
        self._cards = cards
        self.sockets: Sockets | None = None

    def state(self) -> Json:
        """Give everything."""
        return {
            "now_ms": self._clock.now_ms(),
            "people": [{"id": each.person_id, "name": each.name} for each in self._world.people.values()],
            "bots": [
                {"app_id": app.app_id, "name": app.name, "connections": self._connections(app.app_id)}
                for app in self._world.apps.values()
            ],
            "chats": [_chat(each) for each in self._world.chats.values()],
            "messages": [self.message(message_id) for message_id in self._world.messages],
        }

    def message(self, message_id: str, viewer: str | None = None) -> Json:
        """Give one message; `viewer` decides what `text` says of private parts, `card.private` has them all."""
        message = self._world.messages[message_id]
        card = self._cards.by_id.get(message.out_track_id or "")
        return {
            "id": message.message_id,
            "chat_id": message.chat_id,
            "sender": {
                "type": message.sender_type,
                "id": message.sender_id,
                "name": self._world.name_of(message.sender_id),
            },
            "msg_type": message.msg_type,
            "text": read_message(message, card, viewer, self._options.blank_above_chars),
            **{name: message.content[name] for name in SHOWN_PARTS if name in message.content},
            "card": self._card(card, viewer) if card is not None else None,
            "emotions": message.emotions,
            "recalled": message.recalled,
            "files": [self._file(each) for each in message.files],
            "at_users": message.at_users,
            "recipients": message.recipients,
            "quotes": message.quotes,
            "create_time_ms": message.create_time_ms,
        }

    def _card(self, card: Card, viewer: str | None) -> Json:
        return {
            "out_track_id": card.out_track_id,
            "template_id": card.template.id,
            "variables": [vars(each) for each in card.template.variables],
            "params": card.shown_params(),
            "private": card.private,
            "flow_status": card.flow_status,
            "streaming_key": card.template.streaming_key,
            "buttons": self.buttons(card, viewer),
            "personal_buttons": {person_id: self.buttons(card, person_id) for person_id in card.private},
            "blank": card.is_blank(self._options.blank_above_chars),
            "updated_at_ms": card.updated_at_ms,
        }

    def buttons(self, card: Card, viewer: str | None) -> list[Json]:
        """Give a card's buttons as one person sees them."""
        return [
            {
                "id": button.id,
                "label": card.label(button, viewer),
                "visible": card.is_shown(button.visible_key, viewer),
                "disabled": bool(button.disabled_key) and card.value(button.disabled_key, viewer) == "true",
                "params": card.button_params(button, viewer),
            }
            for button in card.template.buttons
        ]

    def _file(self, file_id: str) -> Json:
        stored = self._world.files[file_id]
        return {"id": file_id, "name": stored.name, "kind": stored.kind, "bytes": len(stored.data)}

    def _connections(self, app_id: str) -> int:
        return self.sockets.count(app_id) if self.sockets is not None else 0


def _chat(chat: Chat) -> Json:
    return {"id": chat.chat_id, "name": chat.name, "type": chat.type, "members": chat.members, "bots": chat.bots}
