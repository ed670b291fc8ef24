"""The bodies of events, as the platform pushes them (schema 2.0)."""

from __future__ import annotations

from channels.simulators.feishu.world import TENANT, App, Chat, Message, Reaction
from channels.simulators.jsons import Json

MESSAGE = "im.message.receive_v1"
RECALLED = "im.message.recalled_v1"
REACTED = "im.message.reaction.created_v1"
UNREACTED = "im.message.reaction.deleted_v1"
BOT_ADDED = "im.chat.member.bot.added_v1"
CLICKED = "card.action.trigger"


def ids_of(open_id: str) -> Json:
    """Give a person's ids; `user_id` needs a scope the simulated apps do not have."""
    return {"open_id": open_id, "union_id": open_id.replace("ou_", "on_", 1)}


def mention(key: str, open_id: str, name: str) -> Json:
    """Give one entry of `mentions`."""
    return {"key": key, "id": ids_of(open_id), "name": name, "tenant_key": TENANT}


def message_event(message: Message, chat: Chat) -> Json:
    """Give the event of a person's message."""
    body: Json = {
        "message_id": message.message_id,
        "create_time": str(message.create_time_ms),
        "update_time": str(message.update_time_ms),
        "chat_id": chat.chat_id,
        "chat_type": "p2p" if chat.type == "p2p" else "group",
        "message_type": message.msg_type,
        "content": message.content,
    }
    for name in ("root_id", "parent_id", "thread_id"):
        if getattr(message, name):
            body[name] = getattr(message, name)
    if message.mentions:
        body["mentions"] = message.mentions
    sender = {"sender_id": ids_of(message.sender_id), "sender_type": "user", "tenant_key": TENANT}
    return {"sender": sender, "message": body}


def recalled_event(message: Message, at_ms: int, recall_type: str) -> Json:
    """Give the event of a recalled message."""
    facts = {"message_id": message.message_id, "chat_id": message.chat_id}
    return {**facts, "recall_time": str(at_ms), "recall_type": recall_type}


def reaction_event(message: Message, reaction: Reaction, at_ms: int) -> Json:
    """Give the event of an emoji put on or taken off."""
    by = {"user_id": ids_of(reaction.by)} if reaction.by_type == "user" else {"app_id": reaction.by}
    return {
        "message_id": message.message_id,
        "reaction_type": {"emoji_type": reaction.emoji_type},
        "operator_type": reaction.by_type,
        **by,
        "action_time": str(at_ms),
    }


def bot_added_event(chat: Chat, open_id: str) -> Json:
    """Give the event of a bot that was put into a group."""
    by: Json = {"operator_id": ids_of(open_id), "external": False, "operator_tenant_key": TENANT}
    return {"chat_id": chat.chat_id, **by, "name": chat.name, "i18n_names": {"zh_cn": chat.name, "en_us": chat.name}}


def click_event(message: Message, open_id: str, action: Json, token: str) -> Json:
    """Give the callback of a pressed card element."""
    return {
        "operator": {**ids_of(open_id), "tenant_key": TENANT},
        "token": token,
        "action": action,
        "host": "im_message",
        "context": {"open_message_id": message.message_id, "open_chat_id": message.chat_id},
    }


def rest_message(message: Message, app: App | None) -> Json:
    """Give a message as the REST calls describe it."""
    is_user = message.sender_type == "user"
    sender = {"id": message.sender_id, "id_type": "open_id" if is_user else "app_id"}
    body: Json = {
        "message_id": message.message_id,
        "msg_type": message.msg_type,
        "create_time": str(message.create_time_ms),
        "update_time": str(message.update_time_ms),
        "deleted": message.recalled,
        "updated": message.edits > 0,
        "chat_id": message.chat_id,
        "sender": {**sender, "sender_type": "user" if is_user else "app", "tenant_key": TENANT},
        "body": {"content": message.content},
    }
    for name in ("root_id", "parent_id", "thread_id"):
        if getattr(message, name):
            body[name] = getattr(message, name)
    if message.mentions:
        body["mentions"] = [{**each, "id": each["id"]["open_id"], "id_type": "open_id"} for each in message.mentions]
    return body
