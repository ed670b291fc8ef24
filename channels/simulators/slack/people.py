"""What people do in the simulated chats: write, edit, delete, react, upload, join, open the bot's tab."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import cast

from channels.simulators.jsons import Json
from channels.simulators.slack.errors import ApiError, Refused
from channels.simulators.slack.files import Files
from channels.simulators.slack.gate import Gate
from channels.simulators.slack.messages import Messages
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.reactions import Reactions
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.world import App, Chat, ChatType, Message, Person, World, new_id

_ADDRESS = re.compile(r"https?://[^\s<>|]+[^\s<>|.,;:!?)\]'\"]")


@dataclass(frozen=True)
class Sent:
    """A written message and the ids of the events it caused, in the order they were sent."""

    message_id: str
    ts: str
    event_ids: list[str] = field(default_factory=list[str])


class People:
    """Acts as the members of the workspace."""

    def __init__(
        self, gate: Gate, world: World, shapes: Shapes, messages: Messages, outbox: Outbox, reactions: Reactions
    ) -> None:
        self._gate = gate
        self._world = world
        self._shapes = shapes
        self._messages = messages
        self._outbox = outbox
        self._reactions = reactions
        self.files: Files | None = None

    def write(self, body: Json) -> Sent:
        """Write a message: `chat_id`, `as`, `text`; also `thread_ts`, `broadcast`, `raw`, `files`, `create_time_ms`.

        `@name` of a bot or member becomes a mention; with `raw` the text goes as it is. `as_bot` writes as another
        bot: its id, or `{"id", "name", "plain": true}` for a message without the subtype `bot_message`.

        Raises:
            Refused: no such chat, person or thread, or the Messages tab is closed.
        """
        chat = self._chat(body)
        text = str(body.get("text", ""))
        now_ms = int(body.get("create_time_ms") or self._gate.clock.now_ms())
        ts = self._world.new_ts(now_ms)
        message = Message(chat.id, ts, "user", str(body.get("as")), text, now_ms)
        if not body.get("raw"):
            message.text = self._typed(text, chat)
        message.client_msg_id = str(uuid.uuid4())
        self._sign(message, body)
        self._place(message, body)
        message.files = [self._file(each) for each in cast("list[object]", body.get("files") or [])]
        if message.files:
            message.subtype = "file_share"
        self._world.keep(message)
        return Sent(message.id, message.ts, self._outbox.posted(message))

    def upload(self, body: Json, name: str, data: bytes) -> Sent:
        """Write a message with a file; the rest of the body is as for `write`."""
        assert self.files is not None
        file = self.files.keep(name, data, str(body.get("as")))
        file.access = str(body.get("file_access", file.access))
        return self.write({"text": "", **body, "files": [file.id]})

    def edit(self, message_id: str, text: str) -> list[str]:
        """Change what a person wrote; gives the ids of the events."""
        message = self.message(message_id)
        previous = self._shapes.message(message)
        message.text = self._typed(text, self._world.chats[message.chat_id])
        message.edited_ts = self._world.new_ts(self._gate.clock.now_ms())
        message.is_edit_marked = True
        return self._outbox.changed(message, previous)

    def delete(self, message_id: str) -> None:
        """Delete a message."""
        self._messages.remove(self.message(message_id))

    def react(self, message_id: str, user_id: str, name: str, *, removed: bool = False) -> None:
        """Put an emoji on a message or take it off.

        Raises:
            Refused: it is there already, or was not.
        """
        change = self._reactions.remove if removed else self._reactions.add
        try:
            change(self.message(message_id), name, user_id)
        except ApiError as error:
            raise Refused(error.error) from error

    def found(self, name: str, members: list[str], chat_type: ChatType, *, announce: bool = False) -> Chat:
        """Make a chat with every bot in it (a direct chat: the first bot); unknown people join the workspace.

        Raises:
            Refused: unknown type, no members, or more than one person in a direct chat.
        """
        if chat_type not in ("im", "channel", "group") or not members or (chat_type == "im" and len(members) != 1):
            raise Refused("a chat needs a type and members; a direct chat has one")
        for user_id in members:
            self._world.people.setdefault(user_id, Person(user_id, user_id.removeprefix("U0").title()))
        if chat_type == "im":
            return self._world.direct_chat(next(iter(self._world.apps)), members[0])
        chat = Chat(new_id("C"), name, chat_type, list(members), list(self._world.apps))
        self._world.chats[chat.id] = chat
        for app_id in chat.bots if announce else []:
            self._outbox.joined(chat, self._world.apps[app_id].user_id, members[0])
        return chat

    def join(self, chat_id: str, user_id: str) -> None:
        """A person comes into a channel."""
        chat = self._world.chats[chat_id]
        self._world.people.setdefault(user_id, Person(user_id, user_id.removeprefix("U0").title()))
        if user_id not in chat.members:
            chat.members.append(user_id)
            self._outbox.joined(chat, user_id)

    def open_home(self, app: App, user_id: str) -> list[str]:
        """A person opens the direct chat with a bot."""
        chat = self._world.direct_chat(app.app_id, user_id)
        event: Json = {"type": "app_home_opened", "user": user_id, "channel": chat.id, "tab": "messages"}
        return self._outbox.tell(chat, event)

    def redeliver(self, message_id: str) -> list[str]:
        """Deliver a message's events once more, under other event ids."""
        return self._outbox.announce(self.message(message_id))

    def message(self, message_id: str) -> Message:
        """Give a message that is still there.

        Raises:
            Refused: there is none.
        """
        message = self._world.messages.get(message_id)
        if message is None or message.deleted:
            raise Refused(f"no such message {message_id!r}")
        return message

    def _chat(self, body: Json) -> Chat:
        chat, sender = self._world.chats.get(str(body.get("chat_id"))), str(body.get("as"))
        if chat is None or (sender not in chat.members and not body.get("as_bot")):
            raise Refused("no such chat, or the person is not in it")
        if chat.type == "im" and not self._gate.options.messages_tab:
            raise Refused("sending messages to this app has been turned off")
        return chat

    def _sign(self, message: Message, body: Json) -> None:
        bot = body.get("as_bot")
        if not bot:
            return
        facts: Json = cast("Json", bot) if isinstance(bot, dict) else {"id": str(bot)}
        message.sender_type, message.sender_id = "bot", str(facts.get("id", "B0OTHER"))
        message.username, message.client_msg_id = str(facts.get("name", "other bot")), None
        message.subtype = None if facts.get("plain") else "bot_message"

    def _place(self, message: Message, body: Json) -> None:
        thread_ts = str(body.get("thread_ts") or "")
        if not thread_ts:
            return
        if f"{message.chat_id}/{thread_ts}" not in self._world.messages:
            raise Refused(f"no such thread {thread_ts!r}")
        message.thread_ts = thread_ts
        if body.get("broadcast"):
            message.subtype = "thread_broadcast"

    def _file(self, file_id: object) -> str:
        if str(file_id) not in self._world.files:
            raise Refused(f"no such file {file_id!r}")
        return str(file_id)

    def _typed(self, text: str, chat: Chat) -> str:
        """Write text as clients send it: escaped, mentions and addresses as tokens."""
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        text = _ADDRESS.sub(lambda found: f"<{found[0]}>", text)
        bots = [(self._world.apps[app_id].name, self._world.apps[app_id].user_id) for app_id in chat.bots]
        people = [(self._world.people[user_id].name, user_id) for user_id in chat.members]
        for name, user_id in sorted(bots + people, key=lambda each: -len(each[0])):
            text = text.replace(f"@{name}", f"<@{user_id}>")
        for word in ("here", "channel", "everyone"):
            text = text.replace(f"@{word}", f"<!{word}>")
        return text
