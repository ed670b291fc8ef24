"""Events that are no messages: edits, recalls, signs, coming and going, the platform's own stop.

Source: docs.slack.dev message_changed, message_deleted, reaction_added, app_home_opened, member_joined_channel,
agent_session_stopped, read 2026-08.
"""

from __future__ import annotations

from typing import cast

from channels.events import ChatEntered, Edited, MembershipChanged, Reacted, Recalled, StopPressed
from channels.readable import Json
from channels.slack.envelope import Envelope, named
from channels.slack.identity import is_direct, ms_of_ts
from channels.slack.tokens import decode


def sent_at_ms(ts: str, envelope: Envelope) -> int:
    """Give when something happened, by its ts; now where that says nothing."""
    return ms_of_ts(ts) or envelope.reading.now_ms()


def changed(envelope: Envelope) -> Edited | Recalled | None:
    """Read that a person changed a message. Links that unfold change it too: its words do not."""
    event, me = envelope.body, envelope.me
    new, old = cast("Json", event["message"]), cast("Json", event.get("previous_message") or {})
    channel, ts = named(event, "channel"), named(new, "ts")
    name, where = envelope.message_name(channel, ts), envelope.conversation_of(new, channel)
    at_ms = sent_at_ms(str(event.get("ts") or event.get("event_ts") or ""), envelope)
    if new.get("subtype") == "tombstone":
        # The first message of a thread is not deleted but emptied.
        return Recalled(envelope.key("recall", name), where, None, at_ms, name)
    if new.get("bot_id") or me.is_me(str(new.get("user") or ""), "") or new.get("text") == old.get("text"):
        return None
    edited = cast("Json", new.get("edited") or {})
    key = envelope.key("edit", f"{name}/{edited.get('ts') or event.get('ts') or ''}")
    text = decode(str(new.get("text") or ""), me=me.user_id, name_of=envelope.reading.name_of)
    return Edited(key, where, envelope.sender(new), at_ms, name, text)


def deleted(envelope: Envelope) -> Recalled:
    """Read that a message was taken back; the platform does not tell who did it."""
    event = envelope.body
    channel, ts = named(event, "channel"), named(event, "deleted_ts")
    old = {"ts": ts, **cast("Json", event.get("previous_message") or {})}
    name = envelope.message_name(channel, ts)
    at_ms = sent_at_ms(str(event.get("ts") or event.get("event_ts") or ""), envelope)
    return Recalled(envelope.key("recall", name), envelope.conversation_of(old, channel), None, at_ms, name)


def reaction_put_on(envelope: Envelope) -> Reacted | None:
    """Read that a sign was put on a message; `None` for our own signs and for other things than messages."""
    return _reacted(envelope, on=True)


def reaction_taken_off(envelope: Envelope) -> Reacted | None:
    """Read that a sign was taken off a message; `None` as for `reaction_put_on`."""
    return _reacted(envelope, on=False)


def _reacted(envelope: Envelope, *, on: bool) -> Reacted | None:
    event = envelope.body
    item, user = cast("Json", event["item"]), named(event, "user")
    if item.get("type", "message") != "message" or envelope.me.is_me(user, ""):
        return None
    channel = named(item, "channel")
    at_ms = sent_at_ms(str(event.get("event_ts") or ""), envelope)
    name, sign = envelope.message_name(channel, named(item, "ts")), named(event, "reaction")
    where = envelope.conversation(channel)
    return Reacted(envelope.key("reaction"), where, envelope.person(user), at_ms, name, sign, on)


def chat_entered(envelope: Envelope) -> ChatEntered | None:
    """Read that a person opened the direct chat; the app's other pages are none of ours."""
    event = envelope.body
    channel = str(event.get("channel") or "")
    if event.get("tab") != "messages" or not is_direct(channel):
        return None
    at_ms = sent_at_ms(str(event.get("event_ts") or ""), envelope)
    return ChatEntered(
        envelope.key("entered"), envelope.conversation(channel), envelope.person(named(event, "user")), at_ms
    )


def joined(envelope: Envelope) -> MembershipChanged | None:
    """Read that we were put into a channel; `None` where somebody else was."""
    return _membership(envelope, is_in=True)


def left(envelope: Envelope) -> MembershipChanged | None:
    """Read that we were put out of a channel; `None` where somebody else was."""
    return _membership(envelope, is_in=False)


def _membership(envelope: Envelope, *, is_in: bool) -> MembershipChanged | None:
    event = envelope.body
    if not envelope.me.is_me(str(event.get("user") or ""), ""):
        return None
    by = envelope.person(named(event, "inviter")) if event.get("inviter") else None
    at_ms = sent_at_ms(str(event.get("event_ts") or ""), envelope)
    return MembershipChanged(envelope.key("member"), envelope.conversation(named(event, "channel")), by, at_ms, is_in)


def stopped(envelope: Envelope) -> StopPressed:
    """Read that a person pressed the platform's own stop."""
    event = envelope.body
    where = envelope.conversation(named(event, "channel"), str(event.get("thread_ts") or "") or None)
    at_ms = sent_at_ms(str(event.get("event_ts") or ""), envelope)
    return StopPressed(envelope.key("action"), where, envelope.person(named(event, "user")), at_ms)
