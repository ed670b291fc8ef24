"""What a message says, for every kind of message that can be read: in events and when it is read again.

Source: open.feishu.cn "接收消息内容", "获取指定消息的内容", read 2026-02.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from channels.events import AttachmentHandle
from channels.feishu.post import parse_post
from channels.readable import Json, read_json

_FILES = {"image": "image", "file": "file", "audio": "audio", "media": "video"}
_KEYS = {"image": "image_key", "file": "file_key", "audio": "file_key", "media": "file_key"}


@dataclass(slots=True)
class Content:
    """Text with placeholders for mentions (`@_user_1`), and what came with it."""

    text: str = ""
    attachments: tuple[AttachmentHandle, ...] = ()
    forwards: bool = False
    """The message is a bundle of others, which must be asked for."""


def parse_content(kind: str, content: str, message_id: str) -> Content | None:
    """Read a message's `content`; `None` for kinds that cannot be read (stickers, locations, business cards...).

    Raises:
        ValueError, KeyError, TypeError: the content is not what its kind must have.
    """
    if kind == "merge_forward":
        return Content(forwards=True)
    body = read_json(content)
    if not isinstance(body, dict):
        raise ValueError("content is no object")
    fields = cast("Json", body)
    if kind == "text":
        return Content(str(fields.get("text", "")))
    if kind == "post":
        return _post(fields, message_id)
    if kind == "interactive":
        return _card(fields)
    if kind in _FILES:
        return Content(attachments=(_attachment(kind, fields, message_id),))
    return None


def _attachment(kind: str, fields: Json, message_id: str) -> AttachmentHandle:
    key = str(fields[_KEYS[kind]])
    return AttachmentHandle(cast("Any", _FILES[kind]), key, message_id, str(fields.get("file_name") or ""))


def _post(fields: Json, message_id: str) -> Content:
    post = parse_post(fields)
    images = [AttachmentHandle("image", key, message_id) for key in post.image_keys]
    files = [AttachmentHandle(cast("Any", kind), key, message_id) for kind, key in post.file_keys]
    return Content(post.text, (*images, *files))


def _card(fields: Json) -> Content | None:
    """Read the reduced form in which the platform tells a card: a title and lines of texts; 2.0 cards tell nothing."""
    text = parse_post({"title": fields.get("title"), "content": fields.get("elements")}).text.strip()
    return Content(text) if text else None
