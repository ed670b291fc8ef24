"""Messages a robot sends: their types in both dialects, and where they land.

Source: open.dingtalk.com "Robot message type", "Message types of robots", read 2026-08.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from channels.simulators.clock import MovableClock
from channels.simulators.dingtalk.world import App, Chat, Message, World, new_id
from channels.simulators.feed import Feed
from channels.simulators.jsons import Json, as_object, as_objects

Made = tuple[str, Json]
"""A message's type and content."""
FILE_TYPES = ("xlsx", "pdf", "zip", "rar", "doc", "docx")


class BadContent(ValueError):
    """A message lacks what its type needs; the text names the part."""


class Messages:
    """Keeps what robots send, and tells the page."""

    def __init__(self, world: World, clock: MovableClock, feed: Feed) -> None:
        self._world = world
        self._clock = clock
        self._feed = feed

    def put(self, app: App, chat: Chat, made: Made, *, query_key: str = "") -> Message:
        """Add a robot's message to a chat."""
        msg_type, content = made
        message = Message(
            query_key or new_id("msg"), chat.chat_id, "bot", app.app_id, msg_type, content, self._clock.now_ms()
        )
        message.query_key = query_key
        media_id = str(content.get("media_id", ""))
        message.files = [media_id] if media_id in self._world.files else []
        self._world.messages[message.message_id] = message
        self._feed.message(message.message_id)
        return message

    def changed(self, message: Message) -> None:
        """Tell the page that a message is different."""
        self._feed.message(message.message_id)

    def recall(self, app: App, query_keys: list[str], chat_id: str | None, not_before_ms: int) -> list[str]:
        """Take an app's messages back, in a group or (None) in single chats; gives the keys that worked."""
        done: list[str] = []
        for key in query_keys:
            found = [each for each in self._world.messages.values() if each.query_key == key]
            fit = [m for m in found if m.sender_id == app.app_id and self._is_in(m, chat_id)]
            if not fit or any(each.create_time_ms < not_before_ms for each in fit):
                continue
            for message in fit:
                message.recalled = True
                self.changed(message)
            done.append(key)
        return done

    def _is_in(self, message: Message, chat_id: str | None) -> bool:
        chat = self._world.chats[message.chat_id]
        return chat.type == "single" if chat_id is None else chat.chat_id == chat_id


def from_webhook(body: Json) -> Made | None:
    """Read what a webhook is given; None for `empty`.

    Raises:
        BadContent: a type nobody knows, or a part is missing.
    """
    msg_type = body.get("msgtype")
    part = as_object(body.get(str(msg_type))) or {}
    if msg_type == "empty":
        return None
    if msg_type not in _WEBHOOK:
        raise BadContent("msgtype")
    return _WEBHOOK[str(msg_type)](part)


def from_robot(msg_key: str, param: Json) -> Made:
    """Read what the robot calls are given.

    Raises:
        BadContent: a key nobody knows, or a part is missing.
    """
    if msg_key.startswith("sampleActionCard"):
        return _action_card(param)
    if msg_key not in _ROBOT:
        raise BadContent("msgKey")
    return _ROBOT[msg_key](param)


def _text(part: Json) -> Made:
    return "text", {"text": _needed(part, "content")}


def _markdown(part: Json) -> Made:
    return "markdown", {"title": _needed(part, "title"), "markdown": _needed(part, "text")}


def _action_card(part: Json) -> Made:
    buttons = [
        {"title": _needed(each, "title"), "url": _needed(each, "actionURL")} for each in as_objects(part.get("btns"))
    ]
    if part.get("singleTitle"):
        buttons = [{"title": str(part["singleTitle"]), "url": _needed(part, "singleURL")}]
    for number in range(1, 7):
        if part.get(f"actionTitle{number}") or part.get(f"buttonTitle{number}"):
            title = str(part.get(f"actionTitle{number}") or part.get(f"buttonTitle{number}"))
            url = str(part.get(f"actionURL{number}") or part.get(f"buttonUrl{number}") or "")
            buttons.append({"title": title, "url": url})
    title, markdown = _needed(part, "title"), _needed(part, "text")
    return "actionCard", {"title": title, "markdown": markdown, "buttons": cast("list[Any]", buttons)}


def _link(part: Json) -> Made:
    url = str(part.get("messageUrl") or part.get("messageURL") or "")
    return "link", {"title": _needed(part, "title"), "text": str(part.get("text", "")), "url": url}


def _feed_card(part: Json) -> Made:
    links = [
        {"title": _needed(each, "title"), "url": str(each.get("messageURL", ""))}
        for each in as_objects(part.get("links"))
    ]
    if not links:
        raise BadContent("links")
    return "feedCard", {"title": links[0]["title"], "buttons": links}


def _image(part: Json) -> Made:
    return "image", {"media_id": _needed(part, "photoURL")}


def _audio(part: Json) -> Made:
    return "audio", {"media_id": _needed(part, "mediaId"), "duration": str(part.get("duration", ""))}


def _file(part: Json) -> Made:
    if part.get("fileType") not in FILE_TYPES:
        raise BadContent("fileType")
    return "file", {"media_id": _needed(part, "mediaId"), "file_name": _needed(part, "fileName")}


def _video(part: Json) -> Made:
    return "video", {"media_id": _needed(part, "videoMediaId"), "duration": str(part.get("duration", ""))}


def _needed(part: Json, name: str) -> str:
    value = part.get(name)
    if not isinstance(value, str) or not value:
        raise BadContent(name)
    return value


_WEBHOOK: dict[str, Callable[[Json], Made]] = {
    "text": _text,
    "markdown": _markdown,
    "actionCard": _action_card,
    "link": _link,
    "feedCard": _feed_card,
}
_ROBOT: dict[str, Callable[[Json], Made]] = {
    "sampleText": _text,
    "sampleMarkdown": _markdown,
    "sampleImageMsg": _image,
    "sampleLink": _link,
    "sampleAudio": _audio,
    "sampleFile": _file,
    "sampleVideo": _video,
}
