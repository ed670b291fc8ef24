"""Who and what exists in the simulated organisation: apps, people, conversations, messages."""

from __future__ import annotations

import base64
import uuid
from dataclasses import dataclass, field
from typing import Literal

from channels.simulators.jsons import Json

CORP = "dingcorpdemo"
TEAM = "cidteam=="
LIN_DIRECT = "cidlin/niuma+1=="
ChatType = Literal["single", "group"]


@dataclass
class App:
    """An internal app with its robot; the robot's code is the app's client id."""

    app_id: str
    app_secret: str
    name: str

    @property
    def chatbot_user_id(self) -> str:
        """The robot's encrypted id, as `atUsers` shows it."""
        return f"$:LWCP_v1:${self.app_id}"


@dataclass
class Person:
    """A member of the organisation; an outsider has no staff id."""

    person_id: str
    name: str
    is_outside: bool = False

    @property
    def sender_id(self) -> str:
        """The person's encrypted id."""
        return f"$:LWCP_v1:${self.person_id}"


@dataclass
class Chat:
    """A conversation; `members` are people, `bots` are app ids."""

    chat_id: str
    name: str
    type: ChatType
    members: list[str] = field(default_factory=list[str])
    bots: list[str] = field(default_factory=list[str])


@dataclass
class Message:
    """One message; `content` depends on the type: text, title, markdown, buttons, url, media_id...

    `message_id` is the msgId of a person's message and the process query key of a robot's. `query_key` is empty where
    the platform gives none, so that the message cannot be recalled.
    """

    message_id: str
    chat_id: str
    sender_type: Literal["user", "bot", "system"]
    sender_id: str
    msg_type: str
    content: Json
    create_time_ms: int
    query_key: str = ""
    out_track_id: str | None = None
    at_users: list[str] = field(default_factory=list[str])
    recipients: list[str] = field(default_factory=list[str])
    files: list[str] = field(default_factory=list[str])
    emotions: list[Json] = field(default_factory=list[Json])
    quotes: str | None = None
    recalled: bool = False


@dataclass
class StoredFile:
    """Bytes that somebody sent or a robot uploaded."""

    file_id: str
    name: str
    data: bytes
    kind: str


def new_id(prefix: str) -> str:
    """Make an id as the platform writes them: a short prefix and base64."""
    return f"{prefix}{base64.b64encode(uuid.uuid4().bytes).decode()}"


class World:
    """Everything that exists, by id."""

    def __init__(self) -> None:
        self.apps: dict[str, App] = {}
        self.people: dict[str, Person] = {}
        self.chats: dict[str, Chat] = {}
        self.messages: dict[str, Message] = {}
        self.files: dict[str, StoredFile] = {}

    def direct_chat(self, app_id: str, person_id: str) -> Chat:
        """Give the single chat of a person with a robot, making it when there is none."""
        for chat in self.chats.values():
            if chat.type == "single" and chat.members == [person_id] and app_id in chat.bots:
                return chat
        chat = Chat(new_id("cid"), self.apps[app_id].name, "single", [person_id], [app_id])
        self.chats[chat.chat_id] = chat
        return chat

    def name_of(self, some_id: str) -> str:
        """Give the name of a person or robot; unknown ids stand for themselves."""
        found = self.people.get(some_id) or self.apps.get(some_id)
        return found.name if found is not None else some_id


def demo_world() -> World:
    """Give the people and groups every test and the demo start with; apps are added by the caller."""
    world = World()
    for person_id, name in (("0147lin", "Lin Wei"), ("0258chen", "Chen Yu")):
        world.people[person_id] = Person(person_id, name)
    world.chats[TEAM] = Chat(TEAM, "Product team", "group", list(world.people))
    return world


def seat(world: World, app: App) -> None:
    """Put a robot into every group; the first one also gets the demo's single chat."""
    for chat in world.chats.values():
        if chat.type == "group" and app.app_id not in chat.bots:
            chat.bots.append(app.app_id)
    if LIN_DIRECT not in world.chats:
        world.chats[LIN_DIRECT] = Chat(LIN_DIRECT, app.name, "single", ["0147lin"], [app.app_id])
