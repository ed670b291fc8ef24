"""Events that are no messages: recalls, signs, the menu, coming and going.

Source: open.feishu.cn im.message.recalled_v1, im.message.reaction.created_v1 / deleted_v1, application.bot.menu_v6,
im.chat.member.bot.added_v1 / deleted_v1, im.chat.access_event.bot_p2p_chat_entered_v1, read 2026-02.
"""

from __future__ import annotations

from typing import cast

from channels.events import ChatEntered, MembershipChanged, MenuChosen, Reacted, Recalled, Sender
from channels.feishu.envelope import Envelope, named
from channels.readable import Json

NO_CHAT = ""
"""Reactions name a message and no chat."""


def recalled(envelope: Envelope) -> Recalled:
    """Read that a message was taken back; the platform does not tell who did it."""
    message_id = named(envelope.body, "message_id")
    chat = envelope.conversation(str(envelope.body.get("chat_id") or NO_CHAT))
    stamp = envelope.body.get("recall_time")
    return Recalled(envelope.key("recall", message_id), chat, None, envelope.time_ms(stamp), message_id)


def reaction_put_on(envelope: Envelope) -> Reacted | None:
    """Read that a sign was put on a message; `None` for signs of bots, our own among them."""
    return _reacted(envelope, on=True)


def reaction_taken_off(envelope: Envelope) -> Reacted | None:
    """Read that a sign was taken off a message; `None` for signs of bots."""
    return _reacted(envelope, on=False)


def _reacted(envelope: Envelope, *, on: bool) -> Reacted | None:
    body = envelope.body
    if body.get("operator_type") != "user":
        return None
    sign = named(cast("Json", body["reaction_type"]), "emoji_type")
    at_ms, sender = envelope.time_ms(body.get("action_time")), envelope.sender(cast("Json", body["user_id"]))
    message_id = named(body, "message_id")
    return Reacted(envelope.key("reaction"), envelope.conversation(NO_CHAT), sender, at_ms, message_id, sign, on)


def menu_chosen(envelope: Envelope) -> MenuChosen:
    """Read a chosen menu entry. The event names no chat, so the conversation is the person."""
    ids = cast("Json", cast("Json", envelope.body["operator"])["operator_id"])
    sender, stamp = envelope.sender(ids), envelope.body.get("timestamp")
    where = envelope.conversation(sender.id)
    return MenuChosen(envelope.key("menu"), where, sender, envelope.time_ms(stamp), named(envelope.body, "event_key"))


def bot_added(envelope: Envelope) -> MembershipChanged:
    """Read that the bot was put into a group."""
    return _membership(envelope, is_in=True)


def bot_removed(envelope: Envelope) -> MembershipChanged:
    """Read that the bot was put out of a group."""
    return _membership(envelope, is_in=False)


def _membership(envelope: Envelope, *, is_in: bool) -> MembershipChanged:
    where = envelope.conversation(named(envelope.body, "chat_id"))
    return MembershipChanged(envelope.key("member"), where, _operator(envelope), envelope.time_ms(), is_in)


def chat_entered(envelope: Envelope) -> ChatEntered:
    """Read that a person opened the direct chat."""
    where = envelope.conversation(named(envelope.body, "chat_id"))
    return ChatEntered(envelope.key("entered"), where, _operator(envelope), envelope.time_ms())


def _operator(envelope: Envelope) -> Sender | None:
    ids, tenant = envelope.body.get("operator_id"), str(envelope.body.get("operator_tenant_key") or "")
    return envelope.sender(cast("Json", ids), tenant) if isinstance(ids, dict) else None
