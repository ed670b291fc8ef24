"""Events of the platform in our words. Kinds nobody listed here are none of ours.

Source: open.feishu.cn im.message.receive_v1 and card.action.trigger, read 2026-02.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from channels.events import CardAction, ChatKind, DedupeKey, Inbound, InboundMessage
from channels.feishu import notices
from channels.feishu.content import Content, parse_content
from channels.feishu.envelope import Envelope, named
from channels.feishu.mentions import BotIdentity, mentions_me, parse_mentions, resolve_mentions
from channels.readable import Json


def parse_event(event: Json, me: BotIdentity) -> Inbound | None:
    """Read one event; `None` when it is nothing for us: another kind, or written by a bot.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the event lacks what its kind must have.
    """
    header = cast("Json", event.get("header") or {})
    parse = _PARSERS.get(str(header.get("event_type")))
    return None if parse is None else parse(Envelope(header, cast("Json", event["event"]), me))


def _message(envelope: Envelope) -> InboundMessage | None:
    sender, message = cast("Json", envelope.body["sender"]), cast("Json", envelope.body["message"])
    if sender.get("sender_type") != "user":
        return None
    me, mentions = envelope.me, parse_mentions(message)
    kind, message_id = named(message, "message_type"), named(message, "message_id")
    read = parse_content(kind, str(message["content"]), message_id)
    content = read or Content()
    return InboundMessage(
        dedupe=DedupeKey(me.channel, me.account, "message", message_id),
        conversation=envelope.conversation(named(message, "chat_id"), _thread(message)),
        chat_kind=_chat_kind(message),
        message_id=message_id,
        sender=envelope.sender(cast("Json", sender["sender_id"]), str(sender.get("tenant_key") or "")),
        text=resolve_mentions(content.text, mentions, me).strip(),
        mentions_me=mentions_me(mentions, me),
        created_at_ms=envelope.time_ms(message.get("create_time")),
        attachments=content.attachments,
        quoted_message_id=str(message["parent_id"]) if message.get("parent_id") else None,
        forwards=content.forwards,
        unsupported=kind if read is None else None,
    )


def _press(envelope: Envelope) -> CardAction:
    event, me = envelope.body, envelope.me
    context, action, operator = (cast("Json", event[name]) for name in ("context", "action", "operator"))
    return CardAction(
        dedupe=DedupeKey(me.channel, me.account, "action", envelope.event_id),
        conversation=envelope.conversation(str(context.get("open_chat_id") or "")),
        message_id=named(context, "open_message_id"),
        sender=envelope.sender(operator, str(operator.get("tenant_key") or "")),
        value=_texts(action.get("value")),
        created_at_ms=envelope.time_ms(),
        form=_texts(action.get("form_value")),
    )


def _texts(value: object) -> dict[str, str]:
    """Read a button's payload. Ours are objects of texts; a plain text, of a foreign card, is kept under one key."""
    if isinstance(value, dict):
        return {str(key): str(item) for key, item in cast("dict[object, object]", value).items() if item is not None}
    return {"value": str(value)} if value else {}


def _thread(message: Json) -> str | None:
    """Only `thread_id` makes a topic: `root_id` and `parent_id` are mere quotes."""
    return str(message["thread_id"]) if message.get("thread_id") else None


def _chat_kind(message: Json) -> ChatKind:
    if message.get("chat_type") == "p2p":
        return "direct"
    return "topic" if message.get("thread_id") else "group"


_PARSERS: Mapping[str, Callable[[Envelope], Inbound | None]] = {
    "im.message.receive_v1": _message,
    "card.action.trigger": _press,
    "im.message.recalled_v1": notices.recalled,
    "im.message.reaction.created_v1": notices.reaction_put_on,
    "im.message.reaction.deleted_v1": notices.reaction_taken_off,
    "application.bot.menu_v6": notices.menu_chosen,
    "im.chat.member.bot.added_v1": notices.bot_added,
    "im.chat.member.bot.deleted_v1": notices.bot_removed,
    "im.chat.access_event.bot_p2p_chat_entered_v1": notices.chat_entered,
}
