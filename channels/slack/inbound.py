"""Events and interactions of the platform in our words. Kinds nobody listed here are none of ours.

Source: docs.slack.dev message, app_mention, slash command and block_actions payloads, read 2026-08.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from channels.events import CardAction, ChatKind, Inbound, InboundMessage, Sender
from channels.readable import Json, read_json
from channels.slack import notices
from channels.slack.elements import THREAD_KEY
from channels.slack.envelope import Envelope, Reading, attachments_of, named
from channels.slack.identity import is_direct
from channels.slack.tokens import decode, mentions

_WORDS = frozenset({"", "file_share", "thread_broadcast", "me_message", "bot_message"})
"""Subtypes that are messages with words of somebody."""


def parse_event(payload: Json, reading: Reading) -> Inbound | None:
    """Read one event; `None` when it is nothing for us: another kind, or our own doing.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it lacks what its kind must have.
    """
    event = cast("Json", payload["event"])
    parse = _PARSERS.get(str(event.get("type")))
    if parse is None:
        return None
    team = str(payload.get("team_id") or reading.me.team_id)
    return parse(Envelope(team, str(payload.get("event_id") or ""), event, reading))


def parse_command(payload: Json, envelope_id: str, reading: Reading) -> InboundMessage:
    """Read a slash command. There is no message to answer. Raises like `parse_event`."""
    channel, user = named(payload, "channel_id"), named(payload, "user_id")
    envelope = Envelope(str(payload.get("team_id") or reading.me.team_id), envelope_id, payload, reading)
    text = decode(str(payload.get("text") or ""), me=reading.me.user_id, name_of=reading.name_of)
    return InboundMessage(
        dedupe=envelope.key("command"),
        conversation=envelope.conversation(channel),
        chat_kind="direct" if is_direct(channel) else "group",
        message_id="",
        sender=Sender(user, envelope.team, reading.name_of(user) or str(payload.get("user_name") or "")),
        text=text,
        mentions_me=True,
        created_at_ms=reading.now_ms(),
        is_command=True,
    )


def parse_press(payload: Json, envelope_id: str, reading: Reading) -> CardAction | None:
    """Read a press on a button; `None` for elements that are no buttons of ours. Raises like `parse_event`."""
    action = cast("list[Json]", payload["actions"])[0]
    if action.get("type") != "button" or "value" not in action:
        return None
    container = cast("Json", payload.get("container") or {})
    message = cast("Json", payload.get("message") or {})
    channel = named(container, "channel_id") if container.get("channel_id") else named(payload["channel"], "id")
    user, team = cast("Json", payload["user"]), cast("Json", payload.get("team") or {})
    key = str(payload.get("trigger_id") or envelope_id)
    envelope = Envelope(str(team.get("id") or reading.me.team_id), key, payload, reading)
    value = _value(str(action["value"]))
    told = str(container.get("thread_ts") or message.get("thread_ts") or "")
    thread = value.pop(THREAD_KEY, told)
    ts = str(container.get("message_ts") or message.get("ts") or "")
    return CardAction(
        dedupe=envelope.key("action"),
        conversation=envelope.conversation(channel, thread or None),
        message_id=envelope.message_name(channel, ts),
        sender=Sender(named(user, "id"), str(user.get("team_id") or envelope.team), _name(user, reading)),
        value=value,
        created_at_ms=reading.now_ms(),
        form=_form(cast("Json", payload.get("state") or {})),
    )


def _name(user: Json, reading: Reading) -> str:
    """Give the name others see; the account's own, which a press brings, only until that is known."""
    return reading.name_of(named(user, "id")) or str(user.get("name") or user.get("username") or "")


def _value(text: str) -> dict[str, str]:
    """Read a button's payload. Ours are objects of texts; a plain text, of a foreign button, is kept under one key."""
    try:
        value = read_json(text)
    except ValueError:
        value = text
    if isinstance(value, dict):
        return {str(key): str(item) for key, item in cast("dict[object, object]", value).items() if item is not None}
    return {"value": str(value)} if value else {}


def _form(state: Json) -> dict[str, str]:
    """Read the inputs of the message, by their names."""
    blocks = cast("dict[str, dict[str, Json]]", state.get("values") or {})
    fields = ((name, told.get("value")) for block in blocks.values() for name, told in block.items())
    return {name: str(value) for name, value in fields if value is not None}


def _message(envelope: Envelope) -> Inbound | None:
    subtype = str(envelope.body.get("subtype") or "")
    if subtype == "message_changed":
        return notices.changed(envelope)
    if subtype == "message_deleted":
        return notices.deleted(envelope)
    return _words(envelope) if subtype in _WORDS else None


def _words(envelope: Envelope) -> InboundMessage | None:
    event, me = envelope.body, envelope.me
    if me.is_me(str(event.get("user") or ""), str(event.get("bot_id") or "")):
        return None
    channel, ts = named(event, "channel"), named(event, "ts")
    message_id, raw = envelope.message_name(channel, ts), str(event.get("text") or "")
    root = str(event.get("thread_ts") or "")
    return InboundMessage(
        dedupe=envelope.key("message", message_id),
        conversation=envelope.conversation_of(event, channel),
        chat_kind=_chat_kind(channel, is_reply=root not in ("", ts)),
        message_id=message_id,
        sender=envelope.sender(event),
        text=decode(raw, me=me.user_id, name_of=envelope.reading.name_of),
        mentions_me=event["type"] == "app_mention" or mentions(raw, me.user_id),
        created_at_ms=notices.sent_at_ms(ts, envelope),
        attachments=attachments_of(event, message_id),
        quoted_message_id=envelope.message_name(channel, root) if root not in ("", ts) else None,
    )


def _chat_kind(channel: str, *, is_reply: bool) -> ChatKind:
    if is_direct(channel):
        return "direct"
    return "topic" if is_reply else "group"


_PARSERS: Mapping[str, Callable[[Envelope], Inbound | None]] = {
    "message": _message,
    "app_mention": _words,
    "reaction_added": notices.reaction_put_on,
    "reaction_removed": notices.reaction_taken_off,
    "app_home_opened": notices.chat_entered,
    "member_joined_channel": notices.joined,
    "member_left_channel": notices.left,
    "agent_session_stopped": notices.stopped,
}
