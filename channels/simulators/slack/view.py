"""The simulator's state as the page and tests see it."""

from __future__ import annotations

from channels.simulators.clock import MovableClock
from channels.simulators.jsons import Json
from channels.simulators.slack.options import Options
from channels.simulators.slack.reading import read_message
from channels.simulators.slack.shapes import Shapes, reactions_of
from channels.simulators.slack.sockets import Sockets
from channels.simulators.slack.statuses import Statuses
from channels.simulators.slack.stream_state import Stream
from channels.simulators.slack.world import Chat, Message, World


class View:
    """Makes the JSON of `/_sim/state` and `/_sim/events`."""

    def __init__(
        self, clock: MovableClock, options: Options, world: World, shapes: Shapes, sockets: Sockets, statuses: Statuses
    ) -> None:
        self._clock = clock
        self._options = options
        self._world = world
        self._shapes = shapes
        self._sockets = sockets
        self._statuses = statuses

    def state(self, person: str | None = None) -> Json:
        """Give everything; with a person's id, each message's `shown` is what this person reads."""
        bots = [
            {
                "app_id": app.app_id,
                "user_id": app.user_id,
                "name": app.name,
                "connections": self._sockets.count(app.app_id),
            }
            for app in self._world.apps.values()
        ]
        return {
            "now_ms": self._clock.now_ms(),
            "people": [{"id": each.id, "name": each.name} for each in self._world.people.values()],
            "bots": bots,
            "chats": [_chat(each) for each in self._world.chats.values()],
            "messages": [self.message(message_id, person) for message_id in self._world.messages],
            "statuses": self._statuses.shown(),
        }

    def message(self, message_id: str, person: str | None = None) -> Json:
        """Give one message."""
        message = self._world.messages[message_id]
        stream = message.stream
        live = stream is not None and stream.is_live(self._clock.now_ms(), self._options)
        return {
            "id": message.id,
            "ts": message.ts,
            "chat_id": message.chat_id,
            "thread_ts": message.thread_ts,
            "subtype": message.subtype,
            "sender": self._sender(message),
            "text": message.text,
            "blocks": message.blocks,
            "chunks": None if stream is None else _chunks(stream, is_withheld=self._is_withheld(message, stream, "")),
            "streaming": live or (stream is not None and stream.end == "expired"),
            "stream_end": "" if stream is None else stream.end,
            "edited": message.is_edit_marked,
            "deleted": message.deleted,
            "ephemeral_to": message.ephemeral_to,
            "reactions": reactions_of(message),
            "files": [self._shapes.file(self._world.files[file_id]) for file_id in message.files],
            "metadata": message.metadata,
            "create_time_ms": message.create_time_ms,
            "shown": self.shown(message, person),
        }

    def shown(self, message: Message, person: str | None = None) -> str:
        """Give what a person reads (without one: what the recipient reads); empty where they see nothing.

        Whoever is not the recipient of a stream in a channel sees its first chunk until the stop.
        """
        if message.deleted or (person is not None and message.ephemeral_to not in (None, person)):
            return ""
        stream = message.stream
        if stream is not None and self._is_withheld(message, stream, person):
            return stream.first_text
        text = read_message(message.text, message.blocks, stream, self._names())
        files = [f"[file] {self._world.files[file_id].name}" for file_id in message.files]
        return "\n".join(part for part in (text, *files) if part)

    def _is_withheld(self, message: Message, stream: Stream, person: str | None) -> bool:
        in_channel = self._world.chats[message.chat_id].type != "im"
        only_recipient = self._options.stream_shown_to == "recipient" and person not in (None, stream.recipient)
        return in_channel and only_recipient and stream.end in ("", "expired")

    def _names(self) -> dict[str, str]:
        people = {each.id: each.name for each in self._world.people.values()}
        return people | {app.user_id: app.name for app in self._world.apps.values()}

    def _sender(self, message: Message) -> Json:
        user_id = self._world.user_id_of(message) or message.sender_id
        name = message.username or self._world.name_of(message.sender_id)
        return {"type": message.sender_type, "id": user_id, "name": name}


def _chunks(stream: Stream, *, is_withheld: bool) -> Json:
    """Give a stream; while `withheld`, everybody but the recipient sees `first_text` only."""
    return {
        "markdown": stream.markdown,
        "plan_title": stream.plan_title,
        "tasks": list(stream.tasks.values()),
        "parts": stream.parts,
        "final_blocks": stream.final_blocks,
        "display_mode": stream.display_mode,
        "recipient": stream.recipient,
        "withheld": is_withheld,
        "first_text": stream.first_text,
        "weight_bytes": stream.weight_bytes,
    }


def _chat(chat: Chat) -> Json:
    facts: Json = {"id": chat.id, "name": chat.name, "type": chat.type}
    return {**facts, "members": chat.members, "bots": chat.bots}
