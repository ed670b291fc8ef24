"""Who and what exists on the simulated platform: apps, people, chats, messages."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Literal

from channels.simulators.jsons import Json

TENANT = "tenant_demo"
ChatType = Literal["p2p", "group", "topic"]


@dataclass
class App:
    """A self-built app with its bot."""

    app_id: str
    app_secret: str
    name: str
    open_id: str
    service_id: int = 1


@dataclass
class Person:
    """A member of the tenant."""

    open_id: str
    name: str


@dataclass
class Chat:
    """A direct chat, a group or a topic group; `members` are people, `bots` are app ids."""

    chat_id: str
    name: str
    type: ChatType
    members: list[str] = field(default_factory=list[str])
    bots: list[str] = field(default_factory=list[str])


@dataclass
class Reaction:
    """An emoji on a message."""

    reaction_id: str
    emoji_type: str
    by: str
    by_type: Literal["user", "app"]


@dataclass
class Message:
    """One message; `sender_id` is a person's open_id or an app_id."""

    message_id: str
    chat_id: str
    sender_type: Literal["user", "bot"]
    sender_id: str
    msg_type: str
    content: str
    create_time_ms: int
    update_time_ms: int
    root_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    mentions: list[Json] = field(default_factory=list[Json])
    card_id: str | None = None
    reactions: list[Reaction] = field(default_factory=list[Reaction])
    recalled: bool = False
    edits: int = 0
    bundles: list[str] = field(default_factory=list[str])
    """The messages that a merged forward holds."""


def new_id(prefix: str) -> str:
    """Make an id as the platform writes them."""
    return f"{prefix}_{uuid.uuid4().hex}"


def new_card_id() -> str:
    """Make a card's id: 19 digits, as the platform's are (at most 20 characters)."""
    return str(7 * 10**18 + uuid.uuid4().int % 10**18)


class World:
    """Everything that exists, by id."""

    def __init__(self) -> None:
        self.apps: dict[str, App] = {}
        self.people: dict[str, Person] = {}
        self.chats: dict[str, Chat] = {}
        self.messages: dict[str, Message] = {}
        self.files: dict[str, tuple[str, bytes]] = {}

    def add_app(self, app_id: str, app_secret: str, name: str) -> App:
        """Add an app; its bot's open_id is `ou_` and its name."""
        app = App(app_id, app_secret, name, f"ou_{name}", service_id=len(self.apps) + 1)
        self.apps[app_id] = app
        return app

    def direct_chat(self, app_id: str, open_id: str) -> Chat:
        """Give the direct chat of a person with a bot, making it when there is none."""
        for chat in self.chats.values():
            if chat.type == "p2p" and chat.members == [open_id] and app_id in chat.bots:
                return chat
        name = self.people[open_id].name
        chat = Chat(new_id("oc"), name, "p2p", [open_id], [app_id])
        self.chats[chat.chat_id] = chat
        return chat

    def name_of(self, some_id: str) -> str:
        """Give the name of a person or bot by open_id or app_id; unknown ids stand for themselves."""
        if some_id in self.people:
            return self.people[some_id].name
        bots = [app.name for app in self.apps.values() if some_id in (app.app_id, app.open_id)]
        return bots[0] if bots else some_id


def demo_world() -> World:
    """Give the people and chats every test and the demo start with; apps are added by the caller."""
    world = World()
    for open_id, name in (("ou_lin", "Lin Wei"), ("ou_chen", "Chen Yu")):
        world.people[open_id] = Person(open_id, name)
    everybody = list(world.people)
    world.chats["oc_team"] = Chat("oc_team", "Product team", "group", everybody)
    world.chats["oc_topics"] = Chat("oc_topics", "Release topics", "topic", list(everybody))
    return world


def seat(world: World, app: App) -> None:
    """Put an app's bot into every group; the first app also gets the demo's direct chat."""
    for chat in world.chats.values():
        if chat.type != "p2p" and app.app_id not in chat.bots:
            chat.bots.append(app.app_id)
    if "oc_dm_lin" not in world.chats:
        world.chats["oc_dm_lin"] = Chat("oc_dm_lin", app.name, "p2p", ["ou_lin"], [app.app_id])
