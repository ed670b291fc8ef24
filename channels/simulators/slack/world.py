"""Who and what exists in the simulated workspace: apps, people, chats, messages, files."""

from __future__ import annotations

import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

from channels.simulators.jsons import Json
from channels.simulators.slack.stream_state import Stream

TEAM = "T0DEMO"
TEAM_NAME = "Demo"
ChatType = Literal["im", "channel", "group"]


@dataclass
class App:
    """An app installed in the workspace, with its bot and both tokens."""

    app_id: str
    name: str
    user_id: str
    bot_id: str
    bot_token: str
    app_token: str
    installed: bool = True
    revoked: bool = False


@dataclass
class Person:
    """A member of the workspace, or of another one that shares a channel (`team`)."""

    id: str
    name: str
    team: str = TEAM


@dataclass
class Chat:
    """A direct chat, a public or a private channel; `members` are people, `bots` are app ids."""

    id: str
    name: str
    type: ChatType
    members: list[str] = field(default_factory=list[str])
    bots: list[str] = field(default_factory=list[str])
    archived: bool = False


@dataclass
class Reaction:
    """One emoji of one person or bot; `by` is a user id."""

    name: str
    by: str


@dataclass
class File:
    """An uploaded file; its bytes are kept apart in `World.contents`."""

    id: str
    name: str
    size: int
    owner: str
    created_s: int
    title: str = ""
    mimetype: str = "application/octet-stream"
    mode: str = "hosted"
    access: str = "visible"


@dataclass
class Message:
    """One message; `sender_id` is a person's id, an app id, or the id of a foreign bot."""

    chat_id: str
    ts: str
    sender_type: Literal["user", "bot"]
    sender_id: str
    text: str
    create_time_ms: int
    thread_ts: str | None = None
    subtype: str | None = None
    blocks: list[Json] = field(default_factory=list[Json])
    stream: Stream | None = None
    metadata: Json | None = None
    username: str | None = None
    client_msg_id: str | None = None
    edited_ts: str | None = None
    is_edit_marked: bool = False
    deleted: bool = False
    ephemeral_to: str | None = None
    reactions: list[Reaction] = field(default_factory=list[Reaction])
    files: list[str] = field(default_factory=list[str])

    @property
    def id(self) -> str:
        """The name under which the page and tests know the message."""
        return f"{self.chat_id}/{self.ts}"


def new_id(prefix: str) -> str:
    """Make an id as the platform writes them: a letter or two, then capitals and digits."""
    return f"{prefix}0{uuid.uuid4().hex[:9].upper()}"


class World:
    """Everything that exists, by id."""

    def __init__(self) -> None:
        self.apps: dict[str, App] = {}
        self.people: dict[str, Person] = {}
        self.chats: dict[str, Chat] = {}
        self.messages: dict[str, Message] = {}
        self.files: dict[str, File] = {}
        self.contents: dict[str, bytes] = {}
        self._threads: defaultdict[tuple[str, str], list[Message]] = defaultdict(list)
        self._last_us = 0

    def add_app(self, name: str, bot_token: str, app_token: str) -> App:
        """Add an app; its ids are made of its name."""
        word = "".join(letter for letter in name.upper() if letter.isascii() and letter.isalnum()) or "BOT"
        app = App(f"A0{word}", name, f"U0{word}", f"B0{word}", bot_token, app_token)
        self.apps[app.app_id] = app
        return app

    def keep(self, message: Message) -> None:
        """Add a message."""
        self.messages[message.id] = message
        self._threads[message.chat_id, message.thread_ts or message.ts].append(message)

    def new_ts(self, now_ms: int) -> str:
        """Make a message's `ts`: seconds and microseconds, never the same twice."""
        self._last_us = max(self._last_us + 1, now_ms * 1000)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"

    def direct_chat(self, app_id: str, user_id: str) -> Chat:
        """Give the direct chat of a person with a bot, making it when there is none."""
        for chat in self.chats.values():
            if chat.type == "im" and chat.members == [user_id] and app_id in chat.bots:
                return chat
        chat = Chat(new_id("D"), self.apps[app_id].name, "im", [user_id], [app_id])
        self.chats[chat.id] = chat
        return chat

    def thread(self, chat_id: str, thread_ts: str) -> list[Message]:
        """Give the root and the replies of a thread that everybody sees, oldest first."""
        found = self._threads.get((chat_id, thread_ts), [])
        return [each for each in found if not each.deleted and each.ephemeral_to is None]

    def user_id_of(self, message: Message) -> str | None:
        """Give the user id of a message's sender; None for a foreign bot."""
        app = self.apps.get(message.sender_id)
        if app is not None:
            return app.user_id
        return message.sender_id if message.sender_type == "user" else None

    def name_of(self, some_id: str) -> str:
        """Give the name of a person or bot by user id, app id or bot id; unknown ids stand for themselves."""
        if some_id in self.people:
            return self.people[some_id].name
        bots = [app.name for app in self.apps.values() if some_id in (app.app_id, app.user_id, app.bot_id)]
        return bots[0] if bots else some_id


def demo_world() -> World:
    """Give the people and chats every test and the demo start with; apps are added by the caller."""
    world = World()
    for user_id, name in (("U0LIN", "Lin Wei"), ("U0CHEN", "Chen Yu")):
        world.people[user_id] = Person(user_id, name)
    everybody = list(world.people)
    world.chats["C0TEAM"] = Chat("C0TEAM", "product-team", "channel", everybody)
    world.chats["C0OPS"] = Chat("C0OPS", "ops-private", "group", list(everybody))
    return world


def seat(world: World, app: App) -> None:
    """Put an app's bot into every channel; the first app also gets the demo's direct chat."""
    for chat in world.chats.values():
        if chat.type != "im" and app.app_id not in chat.bots:
            chat.bots.append(app.app_id)
    if "D0LIN" not in world.chats:
        world.chats["D0LIN"] = Chat("D0LIN", app.name, "im", ["U0LIN"], [app.app_id])
