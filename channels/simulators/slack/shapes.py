"""How messages, files, people and chats look in answers and events."""

from __future__ import annotations

import re
from urllib.parse import quote

from channels.simulators.jsons import Json
from channels.simulators.slack.world import TEAM, App, Chat, File, Message, Person, World

_TOKEN = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")


class Shapes:
    """Renders what exists as the platform writes it; `base_url` is where files are fetched."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.base_url = ""

    def message(self, message: Message, *, with_metadata: bool = False) -> Json:
        """Give a message as `conversations.replies` and events hold it."""
        body: Json = {"type": "message", "ts": message.ts, "text": message.text}
        if message.subtype:
            body["subtype"] = message.subtype
        body |= self._sender(message)
        body["blocks"] = message.stream.blocks() if message.stream is not None else self._blocks(message)
        body |= self._thread(message)
        if message.edited_ts and message.is_edit_marked:
            body["edited"] = {"user": self._world.user_id_of(message) or "", "ts": message.edited_ts}
        if message.files:
            body["files"] = [self.file(self._world.files[file_id]) for file_id in message.files]
        if message.reactions:
            body["reactions"] = reactions_of(message)
        if with_metadata and message.metadata is not None:
            body["metadata"] = message.metadata
        return body

    def file(self, file: File, *, in_full: bool = False) -> Json:
        """Give a file object; a deleted or withheld one holds hardly more than its mode.

        With `access` "check_file_info" only `files.info` (`in_full`) has the rest.
        """
        if file.access == "check_file_info" and not in_full:
            return {"id": file.id, "mode": "file_access", "file_access": "check_file_info", "created": file.created_s}
        if file.mode != "hosted":
            return {"id": file.id, "mode": file.mode}
        path, name = f"{self.base_url}/files-pri/{TEAM}-{file.id}", quote(file.name, safe="")
        return {
            "id": file.id,
            "created": file.created_s,
            "timestamp": file.created_s,
            "name": file.name,
            "title": file.title or file.name,
            "mimetype": file.mimetype,
            "filetype": file.name.rpartition(".")[2].lower() or "binary",
            "user": file.owner,
            "mode": file.mode,
            "size": file.size,
            "is_external": False,
            "url_private": f"{path}/{name}",
            "url_private_download": f"{path}/download/{name}",
            "permalink": f"{self.base_url}/files/{file.owner}/{file.id}/{name}",
            "file_access": "visible",
        }

    def chat(self, chat: Chat, app: App) -> Json:
        """Give a conversation object."""
        facts: Json = {"id": chat.id, "is_archived": chat.archived, "context_team_id": TEAM}
        if chat.type == "im":
            return {**facts, "is_im": True, "user": chat.members[0], "is_channel": False}
        return {
            **facts,
            "name": chat.name,
            "is_channel": chat.type == "channel",
            "is_group": chat.type == "group",
            "is_private": chat.type == "group",
            "is_im": False,
            "is_mpim": False,
            "is_member": app.app_id in chat.bots,
        }

    def person(self, person: Person) -> Json:
        """Give a user object."""
        profile = {"real_name": person.name, "display_name": person.name, "team": TEAM}
        name = person.name.lower().replace(" ", ".")
        facts: Json = {"id": person.id, "team_id": TEAM, "name": name, "real_name": person.name}
        return {**facts, "profile": profile, "deleted": False, "is_bot": False, "tz": "Asia/Shanghai"}

    def bot_user(self, app: App) -> Json:
        """Give the user object of a bot."""
        profile = {"real_name": app.name, "display_name": app.name, "bot_id": app.bot_id, "api_app_id": app.app_id}
        return {"id": app.user_id, "team_id": TEAM, "name": app.name, "profile": profile, "is_bot": True}

    def _sender(self, message: Message) -> Json:
        app = self._world.apps.get(message.sender_id)
        if app is not None:
            profile = {"id": app.bot_id, "name": message.username or app.name, "app_id": app.app_id, "team_id": TEAM}
            return {
                "user": app.user_id,
                "team": TEAM,
                "bot_id": app.bot_id,
                "app_id": app.app_id,
                "bot_profile": profile,
            }
        if message.sender_type == "bot":
            return {"bot_id": message.sender_id, "username": message.username or message.sender_id}
        own = {"client_msg_id": message.client_msg_id} if message.client_msg_id else {}
        team = self._world.people[message.sender_id].team
        foreign = {"user_team": team, "source_team": team} if team != TEAM else {}
        return {"user": message.sender_id, "team": team, **own, **foreign}

    def _blocks(self, message: Message) -> list[Json]:
        if message.blocks or message.sender_type == "bot" or not message.text:
            return message.blocks
        return [rich_text(message.text, block_id=message.ts[-6:])]

    def _thread(self, message: Message) -> Json:
        thread = self._world.thread(message.chat_id, message.thread_ts or message.ts)
        if message.thread_ts in (None, message.ts):
            replies = [each for each in thread if each.ts != message.ts]
            if not replies:
                return {}
            return {"thread_ts": message.ts, "reply_count": len(replies), "latest_reply": replies[-1].ts}
        root = self._world.messages.get(f"{message.chat_id}/{message.thread_ts}")
        parent = {"parent_user_id": self._world.user_id_of(root)} if root is not None else {}
        return {"thread_ts": message.thread_ts, **parent}


def reactions_of(message: Message) -> list[Json]:
    """Give a message's reactions, those of the same name together."""
    names = dict.fromkeys(reaction.name for reaction in message.reactions)
    users = {name: [each.by for each in message.reactions if each.name == name] for name in names}
    return [{"name": name, "users": users[name], "count": len(users[name])} for name in names]


def rich_text(text: str, *, block_id: str) -> Json:
    """Give the block that clients make of what a person typed."""
    elements: list[Json] = []
    at = 0
    for found in _TOKEN.finditer(text):
        elements += _plain(text[at : found.start()])
        elements.append(_element(*found.groups()))
        at = found.end()
    elements += _plain(text[at:])
    section = {"type": "rich_text_section", "elements": elements}
    return {"type": "rich_text", "block_id": block_id, "elements": [section]}


def _plain(text: str) -> list[Json]:
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return [{"type": "text", "text": text}] if text else []


def _element(sign: str, target: str, label: str | None) -> Json:
    if sign == "@":
        return {"type": "user", "user_id": target}
    if sign == "#":
        return {"type": "channel", "channel_id": target}
    if sign == "!":
        return {"type": "broadcast", "range": target}
    return {"type": "link", "url": target.replace("&amp;", "&"), **({"text": label} if label else {})}
