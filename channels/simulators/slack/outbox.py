"""Who is told what: every change in a chat becomes the events that each app subscribed to."""

from __future__ import annotations

from collections.abc import Callable

from channels.simulators.feed import Feed
from channels.simulators.jsons import Json
from channels.simulators.slack.catalogue import EVENT_SCOPES, KINDS
from channels.simulators.slack.deliveries import Deliveries
from channels.simulators.slack.gate import Gate
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.world import TEAM, App, Chat, Message, Reaction, World


class Outbox:
    """Tells apps and the page what happened; the bot's own messages, edits and reactions come back to it too."""

    def __init__(self, gate: Gate, world: World, shapes: Shapes, deliveries: Deliveries, feed: Feed) -> None:
        self._gate = gate
        self._world = world
        self._shapes = shapes
        self._deliveries = deliveries
        self._feed = feed
        self.on_change: Callable[[Message, str], None] = lambda message, kind: None

    def posted(self, message: Message) -> list[str]:
        """A message is new; gives the ids of its events."""
        self.show(message, "post")
        if message.ephemeral_to is not None:
            return []
        return self.announce(message)

    def announce(self, message: Message) -> list[str]:
        """Tell every bot in the chat: `message`, and `app_mention` to those mentioned; each has its own event_id."""
        chat, sent, options = self._world.chats[message.chat_id], list[str](), self._gate.options
        name = f"message.{KINDS[chat.type]}"
        for app in self._bots(chat):
            events = [(name, self._message_event(chat, message))]
            if self._is_mention(app, chat, message):
                events.insert(0 if options.mention_first else 1, ("app_mention", self._mention(message)))
            for place, (event_name, event) in enumerate(events):
                sent += self._send(app, event_name, event, after_s=place * options.mention_gap_s)
        return sent

    def changed(self, message: Message, previous: Json, kind: str = "edit") -> list[str]:
        """A message was edited; `previous` is how it looked. A mention in it counts as a new one."""
        self.show(message, kind)
        if message.ephemeral_to is not None:
            return []
        chat = self._world.chats[message.chat_id]
        body = {"message": self._shapes.message(message), "previous_message": previous}
        sent = self._hidden(chat, "message_changed", body)
        for app in self._bots(chat):
            if self._is_mention(app, chat, message):
                edited = {"edited": {"user": message.sender_id, "ts": message.edited_ts}}
                sent += self._send(app, "app_mention", self._mention(message) | edited)
        return sent

    def deleted(self, message: Message, previous: Json) -> list[str]:
        """A message is gone."""
        self.show(message, "delete")
        if message.ephemeral_to is not None:
            return []
        body = {"deleted_ts": message.ts, "previous_message": previous}
        return self._hidden(self._world.chats[message.chat_id], "message_deleted", body)

    def reacted(self, message: Message, reaction: Reaction, *, added: bool) -> list[str]:
        """An emoji was put on a message or taken off."""
        self._feed.message(message.id)
        item = {"type": "message", "channel": message.chat_id, "ts": message.ts}
        name = "reaction_added" if added else "reaction_removed"
        body: Json = {"type": name, "user": reaction.by, "reaction": reaction.name, "item": item}
        body["item_user"] = self._world.user_id_of(message)
        return self.tell(self._world.chats[message.chat_id], body)

    def joined(self, chat: Chat, user_id: str, inviter: str | None = None) -> list[str]:
        """Somebody or a bot came into a channel."""
        kind = "C" if chat.type == "channel" else "G"
        body: Json = {"type": "member_joined_channel", "user": user_id, "channel": chat.id, "channel_type": kind}
        return self.tell(chat, {**body, "team": TEAM, **({"inviter": inviter} if inviter else {})})

    def tell(self, chat: Chat, body: Json) -> list[str]:
        """Send an event of its own type to every bot in a chat."""
        sent = [self._send(app, str(body["type"]), body) for app in self._bots(chat)]
        return [event_id for ids in sent for event_id in ids]

    def show(self, message: Message, kind: str) -> None:
        """The page sees a message anew; no app is told."""
        self.on_change(message, kind)
        self._feed.message(message.id)

    def _bots(self, chat: Chat) -> list[App]:
        apps = [self._world.apps[app_id] for app_id in chat.bots if app_id in self._world.apps]
        return [app for app in apps if app.installed]

    def _send(self, app: App, name: str, body: Json, *, after_s: float = 0.0) -> list[str]:
        scope = EVENT_SCOPES.get(name)
        is_granted = scope is None or self._gate.access.has(scope)
        if name in self._gate.options.withheld_events or not is_granted:
            return []
        event_ts = body.get("event_ts") or self._world.new_ts(self._gate.clock.now_ms())
        return [self._deliveries.send(app, {**body, "event_ts": event_ts}, after_s=after_s)]

    def _hidden(self, chat: Chat, subtype: str, body: Json) -> list[str]:
        now_ts = self._world.new_ts(self._gate.clock.now_ms())
        facts: Json = {"type": "message", "subtype": subtype, "hidden": True, "channel": chat.id, "ts": now_ts}
        event = {**facts, **body, "channel_type": chat.type, "event_ts": now_ts}
        name = f"message.{KINDS[chat.type]}"
        return [event_id for app in self._bots(chat) for event_id in self._send(app, name, event)]

    def _message_event(self, chat: Chat, message: Message) -> Json:
        body = self._shapes.message(message)
        return {**body, "channel": chat.id, "channel_type": chat.type, "event_ts": message.ts}

    def _mention(self, message: Message) -> Json:
        body = self._shapes.message(message)
        body.pop("subtype", None)
        return {**body, "type": "app_mention", "channel": message.chat_id, "event_ts": message.ts}

    def _is_mention(self, app: App, chat: Chat, message: Message) -> bool:
        own = message.sender_id == app.app_id
        return chat.type != "im" and not own and f"<@{app.user_id}" in message.text
