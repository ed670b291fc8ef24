"""Events of the platform in our words: messages and presses; everything else is none of ours yet.

Source: open.feishu.cn im.message.receive_v1 and card.action.trigger, read 2026-02.
"""

from __future__ import annotations

import json
from typing import Any, Literal, cast

from channels.events import (
    AttachmentHandle,
    CardAction,
    ChatKind,
    ConversationRef,
    DedupeKey,
    Inbound,
    InboundMessage,
    Sender,
)
from channels.feishu.mentions import BotIdentity, mentions_me, parse_mentions, resolve_mentions
from channels.feishu.post import Content, parse_post

Json = dict[str, Any]
AttachmentKind = Literal["image", "file", "audio", "video"]

_MICROSECONDS_FROM = 10**14
"""Times above are microseconds: presses are stamped so, messages in milliseconds."""


def parse_event(event: Json, me: BotIdentity) -> Inbound | None:
    """Read one event; `None` when it is nothing for us: another kind, or written by a bot.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the event lacks what its kind must have.
    """
    header = cast("Json", event.get("header") or {})
    kind = header.get("event_type")
    if kind == "im.message.receive_v1":
        return _message(header, cast("Json", event["event"]), me)
    if kind == "card.action.trigger":
        return _press(header, cast("Json", event["event"]), me)
    return None


def _message(header: Json, event: Json, me: BotIdentity) -> InboundMessage | None:
    sender, message = cast("Json", event["sender"]), cast("Json", event["message"])
    if sender.get("sender_type") != "user":
        return None
    mentions = parse_mentions(message)
    kind = str(message["message_type"])
    content = _content(kind, message)
    message_id = str(message["message_id"])
    return InboundMessage(
        dedupe=DedupeKey(me.channel, me.account, "message", message_id),
        conversation=_conversation(header, message, me),
        chat_kind=_chat_kind(message),
        message_id=message_id,
        sender=_sender(cast("Json", sender["sender_id"]), str(sender.get("tenant_key", ""))),
        text=resolve_mentions(content.text, mentions, me).strip() if content is not None else "",
        mentions_me=mentions_me(mentions, me),
        created_at_ms=_time_ms(message.get("create_time") or header.get("create_time")),
        attachments=_attachments(content, message_id) if content is not None else (),
        quoted_message_id=str(message["parent_id"]) if message.get("parent_id") else None,
        unsupported=kind if content is None else None,
    )


def _content(kind: str, message: Json) -> Content | None:
    """Read the message's content; `None` for kinds we cannot read yet."""
    if kind not in ("text", "post"):
        return None
    body: object = json.loads(message["content"])
    if not isinstance(body, dict):
        raise ValueError("content is no object")
    fields = cast("Json", body)
    return Content(str(fields.get("text", ""))) if kind == "text" else parse_post(fields)


def _attachments(content: Content, message_id: str) -> tuple[AttachmentHandle, ...]:
    images = [AttachmentHandle("image", key, message_id) for key in content.image_keys]
    files = [AttachmentHandle(cast("AttachmentKind", kind), key, message_id) for kind, key in content.file_keys]
    return (*images, *files)


def _press(header: Json, event: Json, me: BotIdentity) -> CardAction:
    context, action = cast("Json", event["context"]), cast("Json", event["action"])
    operator = cast("Json", event["operator"])
    chat = str(context.get("open_chat_id", ""))
    return CardAction(
        dedupe=DedupeKey(me.channel, me.account, "action", str(header["event_id"])),
        conversation=ConversationRef(me.channel, me.account, str(header.get("tenant_key", "")), chat),
        message_id=str(context["open_message_id"]),
        sender=_sender(operator, str(operator.get("tenant_key") or header.get("tenant_key", ""))),
        value=_texts(action.get("value")),
        created_at_ms=_time_ms(header.get("create_time")),
        form=_texts(action.get("form_value")),
    )


def _texts(value: object) -> dict[str, str]:
    """Read a button's payload. Ours are objects of texts; a plain text, of a foreign card, is kept under one key."""
    if isinstance(value, dict):
        return {str(key): str(item) for key, item in cast("dict[object, object]", value).items() if item is not None}
    return {"value": str(value)} if value else {}


def _conversation(header: Json, message: Json, me: BotIdentity) -> ConversationRef:
    """Give the address. Only `thread_id` makes a topic: `root_id` and `parent_id` are mere quotes."""
    thread = str(message["thread_id"]) if message.get("thread_id") else None
    tenant = str(header.get("tenant_key", ""))
    return ConversationRef(me.channel, me.account, tenant, str(message["chat_id"]), thread)


def _chat_kind(message: Json) -> ChatKind:
    if message.get("chat_type") == "p2p":
        return "direct"
    return "topic" if message.get("thread_id") else "group"


def _sender(ids: Json, tenant: str) -> Sender:
    return Sender(str(ids["open_id"]), tenant)


def _time_ms(value: object) -> int:
    stamp = int(str(value))
    return stamp // 1000 if stamp >= _MICROSECONDS_FROM else stamp
