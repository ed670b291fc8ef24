"""Robot messages into our own words.

Source: developerpedia "bot/message", open.dingtalk.com "receive-message", "develop-stream-mode-push-server", read
2026-11-30.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from channels.dingtalk.address import NAME, Place
from channels.dingtalk.content import Content, parse_content, parse_quoted
from channels.dingtalk.sessions import Session
from channels.events import ConversationRef, DedupeKey, InboundMessage, Quote, Sender
from channels.readable import Json, object_in, text_in

OVER_QUOTA = "20001"
"""`errCode` of a notice that stands in the place of a message: the month's messages are used up."""


@dataclass(frozen=True, slots=True)
class OverQuota:
    """Somebody wrote, and the platform does not tell us what: the organisation's messages are used up."""

    words: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A message, and what came with it."""

    message: InboundMessage
    session: Session
    quote: Quote | None


def parse_message(account: str, body: Json, now_ms: int) -> Heard | OverQuota:
    """Read a robot message.

    Raises:
        KeyError: it lacks what every message must have.
    """
    if text_in(body, "errCode") == OVER_QUOTA and not body.get("content") and not body.get("text"):
        return OverQuota(text_in(body, "errMsg"))
    message_id, conversation_id = _needed(body, "msgId"), _needed(body, "conversationId")
    place = _place(body, conversation_id)
    kind = text_in(body, "msgtype")
    read = parse_content(kind, body, message_id)
    content, quote = read or Content(), _quote(body, message_id)
    tenant = text_in(body, "chatbotCorpId") or text_in(body, "senderCorpId")
    message = InboundMessage(
        # One message in a group that names two robots has one id: the robot belongs into the key. The frame's own id
        # is new with every push.
        dedupe=DedupeKey(NAME, account, "message", f"{text_in(body, 'robotCode')}:{message_id}"),
        conversation=ConversationRef(NAME, account, tenant, place.chat),
        chat_kind="group" if place.kind == "group" else "direct",
        message_id=message_id,
        sender=_sender(body, tenant),
        text=content.text,
        # Without a mention nothing arrives from a group; a group may say so, or say nothing.
        mentions_me=body.get("isInAtList") is not False if place.kind == "group" else True,
        created_at_ms=int(cast("int | str", body.get("createAt") or now_ms)),
        attachments=content.attachments,
        quoted_message_id=quote.message_id if quote is not None else None,
        unsupported=_unknown(body, kind) if read is None else None,
    )
    session = _session(body, message, conversation_id)
    if place.kind == "guest":
        message = replace(message, way_back=session.way_back())
    return Heard(message, session, quote)


def _place(body: Json, conversation_id: str) -> Place:
    """`conversationType` alone tells a group from a single chat."""
    if text_in(body, "conversationType") == "2":
        return Place("group", conversation_id)
    staff_id = text_in(body, "senderStaffId")
    return Place("user", staff_id) if staff_id else Place("guest", conversation_id)


def _sender(body: Json, tenant: str) -> Sender:
    """Outside people, and everybody while the robot is not published, have no staff id."""
    staff_id = text_in(body, "senderStaffId")
    who = staff_id or text_in(body, "senderUnionId") or _needed(body, "senderId")
    return Sender(who, text_in(body, "senderCorpId") or (tenant if staff_id else ""), text_in(body, "senderNick"))


def _session(body: Json, message: InboundMessage, conversation_id: str) -> Session:
    expires = text_in(body, "sessionWebhookExpiredTime")
    return Session(
        chat=message.conversation.chat,
        message_id=message.message_id,
        conversation_id=conversation_id,
        staff_id=text_in(body, "senderStaffId"),
        webhook=text_in(body, "sessionWebhook"),
        expires_ms=int(float(expires)) if expires else 0,
    )


def _quote(body: Json, message_id: str) -> Quote | None:
    """Give the message that this one quotes, as far as the platform tells."""
    text = object_in(body, "text")
    source = text if text.get("isReplyMsg") or text.get("repliedMsg") else body
    replied = object_in(source, "repliedMsg")
    quoted_id = text_in(replied, "msgId") or text_in(body, "originalMsgId")
    if not replied and not quoted_id:
        return None
    content = parse_quoted(replied)
    if not content.text and not content.attachments:
        return None
    author = text_in(replied, "senderNick") or text_in(replied, "senderId")
    by_us = bool(author) and author == text_in(body, "chatbotUserId")
    return Quote(quoted_id or f"quote of {message_id}", author, content.text, by_us, content.attachments)


def _unknown(body: Json, kind: str) -> str:
    return text_in(object_in(body, "content"), "unknownMsgType") or kind or "unknown"


def _needed(body: Json, key: str) -> str:
    value = text_in(body, key)
    if not value:
        raise KeyError(key)
    return value
